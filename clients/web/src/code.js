import { el } from "./element.js";
import { visible } from "./visible.js";

/** A text node that reaches this is left alone, and the next line starts another: adding to a node copies it. */
const NODE_CHARS = 4_096;

/** Code that may still grow, line by line. */
export class CodeView {
  /** @param {string} language as the source names it; shown, never interpreted */
  constructor(language) {
    this.code = el("code");
    const name = language.split(/\s/)[0];
    this.element = el(
      "figure",
      { class: "code" },
      name ? el("figcaption", {}, name) : null,
      el("pre", { tabindex: "0" }, this.code),
    );
    this.lines = new Text();
    this.partial = new Text();
    this.code.append(this.lines, this.partial);
  }

  /** @param {string} line */
  addLine(line) {
    if (this.lines.length > NODE_CHARS) {
      this.lines = new Text();
      this.partial.before(this.lines);
    }
    this.lines.appendData(`${visible(line)}\n`);
  }

  /** @param {string} text the line that is not whole yet */
  setPartial(text) {
    const shown = visible(text);
    if (this.partial.data === shown) return;
    if (shown.startsWith(this.partial.data)) this.partial.appendData(shown.slice(this.partial.length));
    else this.partial.data = shown;
  }

  end() {
    this.setPartial("");
  }
}
