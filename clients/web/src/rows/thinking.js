import { textOf } from "../blocks.js";
import { el, icon, setText } from "../element.js";
import { MarkdownView } from "../markdown.js";

/** @typedef {import("../types.js").Block} Block */
/** @typedef {import("../page_context.js").PageContext} PageContext */

let bodies = 0;

/**
 * A reasoning block (E-7): closed, one line of fixed height that shows the newest text; open, all of it. The text is
 * there once, and the style sheet alone decides how much of it shows.
 */
export class ThinkingView {
  /** @param {PageContext} page */
  constructor(page) {
    bodies += 1;
    this.type = "reasoning";
    this.words = page.words;
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
    this.element.classList.toggle("blank", text.trim() === "");
    this.element.classList.toggle("live", live);
    setText(this.label, live ? this.words.thinking : this.words.thought);
    this.markdown.set(text);
  }

  /** @param {string} text */
  append(text) {
    if (text.trim() !== "") this.element.classList.remove("blank");
    this.markdown.append(text);
  }
}
