/**
 * One entry of a turn on the page: boundary row, the process behind its header, outside errors, answer, and what else stands
 * outside (C-1, C-3). It brings the order of display to what the entry says now, and says what left it.
 */

import { difference } from "./list_difference.js";
import { Place } from "./order_list.js";

/** @typedef {import("./types.js").DesktopEntry} DesktopEntry */
/** @typedef {import("./types.js").DesktopNode} DesktopNode */
/** @typedef {import("./desktop_turn.js").DesktopTurn} DesktopTurn */
/** @typedef {import("./desktop_places.js").Level} Level */
/** @typedef {import("./desktop_places.js").Part} Part */

/** @type {readonly DesktopNode[]} */
const NO_NODES = Object.freeze([]);
/** @type {readonly string[]} */
const NO_REFS = Object.freeze([]);

export class EntryView {
  /** @param {string} id @param {DesktopTurn} turn */
  constructor(id, turn) {
    this.id = id;
    this.turn = turn;
    this.start = new Place();
    /** In front of what stands outside; the process of a running turn grows before it. */
    this.tail = new Place({ roomy: true });
    this.end = new Place();
    /** @type {Level | null} */
    this.level = null;
    /** @type {DesktopEntry | null} */
    this.value = null;
    /** What stood outside of the process, as it was drawn. @type {readonly string[]} */
    this.around = NO_REFS;
    this.pass = 0;
  }

  /** @param {DesktopEntry} value @param {Place | null} before @param {number} pass @returns {Place} where the next entry begins behind */
  draw(value, before, pass) {
    const { order } = this.turn;
    const isMoved = order.put(before, this.start);
    const isWhole = isMoved || this.value === null;
    this.pass = pass;
    this.value = value;
    /** @type {Place} */
    let last = this.start;
    const outside = value.outside ?? NO_REFS;
    const errors = outside.filter(isError);
    const others = outside.filter((ref) => !isError(ref));
    if (value.boundary) {
      last = this.#put(last, value.boundary, "boundary");
      this.turn.stands.get(value.boundary)?.holder?.element.toggleAttribute("data-later", before !== null);
    }
    last = this.#process(value, last, isWhole);
    order.put(last, this.tail);
    last = this.tail;
    for (const ref of errors) last = this.#put(last, ref, "outside");
    for (const ref of value.answer ?? NO_REFS) last = this.#put(last, ref, "answer");
    for (const ref of others) last = this.#put(last, ref, "outside");
    order.put(last, this.end);
    const around = [...(value.boundary ? [value.boundary] : []), ...(value.answer ?? NO_REFS), ...outside];
    for (const ref of this.around) if (!around.includes(ref)) this.#retire(ref);
    this.around = around;
    this.markEnd();
    return this.end;
  }

  /** Where an open process ends and the answer begins is drawn; a closed one ends with its header. */
  markEnd() {
    const ref = this.value?.answer?.[0];
    const stand = ref === undefined ? undefined : this.turn.stands.get(ref);
    stand?.holder?.element.toggleAttribute("data-closes", this.level?.isOpen === true && !this.value?.outside?.some(isError));
  }

  /** The entry is gone; what another one names stays. */
  leave() {
    for (const ref of this.around) this.#retire(ref);
    if (this.level) this.#retireLevel(this.level);
    for (const place of [this.start, this.tail, this.end]) this.turn.order.remove(place);
  }

  /** @param {Place} last @param {string} ref @param {Part} part @returns {Place} */
  #put(last, ref, part) {
    return this.#seat(last, ref, part, [], null);
  }

  /** @param {Place} last @param {string} ref @param {Part} part @param {readonly Level[]} above @param {DesktopNode | null} node @returns {Place} */
  #seat(last, ref, part, above, node) {
    const { turn } = this;
    const stand = turn.stand(ref);
    turn.order.put(last, stand);
    stand.pass = turn.pass;
    stand.stand(part, above, node);
    stand.show();
    if (turn.pane) stand.open(turn.pane);
    return stand;
  }

  /** @param {string} ref */
  #retire(ref) {
    const stand = this.turn.stands.get(ref);
    if (stand) this.turn.leaving.push(stand);
  }

  /** @param {Level} level */
  #retireLevel(level) {
    this.turn.leaving.push(level);
    for (const node of level.nodes) this.#retireNode(node);
  }

  /** @param {DesktopNode} node */
  #retireNode(node) {
    const name = nameOf(node);
    if (name?.kind === "item") this.#retire(name.id);
    else if (name) {
      const level = this.turn.found(name.kind, name.id);
      if (level) this.#retireLevel(level);
    }
  }

  /** @param {DesktopEntry} value @param {Place} last @param {boolean} isWhole @returns {Place} */
  #process(value, last, isWhole) {
    const { disclosure } = value;
    if (!disclosure) {
      if (this.level) this.#retireLevel(this.level);
      this.level = null;
      return last;
    }
    const isNew = this.level === null;
    const level = (this.level ??= this.turn.level("entry", this.id, null));
    level.header.drawEntry(disclosure.header ?? { status: "" }, value.active === true);
    return this.#fill(level, disclosure.default_open === true, disclosure.items ?? NO_NODES, last, isWhole || isNew);
  }

  /**
   * Brings a level's nodes to what they are now.
   *
   * @param {Level} level
   * @param {boolean} defaultOpen
   * @param {readonly DesktopNode[]} nodes
   * @param {Place} before
   * @param {boolean} isWhole true: its places are to be put in order again, whatever stayed the same
   * @returns {Place} its last place
   */
  #fill(level, defaultOpen, nodes, before, isWhole) {
    const { turn } = this;
    const isMoved = turn.order.put(before, level) || isWhole;
    level.pass = turn.pass;
    level.defaultOpen = defaultOpen;
    const hasTurned = turn.pane !== null && level.open(turn.pane);
    level.show();
    const { at, removed, added } = isMoved ? { at: 0, removed: level.nodes, added: nodes } : difference(level.nodes, nodes);
    const names = new Set(added.map(keyOfNode));
    for (const node of removed) if (!names.has(keyOfNode(node))) this.#retireNode(node);
    level.nodes = nodes;
    let last = at > 0 ? this.#lastOf(nodes[at - 1]) : level;
    for (const node of added) last = this.#node(level, node, last, isMoved);
    if (hasTurned) this.#showAll(level);
    turn.settleHeader(level);
    return nodes.length > 0 ? this.#lastOf(nodes[nodes.length - 1]) : level;
  }

  /** @param {Level} level @param {DesktopNode} node @param {Place} last @param {boolean} isWhole @returns {Place} */
  #node(level, node, last, isWhole) {
    const name = nameOf(node);
    if (!name) return last;
    if (name.kind === "item") return this.#seat(last, name.id, node.kind === "message" ? "message" : "activity", level.inside, node);
    const container = this.turn.level(name.kind, name.id, level);
    container.header.drawContainer(node);
    return this.#fill(container, node.default_open === true, node.items ?? node.tasks ?? NO_NODES, last, isWhole);
  }

  /** @param {DesktopNode} node @returns {Place} */
  #lastOf(node) {
    const name = nameOf(node);
    if (!name) return this.start;
    if (name.kind === "item") return this.turn.stand(name.id);
    const level = this.turn.found(name.kind, name.id);
    if (!level) return this.start;
    return level.nodes.length ? this.#lastOf(level.nodes[level.nodes.length - 1]) : level;
  }

  /** The level opened or closed: all in it shows or not. @param {Level} level */
  #showAll(level) {
    for (const node of level.nodes) {
      const name = nameOf(node);
      if (name?.kind === "item") this.turn.stands.get(name.id)?.show();
      else if (name) {
        const inner = this.turn.found(name.kind, name.id);
        inner?.show();
        if (inner) this.#showAll(inner);
      }
    }
  }
}

/** @param {string} ref */
function isError(ref) {
  return ref.startsWith("error:") || ref.startsWith("max_tokens:");
}

/** @param {DesktopNode} node @returns {{kind: "item" | "group" | "topology", id: string} | null} null: of a kind that is not ours */
function nameOf(node) {
  if (typeof node.ref === "string") return { kind: "item", id: node.ref };
  if (typeof node.group === "string") return { kind: "group", id: node.group };
  return typeof node.topology === "string" ? { kind: "topology", id: node.topology } : null;
}

/** @param {DesktopNode} node */
function keyOfNode(node) {
  const name = nameOf(node);
  return name ? `${name.kind}:${name.id}` : "";
}
