/**
 * The store's content as values, for whoever draws from values: what changed is another object, and everything else is
 * the very object that it was, after a delta, an older page and a fresh snapshot alike. Nobody may change one.
 *
 * A reading lists the turns, and the rows of the turns that changed since the last one; it looks into nothing else.
 *
 * @typedef {import("./transcript.js").Patch} Patch
 * @typedef {import("./transcript.js").Thread} Thread
 * @typedef {import("./transcript.js").Turn} Turn
 * @typedef {import("./row_list.js").RowNode} RowNode
 * @typedef {import("./types.js").Row} Row
 * @typedef {import("./types.js").TurnValue} TurnValue
 * @typedef {import("./types.js").ThreadValue} ThreadValue
 *
 * What changed in one thread: turns by their numbers, null for the rows of no turn, `all` where it is not known.
 * @typedef {Set<number | null | "all">} Changes
 *
 * What was last read of one thread.
 * @typedef {{value: ThreadValue, turns: Map<number, {facts: object, value: TurnValue}>,
 *   calls: Map<string, {row: Row, value: Row}>}} Reading
 */

export class TranscriptValues {
  #changed = /** @type {Map<string, Changes>} */ (new Map());
  #isWhole = true;
  /** By the paths of the threads. */
  #readings = /** @type {Map<string, Reading>} */ (new Map());

  /** @param {import("./transcript.js").Transcript} transcript */
  constructor(transcript) {
    this.transcript = transcript;
  }

  /** @param {Patch[]} patches what the store did, told after it was done */
  note(patches) {
    for (const patch of patches) {
      if (patch.what === "window") this.#isWhole = true;
      else this.#mark(patch.path, patch.what === "drop" ? "all" : patch.turn);
    }
  }

  /** @returns {ThreadValue} what is held now */
  read() {
    const before = this.#readings;
    if (this.#isWhole) this.#readings = new Map(); // what is not held any more is not kept
    const { value } = this.#thread(this.transcript.root, [], before);
    this.#isWhole = false;
    this.#changed.clear();
    return value;
  }

  /** What changes inside a delegate changes its call's row, and so outwards. @param {string[]} path @param {number | null | "all"} turn */
  #mark(path, turn) {
    const name = JSON.stringify(path);
    this.#changed.set(name, (this.#changed.get(name) ?? new Set()).add(turn));
    if (path.length === 0) return;
    const outer = path.slice(0, -1);
    const call = this.transcript.thread(outer)?.call(path[path.length - 1]);
    if (call) this.#mark(outer, call.row.turn ?? null);
  }

  /** @param {Thread} thread @param {string[]} path @param {Map<string, Reading>} readings of before @returns {Reading} */
  #thread(thread, path, readings) {
    const name = JSON.stringify(path);
    const before = readings.get(name);
    const changes = this.#changed.get(name);
    const all = this.#isWhole || !before || changes?.has("all");
    if (before && !all && !changes) return before;
    /** @type {Reading} */
    const reading = { value: { turns: [], session_rows: [] }, turns: new Map(), calls: new Map(before?.calls) };
    this.#readings.set(name, reading);
    const rowsOf = (/** @type {Iterable<RowNode>} */ nodes, /** @type {Row[] | undefined} */ held) =>
      same([...nodes].map((node) => this.#row(node, path, reading, readings)), held);
    for (const turn of thread.turns.values()) {
      const held = before?.turns.get(turn.turn);
      const isDue = all || !held || changes?.has(turn.turn);
      reading.turns.set(turn.turn, isDue ? turnOf(turn, rowsOf(turn.rows, held?.value.rows), held) : held);
    }
    const loose = before?.value.session_rows;
    const session_rows = all || !loose || changes?.has(null) ? rowsOf(thread.loose, loose) : loose;
    const turns = same([...reading.turns.values()].map((one) => one.value), before?.value.turns);
    const isSame = turns === before?.value.turns && session_rows === loose;
    reading.value = isSame ? before.value : { turns, session_rows };
    return reading;
  }

  /** @param {RowNode} node @param {string[]} path @param {Reading} reading @param {Map<string, Reading>} readings @returns {Row} */
  #row(node, path, reading, readings) {
    if (!node.thread) return node.row;
    const delegate = this.#thread(node.thread, [...path, String(node.row.call_id)], readings).value;
    const held = reading.calls.get(node.row.key);
    if (held?.row === node.row && held.value.delegate === delegate) return held.value;
    const value = { ...node.row, delegate };
    reading.calls.set(node.row.key, { row: node.row, value });
    return value;
  }
}

/** @param {Turn} turn @param {Row[]} rows @param {{facts: object, value: TurnValue} | undefined} held */
function turnOf(turn, rows, held) {
  if (held?.facts === turn.facts && held.value.rows === rows) return held;
  return { facts: turn.facts, value: { turn: turn.turn, ...turn.facts, rows } };
}

/** @template T @param {T[]} list @param {T[] | undefined} held @returns {T[]} the one that is held, where it has the same items */
function same(list, held) {
  return held?.length === list.length && list.every((item, at) => item === held[at]) ? held : list;
}
