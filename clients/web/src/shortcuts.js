/** Keys of the page, and the list of them (E-17). No key of the browser or of a screen reader is taken. */

import { el } from "./element.js";

/** @typedef {import("./words.js").Words} Words */
/** @typedef {"find" | "help" | "next_turn" | "previous_turn"} Command */

/**
 * The command of a key press; null where it belongs to what has the focus, or to the browser. Pure.
 *
 * @param {{key: string, altKey: boolean, ctrlKey: boolean, metaKey: boolean, isTyping: boolean}} pressed
 * @returns {Command | null}
 */
export function commandOf({ key, altKey, ctrlKey, metaKey, isTyping }) {
  if (ctrlKey || metaKey) return null;
  if (altKey) return key === "ArrowDown" ? "next_turn" : key === "ArrowUp" ? "previous_turn" : null;
  if (isTyping) return null;
  return key === "/" ? "find" : key === "?" ? "help" : null;
}

/** @param {KeyboardEvent} event @returns {Command | null} */
export function commandOfEvent(event) {
  const target = /** @type {Element | null} */ (event.composedPath()[0] instanceof Element ? event.composedPath()[0] : null);
  const isTyping = target?.closest("input, textarea, select, [contenteditable]") !== null && target !== null;
  return event.isComposing ? null : commandOf({ key: event.key, altKey: event.altKey, ctrlKey: event.ctrlKey, metaKey: event.metaKey, isTyping });
}

/** @param {Words} words @returns {HTMLElement} a dialog; `showPopover` opens it */
export function shortcutList(words) {
  /** @type {[string[], string][]} */
  const keys = [
    [["/"], words.key_find],
    [["Enter", "Shift+Enter"], words.key_next_hit],
    [["Ctrl+Enter"], words.key_inside],
    [["Alt+↓", "Alt+↑"], words.key_turns],
    [["Tab", "Enter"], words.key_disclose],
    [["Esc"], words.key_close],
    [["?"], words.key_help],
  ];
  const list = el("dl", { class: "keys" });
  for (const [names, meaning] of keys) {
    list.append(el("dt", {}, ...names.map((name) => el("kbd", {}, name))), el("dd", {}, meaning));
  }
  return el("div", { class: "menu shortcuts", popover: "auto", role: "dialog", "aria-label": words.shortcuts }, el("h2", {}, words.shortcuts), list);
}
