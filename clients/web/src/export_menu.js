/** The menu that saves the session as a file. The service makes it whole (docs/export.md); nothing of it is made here. */

import { el, icon, setText } from "./element.js";
import { reasonOf } from "./http.js";

/** @typedef {import("./session_calls.js").SessionCalls} SessionCalls */
/** @typedef {import("./words.js").Words} Words */

/** By format, the ending of the file. */
const FORMATS = /** @type {const} */ ([["markdown", "md"], ["html", "html"], ["jsonl", "jsonl"]]);
let menus = 0;

export class ExportMenu {
  /** @param {Words} words @param {() => {session: string, calls: SessionCalls} | null} chosen */
  constructor(words, chosen) {
    menus += 1;
    this.words = words;
    this.chosen = chosen;
    this.name = `export-${menus}`;
    this.failed = el("p", { class: "menu-failed", role: "alert", hidden: true });
    const items = FORMATS.map(([format, ending]) => this.#item(format, ending));
    this.element = el("div", { class: "menu", id: this.name, popover: "auto", role: "dialog", "aria-label": words.export }, ...items, this.failed);
  }

  /** @returns {HTMLElement} */
  button() {
    const { words, name } = this;
    return el("button", { type: "button", class: "icon-button", popovertarget: name, "aria-label": words.export, title: words.export }, icon("export"));
  }

  /** @param {string} format @param {string} ending */
  #item(format, ending) {
    const button = el("button", { type: "button", class: "menu-item" }, this.words.named(`export_${format}`, format));
    button.addEventListener("click", () => this.#save(format, ending));
    return button;
  }

  /** @param {string} format @param {string} ending */
  async #save(format, ending) {
    const chosen = this.chosen();
    if (!chosen) return;
    const { calls, session } = chosen;
    const name = `turnfold-${session.replace(/[^A-Za-z0-9._-]/g, "_")}.${ending}`;
    this.failed.hidden = true;
    try {
      if (calls.http.isPlain) download(calls.exportUrl(format, this.words.language), name);
      else await this.#fetched(calls, format, name);
      this.element.hidePopover();
    } catch (problem) {
      setText(this.failed, this.words.fill(this.words.export_failed, { reason: reasonOf(problem, this.words) }));
      this.failed.hidden = false;
    }
  }

  /** A browser sends no token with a link. @param {SessionCalls} calls @param {string} format @param {string} name */
  async #fetched(calls, format, name) {
    const url = URL.createObjectURL(await calls.exported(format, this.words.language));
    download(url, name);
    setTimeout(() => URL.revokeObjectURL(url), 60_000);
  }
}

/** @param {string} url @param {string} name */
function download(url, name) {
  el("a", { href: url, download: name }).click();
}
