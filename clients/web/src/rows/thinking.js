import { textOf } from "../blocks.js";
import { el, icon, setText } from "../element.js";
import { MarkdownView } from "../markdown.js";
import { isHeldWhole, showIn } from "../held_text.js";
import { sameValue } from "../same_value.js";

/** @typedef {import("../types.js").Block} Block */
/** @typedef {import("../page_context.js").PageContext} PageContext */

let bodies = 0;

/**
 * A reasoning block (E-7): closed, one line of fixed height that shows the newest text; open, all of it. The text is
 * there once, and the style sheet alone decides how much of it shows.
 */
export class ThinkingView {
  /** @param {PageContext} page @param {import("../shortened.js").Place} place */
  constructor(page, place) {
    bodies += 1;
    this.type = "reasoning";
    this.words = page.words;
    this.page = page;
    this.place = place;
    /** @type {HTMLElement | null} */
    this.rest = null;
    /** The block as it was last set; null once text was added. @type {Block | null} */
    this.shown = null;
    this.label = el("span", { class: "label" });
    this.body = el("div", { class: "thinking-body prose", id: `thinking-${bodies}` });
    this.button = el(
      "button",
      { type: "button", class: "disclosure quiet", "aria-expanded": "false", "aria-controls": this.body.id },
      this.label,
      icon("chevron"),
    );
    this.element = el("div", { class: "block thinking" }, this.button, this.body);
    this.markdown = new MarkdownView(this.body);
    this.button.addEventListener("click", () => this.toggle());
    this.body.addEventListener("click", () => {
      if (!this.open) this.toggle();
    });
  }

  get open() {
    return this.button.getAttribute("aria-expanded") === "true";
  }

  toggle() {
    const open = !this.open;
    this.button.setAttribute("aria-expanded", String(open));
    this.element.classList.toggle("open", open);
  }

  /** @param {Block} block @param {boolean} live */
  set(block, live) {
    const text = textOf(block.text);
    this.element.classList.toggle("blank", text.trim() === "" && !block.truncated);
    this.element.classList.toggle("live", live);
    setText(this.label, live ? this.words.thinking : this.words.thought);
    if (isHeldWhole(this.markdown.source, block) || sameValue(this.shown, block)) return;
    this.shown = block;
    this.rest?.remove();
    this.rest = null;
    this.markdown.set(text);
    if (!block.truncated) return;
    this.rest = this.page.shortened(this.place, { text, bytes: block.bytes }, showIn(this.markdown));
    this.element.append(this.rest);
  }

  /** @param {string} text */
  append(text) {
    if (text.trim() !== "") this.element.classList.remove("blank");
    this.shown = null;
    this.markdown.append(text);
  }
}
