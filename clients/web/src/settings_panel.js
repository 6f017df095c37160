/** The settings: a button, and the panel of all preferences that it opens (S000's settings, S001's mode). */

import { el, icon } from "./element.js";
import { CHOICES, offered } from "./preferences.js";

/** @typedef {import("./preferences.js").Preferences} Preferences */
/** @typedef {import("./preferences.js").PreferenceName} PreferenceName */
/** @typedef {import("./words.js").Words} Words */

const LANGUAGES = ["auto", "en", "zh-CN"];
let panels = 0;

export class SettingsPanel {
  /** @param {Words} words @param {(change: Partial<Preferences>) => void} onChange */
  constructor(words, onChange) {
    panels += 1;
    this.words = words;
    this.onChange = onChange;
    this.name = `settings-${panels}`;
    /** @type {Map<PreferenceName, (value: string | boolean) => void>} */
    this.controls = new Map();
    /** The rows of the switches that are offered only below their setting. @type {Map<PreferenceName, HTMLElement>} */
    this.children = new Map();
    this.failed = el("p", { class: "settings-failed", role: "alert", hidden: true }, words.not_saved);
    this.element = el(
      "div",
      { class: "settings", id: this.name, popover: "auto", role: "dialog", "aria-label": words.settings },
      el("h2", {}, words.settings),
      this.failed,
      this.#choice("presentation", words.presentation, CHOICES.presentation ?? []),
      el("h3", {}, words.presentation_web),
      this.#choice("transcript_view", words.transcript_view, CHOICES.transcript_view ?? []),
      el("h3", {}, words.presentation_desktop),
      this.#switch("show_thinking", words.show_thinking),
      this.#child("auto_collapse_thinking", words.auto_collapse_thinking),
      this.#choice("transcript_display_mode", words.transcript_display_mode, CHOICES.transcript_display_mode ?? []),
      this.#child("auto_collapse_settled_groups", words.auto_collapse_settled_groups),
      el("h3", {}, words.general),
      this.#choice("language", words.language_name, LANGUAGES),
    );
  }

  /** @returns {HTMLElement} a button that opens the panel; there may be several */
  button() {
    const { settings } = this.words;
    return el(
      "button",
      { type: "button", class: "icon-button", popovertarget: this.name, "aria-label": settings, title: settings },
      icon("settings"),
    );
  }

  get open() {
    return this.element.matches(":popover-open");
  }

  /** Opens it where the reader was: at the language. */
  show() {
    this.element.showPopover();
    /** @type {HTMLElement | null} */ (this.element.querySelector('[name$="language"]:checked'))?.focus();
  }

  /** @param {Preferences} held @param {boolean} failed the last change could not be saved */
  draw(held, failed) {
    for (const [name, show] of this.controls) show(held[name]);
    for (const [name, shows] of Object.entries(offered(held))) {
      const row = this.children.get(/** @type {PreferenceName} */ (name));
      if (row) row.hidden = !shows;
    }
    this.failed.hidden = !failed;
  }

  /** One of a few, as a segmented control. @param {PreferenceName} name @param {string} label @param {readonly string[]} values */
  #choice(name, label, values) {
    const inputs = values.map((value) => {
      const input = /** @type {HTMLInputElement} */ (el("input", { class: "choice", type: "radio", name: `${this.name}-${name}`, value }));
      input.addEventListener("change", () => this.onChange({ [name]: value }));
      return input;
    });
    this.controls.set(name, (held) => {
      for (const input of inputs) input.checked = input.value === held;
    });
    const options = inputs.map((input) => el("label", {}, input, el("span", { class: "choice-name" }, this.words.named(`${name}_${input.value}`, input.value))));
    return el("fieldset", { class: "setting" }, el("legend", {}, label), el("div", { class: "segments" }, ...options));
  }

  /** @param {PreferenceName} name @param {string} label */
  #switch(name, label) {
    const input = /** @type {HTMLInputElement} */ (el("input", { type: "checkbox", role: "switch" }));
    input.addEventListener("change", () => this.onChange({ [name]: input.checked }));
    this.controls.set(name, (held) => {
      input.checked = held === true;
    });
    return el("label", { class: "setting switch" }, el("span", {}, label), input);
  }

  /** A switch that stands indented below its setting. @param {PreferenceName} name @param {string} label */
  #child(name, label) {
    const row = this.#switch(name, label);
    row.classList.add("setting-child");
    this.children.set(name, row);
    return row;
  }
}
