/**
 * Rows in the order of their places, found by key.
 *
 * A linked list, because a row is put in, moved or taken out at any place of a turn of 10,000 rows and the cost
 * has to follow the change, not the turn.
 */

/** @typedef {import("./types.js").Row} Row */
/** @typedef {import("./transcript.js").Thread} Thread */

/** One row's node. `row` is replaced, never changed; `thread` is the transcript of the delegate that it called. */
export class RowNode {
  /** @param {Row} row @param {Thread | null} thread */
  constructor(row, thread) {
    this.row = row;
    this.thread = thread;
    /** @type {RowNode | null} */
    this.prev = null;
    /** @type {RowNode | null} */
    this.next = null;
  }
}

export class RowList {
  constructor() {
    /** @type {Map<string, RowNode>} */
    this.nodes = new Map();
    /** @type {RowNode | null} */
    this.first = null;
    /** @type {RowNode | null} */
    this.last = null;
  }

  /** @returns {number} */
  get size() {
    return this.nodes.size;
  }

  /** @param {string} key @returns {RowNode | undefined} */
  get(key) {
    return this.nodes.get(key);
  }

  /** @param {RowNode} node @param {RowNode | null} before null: last */
  insert(node, before) {
    node.next = before;
    node.prev = before ? before.prev : this.last;
    if (node.prev) node.prev.next = node;
    else this.first = node;
    if (before) before.prev = node;
    else this.last = node;
    this.nodes.set(node.row.key, node);
  }

  /** @param {RowNode} node */
  remove(node) {
    if (node.prev) node.prev.next = node.next;
    else this.first = node.next;
    if (node.next) node.next.prev = node.prev;
    else this.last = node.prev;
    this.nodes.delete(node.row.key);
    node.prev = null;
    node.next = null;
  }

  /** @returns {Generator<RowNode>} in the order of places */
  *[Symbol.iterator]() {
    for (let node = this.first; node; node = node.next) yield node;
  }
}
