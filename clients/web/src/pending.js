/**
 * Collects patches until the next frame of the screen. Pure. The store is ahead of the screen by then, so what counts
 * is which rows changed and what streamed into them, not the order in which it happened.
 *
 * @typedef {import("./transcript.js").Patch} Patch
 * @typedef {import("./seat.js").RowChange} RowChange
 * @typedef {{facts: boolean, moved: boolean, rows: Map<string, RowChange>}} TurnChange
 * @typedef {{path: string[], whole: boolean, turns: Map<number | null, TurnChange>}} ThreadChange
 */

/** So many fragments of one row, and it is drawn as a whole: a page in the background collects for hours. */
const MAX_FRAGMENTS = 500;

export class Pending {
  constructor() {
    this.window = false;
    /** @type {Map<string, ThreadChange>} */
    this.threads = new Map();
  }

  get empty() {
    return !this.window && this.threads.size === 0;
  }

  /** @param {Patch[]} patches */
  add(patches) {
    for (const patch of patches) {
      if (patch.what === "window") this.window = true;
      else if (!this.window) this.#addTo(patch);
    }
    if (this.window) this.threads.clear();
  }

  /** @returns {ThreadChange[]} the outermost first: what is drawn anew there holds what is inside */
  outermostFirst() {
    return [...this.threads.values()].sort((a, b) => a.path.length - b.path.length);
  }

  /** @param {Exclude<Patch, {what: "window"}>} patch */
  #addTo(patch) {
    const name = JSON.stringify(patch.path);
    const thread = this.threads.get(name) ?? { path: patch.path, whole: false, turns: new Map() };
    this.threads.set(name, thread);
    if (patch.what === "drop") {
      thread.whole = true;
      return;
    }
    const turn = thread.turns.get(patch.turn) ?? { facts: false, moved: false, rows: new Map() };
    thread.turns.set(patch.turn, turn);
    if (patch.what === "turn") turn.facts = true;
    else addRow(turn, patch);
  }
}

/** @param {TurnChange} turn @param {Exclude<Patch, {what: "window" | "drop" | "turn"}>} patch */
function addRow(turn, patch) {
  const row = turn.rows.get(patch.key) ?? { whole: false, appends: [], output: "" };
  turn.rows.set(patch.key, row);
  if (patch.what === "move") turn.moved = true;
  else if (patch.what === "append") addText(row, patch.block, patch.text);
  else if (patch.what === "output") row.output += patch.text;
  else row.whole = true;
}

/** @param {RowChange} row @param {number} block @param {string} text */
function addText(row, block, text) {
  const last = row.appends[row.appends.length - 1];
  if (last?.block === block) last.text += text;
  else row.appends.push({ block, text });
  if (row.appends.length > MAX_FRAGMENTS) row.whole = true;
}
