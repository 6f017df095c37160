/** A text of any size: pieces of it, each laid out only when it comes into sight. */

import { el } from "./element.js";

/** Small enough to be laid out between two frames of the screen, great enough that 10 MiB are some thousand pieces. */
const PIECE_CHARS = 8_192;
/** A line end is looked for in this last part of a piece. */
const LINE_END_CHARS = 2_048;

export class GreatText {
  constructor() {
    this.element = el("div", { class: "plain great", tabindex: "0" });
    /** What the last piece holds: the line that it ends in may go on. */
    this.last = "";
  }

  /** @param {string} text */
  append(text) {
    this.element.lastElementChild?.remove();
    for (const piece of piecesOf(this.last + text)) {
      this.element.append(el("div", { class: "piece" }, piece));
      this.last = piece;
    }
  }
}

/**
 * Cuts a text at line ends, or where there is none, between two characters. Joined by nothing but the line ends that
 * it was cut at, the pieces are the text.
 *
 * @param {string} text @returns {Generator<string>}
 */
export function* piecesOf(text) {
  let at = 0;
  while (text.length - at > PIECE_CHARS) {
    const limit = at + PIECE_CHARS;
    // In a slice: a search backwards through a text without a line end would go to its beginning, for each piece.
    const lineEnd = text.slice(limit - LINE_END_CHARS, limit).lastIndexOf("\n");
    if (lineEnd >= 0) {
      const end = limit - LINE_END_CHARS + lineEnd;
      yield text.slice(at, end);
      at = end + 1;
    } else {
      const splits = /[\ud800-\udbff]/.test(text[limit - 1]);
      const end = splits ? limit - 1 : limit;
      yield text.slice(at, end);
      at = end;
    }
  }
  if (at < text.length) yield text.slice(at);
}
