/**
 * Spreads the drawing of many new rows over frames of the screen, so that a turn of thousands of calls freezes nothing.
 * Pure. Every row has its seat at once, in its place; what is in it comes with its turn, the newest rows first, since a
 * reader opens a session at its tail.
 */

/** Rows that are drawn in one frame: some ms of work, and more than a screen holds. */
export const ROWS_PER_FRAME = 100;

/** @typedef {{finish: () => void}} Unfinished */

export class Slices {
  constructor() {
    this.left = ROWS_PER_FRAME;
    /** @type {Unfinished[]} */
    this.waiting = [];
  }

  get empty() {
    return this.waiting.length === 0;
  }

  /** A frame begins. @param {boolean} atTail false: the reader is among the rows, and none may grow under the eyes later */
  begin(atTail) {
    this.left = atTail ? ROWS_PER_FRAME : Infinity;
  }

  /** @param {Unfinished} row that would be drawn now @returns {boolean} true: not in this frame; `next` finishes it */
  defers(row) {
    this.left -= 1;
    if (this.left >= 0) return false;
    this.waiting.push(row);
    return true;
  }

  /** Finishes as many as this frame still holds, those that came last first. */
  next() {
    const count = Math.min(this.left, this.waiting.length);
    for (const row of this.waiting.splice(this.waiting.length - count).reverse()) row.finish();
  }
}
