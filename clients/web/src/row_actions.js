/**
 * What can be done with a row: copy what it says, copy a link to it. The buttons are made for the row that the pointer or the
 * focus comes to, so that a transcript of ten thousand rows has none until then; they stand behind the row's own content,
 * where Tab finds them.
 *
 * What is copied is what is shown: unseen characters as signs, so that nobody pastes what nobody saw. A text that travelled
 * as its head is fetched whole.
 */

import { blocksOf, textOf } from "./blocks.js";
import { el, icon } from "./element.js";
import { callsAround } from "./shortened.js";
import { visible } from "./visible.js";

/** @typedef {import("./types.js").Row} Row */
/** @typedef {import("./types.js").Block} Block */
/** @typedef {import("./words.js").Words} Words */
/** @typedef {import("./address.js").Target} Target */

/**
 * A text of a row: as it is held, and where the rest of it is.
 * @typedef {{text: string, field: string, isHead: boolean}} Held
 * @typedef {{
 *   words: Words,
 *   rowOf: (key: string, path: string[]) => Row | null,
 *   fetchPart: import("./shortened.js").Fetch,
 *   linkOf: (target: Target) => string | null,
 * }} Means
 */

const SAID_MS = 1_600;

export class RowActions {
  /** Of each button that says now what it did: the timer that ends it. @type {WeakMap<HTMLElement, ReturnType<typeof setTimeout>>} */
  #said = new WeakMap();

  /** @param {HTMLElement} element the transcript's @param {Means} means */
  constructor(element, means) {
    this.means = means;
    for (const name of ["pointerover", "focusin"]) element.addEventListener(name, (event) => this.#came(event.target));
  }

  /** @param {EventTarget | null} target */
  #came(target) {
    if (!(target instanceof Element)) return;
    const code = target.closest("figure.code");
    if (code && !code.querySelector(":scope > .copy-code")) code.append(this.#codeButton(code));
    const seat = target.closest(".seat");
    if (!(seat instanceof HTMLElement)) return;
    // A seat that is laid out part by part has no box of its own.
    const holder = seat.getClientRects().length > 0 ? seat : target.closest(".block");
    if (!holder || holder.querySelector(":scope > .row-actions")) return;
    const buttons = this.#buttonsOf(seat);
    if (buttons.length > 0) holder.append(el("div", { class: "row-actions" }, ...buttons));
  }

  /** @param {Element} code */
  #codeButton(code) {
    const { words } = this.means;
    const button = iconButton("copy", words.copy_code, "copy-code");
    button.addEventListener("click", () => this.#copy(button, words.copy_code, async () => code.querySelector("code")?.textContent ?? ""));
    return button;
  }

  /** @param {HTMLElement} seat @returns {HTMLElement[]} */
  #buttonsOf(seat) {
    const { words, rowOf, linkOf } = this.means;
    const key = seat.dataset.key ?? "";
    const path = callsAround(seat);
    const row = rowOf(key, path);
    if (!row || row.kind === "turn_process") return [];
    const label = row.kind !== "tool_call" ? words.copy_text : isEmpty(row.output) && !row.progress ? words.copy_input : words.copy_output;
    const copy = iconButton("copy", label);
    copy.addEventListener("click", () => this.#copy(copy, label, () => this.#textOf(key, path)));
    const found = row.kind === "turn_tail" ? [] : [copy];
    const turn = row.kind === "turn_tail" && path.length === 0 && typeof row.turn === "number" ? { turn: row.turn } : null;
    const link = linkOf(turn ?? { key, in: path });
    if (link === null) return found;
    const anchor = iconButton("link", words.copy_link);
    anchor.addEventListener("click", () => this.#copy(anchor, words.copy_link, async () => link));
    return [...found, anchor];
  }

  /** @param {string} key @param {string[]} path @returns {Promise<string>} */
  async #textOf(key, path) {
    const row = this.means.rowOf(key, path);
    if (!row) return "";
    const texts = await Promise.all(textsOf(row).map((held) => this.#whole(key, path, held)));
    return visible(texts.filter((text) => text.trim() !== "").join("\n\n"));
  }

  /** @param {string} key @param {string[]} path @param {Held} held */
  async #whole(key, path, held) {
    if (!held.isHead) return held.text;
    let text = "";
    /** @type {number | null} */
    let offset = 0;
    while (offset !== null) {
      /** @type {import("./shortened.js").Part} */
      const part = await this.means.fetchPart({ key, field: held.field }, path, offset);
      text += part.text;
      offset = part.next_offset;
    }
    return text;
  }

  /** @param {HTMLElement} button @param {string} label what it does @param {() => Promise<string>} text */
  async #copy(button, label, text) {
    const { words } = this.means;
    let word = words.copied;
    try {
      await copyText(await text());
    } catch {
      word = words.copy_failed;
    }
    button.dataset.said = word;
    button.setAttribute("aria-label", word);
    clearTimeout(this.#said.get(button));
    const timer = setTimeout(() => {
      delete button.dataset.said;
      button.setAttribute("aria-label", label);
    }, SAID_MS);
    this.#said.set(button, timer);
  }
}

/** @param {string} name @param {string} label @param {string} [more] */
function iconButton(name, label, more = "") {
  return el("button", { type: "button", class: `icon-button small-icon ${more}`.trim(), "aria-label": label, title: label }, icon(name));
}

/** @param {unknown} value */
function isEmpty(value) {
  return value === null || value === undefined || value === "" || (Array.isArray(value) && value.length === 0);
}

/** What a row says, text by text. @param {Row} row @returns {Held[]} */
export function textsOf(row) {
  switch (row.kind) {
    case "assistant_step":
      return blockTexts(row.blocks, "/blocks", ["text"]);
    case "user":
    case "steering":
    case "context":
      return blockTexts(row.content, "/content", ["text"]);
    case "tool_call":
    case "command":
      return workTexts(row);
    default:
      return ownTexts(row);
  }
}

/** @param {unknown} blocks @param {string} field @param {readonly string[]} types @returns {Held[]} */
function blockTexts(blocks, field, types) {
  return blocksOf(blocks).flatMap((block, at) => {
    if (block.type === "diff") return [{ text: textOf(block.unified), field: `${field}/${at}/unified`, isHead: block.truncated === true }];
    return types.includes(block.type) ? [{ text: textOf(block.text), field: `${field}/${at}/text`, isHead: block.truncated === true }] : [];
  });
}

/** @param {Row} row @returns {Held[]} */
function workTexts(row) {
  const isHead = row.truncated === true;
  if (typeof row.output === "string" && row.output !== "") return [{ text: row.output, field: "/output", isHead }];
  if (Array.isArray(row.output) && row.output.length > 0) return blockTexts(row.output, "/output", ["text", "reasoning"]);
  if (row.progress) return [{ text: row.progress, field: "/progress", isHead }];
  if (!isEmpty(row.output)) return [{ text: textOf(row.output), field: "/output", isHead: false }];
  return jsonTexts(row, "input");
}

/** @param {Row} row @returns {Held[]} */
function ownTexts(row) {
  for (const name of /** @type {const} */ (["text", "summary", "message", "title", "query"])) {
    const isHead = row.truncated === true && name !== "title" && name !== "query";
    if (row[name]) return [{ text: textOf(row[name]), field: `/${name}`, isHead }];
  }
  return jsonTexts(row, "payload");
}

/** @param {Row} row @param {"input" | "payload"} name @returns {Held[]} */
function jsonTexts(row, name) {
  const isHead = row.heads?.some((head) => head.field === `/${name}`) ?? false;
  return isEmpty(row[name]) ? [] : [{ text: textOf(row[name]), field: `/${name}`, isHead }];
}

/** @param {string} text */
async function copyText(text) {
  if (navigator.clipboard) {
    await navigator.clipboard.writeText(text);
    return;
  }
  // A page that came over plain http from another machine has no clipboard of its own.
  const area = /** @type {HTMLTextAreaElement} */ (el("textarea", { class: "sr-only" }));
  area.value = text;
  document.body.append(area);
  area.select();
  const copied = document.execCommand("copy");
  area.remove();
  if (!copied) throw new Error("no clipboard");
}
