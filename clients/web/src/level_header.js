/**
 * The header of a level of the desktop presentation: of an entry's process, a group or a topology (E-11). A heading, so
 * that a screen reader finds it, and in it a real button over the whole width.
 *
 * The service's own text is cut into its tokens and nothing is made up: what an entry says is status, time and count, what
 * a group says is what it did and, as a token that is never cut off, how much (C-10, C-13).
 */

import { el, icon, setText } from "./element.js";
import { setVisibility } from "./disclosure.js";
import { FoldBar } from "./fold_bar.js";

/** @typedef {import("./expansion/state.js").Address} Address */
/** @typedef {import("./types.js").DesktopHeader} DesktopHeader */
/** @typedef {import("./types.js").DesktopNode} DesktopNode */
/** @typedef {import("./words.js").Words} Words */

/** What stands between the tokens of a service's text. */
const BETWEEN = " · ";

/** A turn that seems to run for longer was recorded elsewhere, at another time: its duration would be a made-up one. */
export const LONGEST_MS = 24 * 3_600_000;

export class LevelHeader {
  /** @param {Address} at @param {Words} words @param {() => void} onToggle @param {() => string[]} controlled ids of what it opens */
  constructor(at, words, onToggle, controlled) {
    this.words = words;
    this.isOpen = false;
    /** What of the tokens ticks: an active entry's start, null where it is unknown or over. @type {number | null} */
    this.startedMs = null;
    this.what = el("span", { class: "level-what" });
    this.time = el("span", { class: "level-time" });
    this.count = el("span", { class: "level-count" });
    this.button = el("button", { type: "button", class: "disclosure level-button", "aria-expanded": "false" }, this.what, this.time, this.count, icon("chevron"));
    const isEntry = at.kind === "entry";
    this.element = el("div", { class: `level level-${at.kind}`, role: "heading", "aria-level": isEntry ? "3" : "4", "data-level": at.id }, this.button);
    this.bar = isEntry ? null : new FoldBar(this.element, words.fold_group, onToggle);
    this.button.addEventListener("click", onToggle);
    // A list of ids costs what it names, so it is made when somebody may ask for it.
    this.button.addEventListener("focus", () => this.button.setAttribute("aria-controls", controlled().join(" ")));
  }

  /** @param {boolean} open */
  setOpen(open) {
    this.isOpen = open;
    this.button.setAttribute("aria-expanded", String(open));
    this.bar?.setOpen(open);
  }

  /** @param {import("./disclosure.js").Visibility} visibility */
  show(visibility) {
    setVisibility(this.element, visibility);
  }

  focus() {
    this.button.focus({ preventScroll: true });
  }

  /** Brings it into sight where it belongs: what it held may have been all that was seen. */
  reveal() {
    // One that sticks to the upper edge is in sight, wherever it belongs.
    this.element.style.position = "static";
    this.element.scrollIntoView({ block: "nearest" });
    this.element.style.position = "";
  }

  /** @param {DesktopHeader} header @param {boolean} active */
  drawEntry(header, active) {
    const tokens = (header.text ?? "").split(BETWEEN);
    this.element.dataset.status = header.status;
    setText(this.what, tokens[0]);
    const count = header.tool_count && tokens.length > 1 ? tokens[tokens.length - 1] : "";
    setText(this.count, count && BETWEEN + count);
    this.startedMs = active ? (header.started_at_ms ?? null) : null;
    if (active) return;
    const hasTime = header.duration_ms !== undefined && tokens.length > 1;
    setText(this.time, hasTime ? BETWEEN + tokens[1] : "");
  }

  /** The seconds of what runs, by the service's clock (E-12). @param {number} nowMs */
  tick(nowMs) {
    if (this.startedMs === null) return;
    const lastsMs = nowMs - this.startedMs;
    const known = lastsMs >= 0 && lastsMs < LONGEST_MS;
    setText(this.time, known ? BETWEEN + this.words.clock(lastsMs) : "");
  }

  /** @param {DesktopNode} node */
  drawContainer(node) {
    this.element.toggleAttribute("data-live", node.live === true);
    const text = node.title?.text ?? this.words.tasks(node.tasks?.length ?? 0);
    const at = node.title ? text.lastIndexOf(BETWEEN) : -1;
    setText(this.what, at < 0 ? text : text.slice(0, at));
    setText(this.count, at < 0 ? "" : text.slice(at));
  }
}
