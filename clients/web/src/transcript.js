/**
 * The store: one session's transcript as the service sent it, kept by snapshots and deltas. Pure: no DOM, no clock.
 *
 * 1. A snapshot replaces all; what is equal to what was held keeps its identity, so that nothing is drawn again.
 * 2. A delta is applied whole or not at all: an unknown op, or a delta that does not follow, leaves the store as it was
 *    and says so (`OutOfStep`); the reader then subscribes again without a position. An op for a turn, a row or a
 *    delegate that is not held is none of ours (it stands before the window) and changes nothing.
 * 3. The cost of a delta follows the change. Rows are values: a changed row is another object. The containers are
 *    not, and nobody but this module changes them.
 * 4. Each call returns patches, in order, for whoever draws. A patch names its place by `path` (the delegates' call
 *    ids from the outermost, empty for the session's own transcript), `turn` (null: a session row) and `key`.
 *
 * @typedef {import("./types.js").Row} Row
 * @typedef {import("./types.js").Op} Op
 * @typedef {import("./types.js").TurnValue} TurnValue
 * @typedef {import("./types.js").ThreadValue} ThreadValue
 * @typedef {import("./types.js").WindowValue} WindowValue
 * @typedef {import("./types.js").Position} Position
 *
 * @typedef {{what: "window"}
 *   | {what: "turn", path: string[], turn: number}
 *   | {what: "row" | "remove" | "move", path: string[], turn: number | null, key: string}
 *   | {what: "append", path: string[], turn: number | null, key: string, block: number, text: string}
 *   | {what: "output", path: string[], turn: number | null, key: string, text: string}
 *   | {what: "drop", path: string[], from: number}} Patch
 */

import { RowNode, RowList } from "./row_list.js";
import { sameValue } from "./same_value.js";
import { changed } from "./presentation_path.js";

/** A delta that does not follow from what is held. */
export class OutOfStep extends Error {}

/** One turn: the facts that are not rows, and the rows. */
export class Turn {
  /** @param {number} number */
  constructor(number) {
    this.turn = number;
    /** @type {Omit<TurnValue, "rows" | "turn">} */
    this.facts = { status: "open" };
    this.rows = new RowList();
  }
}

/** One transcript: the session's own, or a delegate's. */
export class Thread {
  constructor() {
    /** @type {Map<number, Turn>} */
    this.turns = new Map();
    this.loose = new RowList();
    /** Which list holds a call, so that `in` costs nothing. @type {Map<string, RowList>} */
    this.homes = new Map();
  }

  /** @param {number | null | undefined} number @returns {RowList | null} */
  list(number) {
    if (number === null || number === undefined) return this.loose;
    return this.turns.get(number)?.rows ?? null;
  }

  /** @param {number | null | undefined} number @param {string | undefined} key @returns {RowNode | null} */
  find(number, key) {
    return (key !== undefined && this.list(number)?.get(key)) || null;
  }

  /** @param {string} callId @returns {RowNode | null} */
  call(callId) {
    return this.homes.get(`tool:${callId}`)?.get(`tool:${callId}`) ?? null;
  }
}

/** @typedef {(() => void)[]} Undo steps that take a delta back, newest last */

export class Transcript {
  constructor() {
    this.root = new Thread();
    /** @type {Position | null} null: nothing is held */
    this.position = null;
    this.historyComplete = false;
    /** The view of what is held, as the last snapshot named it. @type {{kind: string} | null} */
    this.view = null;
    /** @type {number | string | null} */
    this.before = null;
  }

  /** The oldest turn that is held, for `from_turn`. @returns {number | undefined} */
  get fromTurn() {
    return this.root.turns.keys().next().value;
  }

  /** Whether a place that the service told, by its position, may still come. @param {Position} position @returns {boolean} */
  isBehind(position) {
    return this.position?.epoch === position.epoch && this.position.version < position.version;
  }

  /** @param {string[]} path @returns {Thread | null} the delegate's transcript; null if its call is not held */
  thread(path) {
    /** @type {Thread | null} */
    let thread = this.root;
    for (const callId of path) thread = thread?.call(callId)?.thread ?? null;
    return thread;
  }

  /** Replaces all that is held. @param {WindowValue} value @returns {Patch[]} */
  replace(value) {
    this.root = threadOf(value, this.root);
    this.#hold(value);
    return [{ what: "window" }];
  }

  /** Puts an older page before what is held. @param {WindowValue} value @returns {Patch[]} */
  prepend(value) {
    const page = threadOf(value, null);
    for (const [number, turn] of this.root.turns) page.turns.set(number, turn);
    for (const node of [...this.root.loose]) {
      const twin = page.loose.get(node.row.key);
      if (twin) page.loose.remove(twin);
      this.root.loose.remove(node);
      page.loose.insert(node, null);
    }
    for (const [key, home] of this.root.homes) {
      page.homes.set(key, home === this.root.loose ? page.loose : home);
    }
    this.root = page;
    this.#hold(value);
    return [{ what: "window" }];
  }

  /** @param {WindowValue} value */
  #hold(value) {
    this.position = value.position;
    this.historyComplete = value.history_complete;
    this.before = value.before ?? null;
    this.view = value.view ?? this.view;
  }

  /**
   * Applies one delta.
   *
   * @param {{from: number, to: number, epoch: string, ops: Op[]}} delta
   * @returns {Patch[]}
   * @throws {OutOfStep} the store is as it was before
   */
  apply(delta) {
    if (!this.position || this.position.epoch !== delta.epoch || this.position.version !== delta.from) {
      throw new OutOfStep(`a delta from ${delta.epoch}/${delta.from} does not follow`);
    }
    const unknown = delta.ops.find((op) => !Object.hasOwn(APPLY, op.op));
    if (unknown) throw new OutOfStep(`unknown op ${unknown.op}`);
    /** @type {Undo} */
    const undo = [];
    try {
      const patches = delta.ops.flatMap((op) => {
        const thread = this.#into(op.in ?? [], undo);
        return thread ? applyOp(thread, op, undo) : [];
      });
      this.position = { epoch: delta.epoch, version: delta.to };
      return patches;
    } catch (problem) {
      for (const step of undo.reverse()) step();
      throw problem;
    }
  }

  /** @param {string[]} path @param {Undo} undo @returns {Thread | null} a delegate's first op makes its transcript */
  #into(path, undo) {
    /** @type {Thread | null} */
    let thread = this.root;
    for (const callId of path) {
      /** @type {RowNode | null} */
      const node = /** @type {Thread} */ (thread).call(callId);
      if (!node) return null;
      if (!node.thread) {
        node.thread = new Thread();
        undo.push(() => (node.thread = null));
      }
      thread = node.thread;
    }
    return thread;
  }

  /** @returns {ThreadValue} what is held, as the wire writes it */
  toValue() {
    return valueOf(this.root);
  }
}

/** @param {Thread} thread @returns {ThreadValue} */
function valueOf(thread) {
  return {
    session_rows: [...thread.loose].map(rowValueOf),
    turns: [...thread.turns.values()].map((turn) => ({
      turn: turn.turn,
      ...turn.facts,
      rows: [...turn.rows].map(rowValueOf),
    })),
  };
}

/** @param {RowNode} node @returns {Row} */
function rowValueOf(node) {
  return node.thread ? { ...node.row, delegate: valueOf(node.thread) } : node.row;
}

/** @param {ThreadValue} value @param {Thread | null} held @returns {Thread} */
function threadOf(value, held) {
  const thread = new Thread();
  fill(thread, thread.loose, value.session_rows ?? [], held?.loose ?? null);
  for (const { turn: number, rows, ...facts } of value.turns ?? []) {
    const old = held?.turns.get(number) ?? null;
    // A turn that is cut over several parts comes in each: its rows go on, its facts are those of the first.
    const begun = thread.turns.get(number);
    const turn = begun ?? new Turn(number);
    if (!begun) turn.facts = old && sameValue(old.facts, facts) ? old.facts : facts;
    thread.turns.set(number, turn);
    fill(thread, turn.rows, rows, old?.rows ?? null);
  }
  return thread;
}

/** @param {Thread} thread @param {RowList} list @param {Row[]} rows @param {RowList | null} held */
function fill(thread, list, rows, held) {
  for (const row of rows) {
    const node = nodeOf(row, held?.get(row.key) ?? null);
    const twin = list.get(row.key);
    if (twin) list.remove(twin);
    list.insert(node, null);
    if (row.kind === "tool_call") thread.homes.set(row.key, list);
  }
}

/** @param {Row} value @param {RowNode | null} held @returns {RowNode} */
function nodeOf(value, held) {
  const { delegate, ...row } = value;
  const kept = held && sameValue(held.row, row) ? held.row : row;
  return new RowNode(kept, delegate ? threadOf(delegate, held?.thread ?? null) : null);
}

/** @param {Thread} thread @param {Op} op @param {Undo} undo @returns {Patch[]} */
function applyOp(thread, op, undo) {
  return APPLY[op.op](thread, op, undo);
}

/** @param {Op} op @returns {string[]} */
function pathOf(op) {
  return op.in ?? [];
}

/** @param {Thread} thread @param {Op} op @param {Undo} undo @returns {Patch[]} */
function setTurn(thread, op, undo) {
  const { op: _name, in: _path, turn, ...facts } = op;
  const number = /** @type {number} */ (turn);
  if (!thread.turns.has(number)) {
    const made = new Turn(number);
    made.facts = { status: "open", spec: null, presentation: null };
    thread.turns.set(number, made);
    undo.push(() => thread.turns.delete(number));
  }
  return setFacts(thread, op, facts, undo);
}

/** @param {Thread} thread @param {Op} op @param {object} facts @param {Undo} undo @returns {Patch[]} */
function setFacts(thread, op, facts, undo) {
  const turn = thread.turns.get(/** @type {number} */ (op.turn));
  if (!turn) return [];
  const old = turn.facts;
  turn.facts = { ...old, ...facts };
  undo.push(() => (turn.facts = old));
  return [{ what: "turn", path: pathOf(op), turn: turn.turn }];
}

/** @param {Thread} thread @param {Op} op @param {Undo} undo @returns {Patch[]} */
function setPresentation(thread, op, undo) {
  const turn = thread.turns.get(/** @type {number} */ (op.turn));
  if (!turn) return [];
  const held = turn.facts.presentation ?? null;
  const presentation = changed(held, op.path ?? [], op);
  if (presentation === undefined) throw new OutOfStep(`no ${(op.path ?? []).join("/")} in the presentation`);
  return setFacts(thread, op, { presentation }, undo);
}

/** @param {Thread} thread @param {Op} op @param {Undo} undo @returns {Patch[]} */
function setRow(thread, op, undo) {
  const { delegate, ...row } = /** @type {Row} */ (op.row);
  const list = thread.list(op.turn);
  if (!list) return [];
  const node = list.get(row.key);
  const place = { path: pathOf(op), turn: op.turn ?? null, key: row.key };
  if (!node) {
    insert(thread, list, nodeOf({ ...row, delegate }, null), op.before, undo);
    return [{ what: "row", ...place }];
  }
  const old = { row: node.row, thread: node.thread };
  undo.push(() => Object.assign(node, old));
  node.row = row;
  // A row op says that a call has a delegate, never what is in it: the one that is held stays.
  if (delegate && !node.thread) node.thread = threadOf(delegate, null);
  if (op.before === undefined) return [{ what: "row", ...place }];
  const next = node.next;
  list.remove(node);
  undo.push(() => {
    list.remove(node);
    list.insert(node, next);
  });
  list.insert(node, neighbour(list, op.before));
  return [{ what: "row", ...place }, { what: "move", ...place }];
}

/** @param {Thread} thread @param {RowList} list @param {RowNode} node @param {string | null | undefined} before @param {Undo} undo */
function insert(thread, list, node, before, undo) {
  const { key, kind } = node.row;
  list.insert(node, neighbour(list, before));
  undo.push(() => list.remove(node));
  if (kind !== "tool_call") return;
  const home = thread.homes.get(key);
  thread.homes.set(key, list);
  undo.push(() => (home ? thread.homes.set(key, home) : thread.homes.delete(key)));
}

/** @param {RowList} list @param {string | null | undefined} key @returns {RowNode | null} null: last */
function neighbour(list, key) {
  return (typeof key === "string" && list.get(key)) || null;
}

/** @param {Thread} thread @param {Op} op @param {Undo} undo @returns {Patch[]} */
function append(thread, op, undo) {
  const node = thread.find(op.turn, op.key);
  const at = op.block ?? 0;
  const text = op.text ?? "";
  const block = node?.row.blocks?.[at];
  if (!node || !block) return [];
  const blocks = [...(node.row.blocks ?? [])];
  blocks[at] = { ...block, text: (block.text ?? "") + text };
  replaceRow(node, { ...node.row, blocks }, undo);
  return [{ what: "append", path: pathOf(op), turn: op.turn ?? null, key: node.row.key, block: at, text }];
}

/** @param {Thread} thread @param {Op} op @param {Undo} undo @returns {Patch[]} */
function output(thread, op, undo) {
  const node = thread.find(op.turn, op.key);
  if (!node) return [];
  const text = op.text ?? "";
  const row = { ...node.row, progress: (node.row.progress ?? "") + text };
  if (op.bytes !== undefined) {
    replaceRow(node, { ...row, bytes: op.bytes }, undo);
    return [{ what: "row", path: pathOf(op), turn: op.turn ?? null, key: node.row.key }];
  }
  replaceRow(node, row, undo);
  return [{ what: "output", path: pathOf(op), turn: op.turn ?? null, key: node.row.key, text }];
}

/** @param {RowNode} node @param {Row} row @param {Undo} undo */
function replaceRow(node, row, undo) {
  const old = node.row;
  node.row = row;
  undo.push(() => (node.row = old));
}

/** @param {Thread} thread @param {Op} op @param {Undo} undo @returns {Patch[]} */
function remove(thread, op, undo) {
  const list = thread.list(op.turn);
  const node = thread.find(op.turn, op.key);
  if (!list || !node) return [];
  const next = node.next;
  list.remove(node);
  undo.push(() => list.insert(node, next));
  return [{ what: "remove", path: pathOf(op), turn: op.turn ?? null, key: node.row.key }];
}

/** @param {Thread} thread @param {Op} op @param {Undo} undo @returns {Patch[]} */
function drop(thread, op, undo) {
  const from = op.from ?? 0;
  const turns = thread.turns;
  thread.turns = new Map([...turns].filter(([number]) => number < from));
  undo.push(() => (thread.turns = turns));
  return [{ what: "drop", path: pathOf(op), from }];
}

/** @type {Record<string, (thread: Thread, op: Op, undo: Undo) => Patch[]>} */
const APPLY = {
  turn: setTurn,
  row: setRow,
  append,
  output,
  remove,
  drop_turns: drop,
  spec: (thread, op, undo) => setFacts(thread, op, { spec: op.spec ?? null }, undo),
  presentation: setPresentation,
};
