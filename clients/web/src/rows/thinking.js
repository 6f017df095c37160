import { textOf } from "../blocks.js";
import { setVisibility, toggleEvent } from "../disclosure.js";
import { el, icon, setText } from "../element.js";
import { MarkdownView } from "../markdown.js";
import { isHeldWhole, showIn } from "../held_text.js";
import { sameValue } from "../same_value.js";

/** @typedef {import("../types.js").Block} Block */
/** @typedef {import("../page_context.js").PageContext} PageContext */

/** As long as the sweep takes to fade (`rows.css`), and a little. */
const FADED_MS = 250;

let bodies = 0;

/**
 * A reasoning block. In the web presentation (E-7) it is, closed, one line of fixed height that shows the newest text; in
 * the desktop's (C-7) a word alone; open, all of it. The text is there once, and how much of it shows is a matter of
 * style and visibility.
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
    this.isLive = false;
    this.fading = /** @type {ReturnType<typeof setTimeout> | undefined} */ (undefined);
    /** What a presentation says of it; null: it is its own affair. @type {import("../page_context.js").RowDetail | null} */
    this.told = null;
    const view = this;
    /** @type {import("../disclosure.js").Openable} */
    this.own = {
      button: this.button,
      set: (open) => this.setOpen(open),
      get open() {
        return view.open;
      },
    };
    this.button.addEventListener("click", () => this.toggle());
    this.body.addEventListener("click", () => {
      if (!this.open) this.toggle();
    });
  }

  get open() {
    return this.button.getAttribute("aria-expanded") === "true";
  }

  /** The reader toggles it; a presentation that keeps what is open takes the event for its own. */
  toggle() {
    if (this.button.dispatchEvent(toggleEvent(this.own))) this.setOpen(!this.open);
  }

  /** @param {boolean} open */
  setOpen(open) {
    this.button.setAttribute("aria-expanded", String(open));
    this.element.classList.toggle("open", open);
  }

  /** @param {import("../page_context.js").RowDetail | null} detail */
  detail(detail) {
    this.told = detail;
    const isWord = detail?.indicator === true;
    this.element.classList.toggle("indicator", isWord);
    /** @type {HTMLButtonElement} */ (this.button).disabled = isWord;
    if (detail) this.setOpen(detail.open);
    setVisibility(this.body, !detail || detail.open ? "shown" : isWord ? "absent" : "folded");
    this.#drawWord();
  }

  #drawWord() {
    const { words } = this;
    const word = this.told ? words.thinking_row : this.isLive ? words.thinking : words.thought;
    setText(this.label, word);
    // The sweep is drawn over the word, with the same word.
    this.label.dataset.word = word;
  }

  /** What is over keeps its sweep for as long as that fades, and then is as if it had never been live. @param {boolean} live */
  #sweep(live) {
    const { classList } = this.element;
    classList.toggle("live", live);
    clearTimeout(this.fading);
    if (live) classList.add("sweeps");
    else if (classList.contains("sweeps")) this.fading = setTimeout(() => classList.remove("sweeps"), FADED_MS);
  }

  /** @param {Block} block @param {boolean} live */
  set(block, live) {
    const text = textOf(block.text);
    this.element.classList.toggle("blank", text.trim() === "" && !block.truncated);
    this.isLive = live;
    this.#sweep(live);
    this.#drawWord();
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
