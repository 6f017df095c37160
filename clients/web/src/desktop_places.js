/**
 * What stands in a turn of the desktop presentation, each in its place of the order of display: rows and blocks in their
 * seats, and the headers between them.
 */

import { setVisibility } from "./disclosure.js";
import { isOpen } from "./expansion/levels.js";
import { keyOf } from "./expansion/state.js";
import { LevelHeader } from "./level_header.js";
import { Place } from "./order_list.js";

/** @typedef {import("./expansion/state.js").Address} Address */
/** @typedef {import("./expansion/state.js").Pane} Pane */
/** @typedef {import("./types.js").DesktopNode} DesktopNode */
/** @typedef {import("./page_context.js").RowDetail} RowDetail */
/** @typedef {"boundary" | "activity" | "message" | "answer" | "outside"} Part */

/**
 * What a row or block is on the page.
 * @typedef {{element: HTMLElement, opened: () => boolean, own: () => import("./disclosure.js").Openable | undefined,
 *   detail?: (detail: RowDetail | null) => void}} Holder
 */

/** A row or block, named by its ref, wherever it stands now. */
export class Stand extends Place {
  /** @param {string} ref @param {readonly string[]} path */
  constructor(ref, path) {
    super();
    this.ref = ref;
    /** @type {Address} */
    this.at = { kind: "item", id: ref, path };
    this.key = keyOf(this.at);
    /** What it stands in, the outermost first. @type {readonly Level[]} */
    this.above = [];
    /** @type {DesktopNode | null} */
    this.node = null;
    /** @type {Part} */
    this.part = "activity";
    /** @type {Holder | null} */
    this.holder = null;
    /** What stands right below it and shows where it does. @type {HTMLElement | null} */
    this.below = null;
    /** The last arranging that named it. */
    this.pass = 0;
  }

  /** @returns {HTMLElement | undefined} */
  get element() {
    return this.holder?.element;
  }

  /** @param {HTMLElement | null} below */
  follow(below) {
    if (this.below === below) return;
    this.below = below;
    if (!below || !this.holder) return;
    this.#mark();
    this.show();
  }

  /** @param {Holder | null} holder null: it is not held, or no more */
  attach(holder) {
    this.holder = holder;
    if (holder) this.#mark();
  }

  /** @param {Part} part @param {readonly Level[]} above @param {DesktopNode | null} node */
  stand(part, above, node) {
    this.part = part;
    this.above = above;
    this.node = node;
    if (this.holder) this.#mark();
  }

  #mark() {
    for (const element of this.#elements()) {
      element.dataset.part = this.part;
      element.toggleAttribute("data-inside", this.above.length > 1);
      if (this.part !== "answer") element.removeAttribute("data-closes");
      element.style.order = String(this.order);
    }
  }

  *#elements() {
    if (!this.holder) return;
    yield this.holder.element;
    if (this.below) yield this.below;
  }

  ordered() {
    for (const element of this.#elements()) element.style.order = String(this.order);
  }

  /** Shows as much as what is above it lets through. */
  show() {
    const isShown = this.above.every((level) => level.isOpen);
    for (const element of this.#elements()) setVisibility(element, isShown ? "shown" : this.isWord ? "absent" : "folded");
  }

  get isWord() {
    return this.node?.indicator === true;
  }

  /** Whether there is something to open in it. */
  get opens() {
    return this.node?.default_open !== undefined;
  }

  /** @param {Pane} pane */
  open(pane) {
    if (!this.opens) return;
    this.holder?.detail?.({ open: !this.isWord && this.isOpen(pane), indicator: this.isWord });
  }

  /** @param {Pane} pane */
  isOpen(pane) {
    return isOpen(pane, { at: this.at, key: this.key, default_open: this.node?.default_open ?? null, above: [], single: null });
  }

  /** It is in no list any more. @param {boolean} isHidden what no presentation names does not show */
  let(isHidden) {
    for (const element of this.#elements()) {
      clear(element);
      setVisibility(element, isHidden ? "absent" : "shown");
    }
    this.holder?.detail?.(null);
  }
}

/** What a presentation wrote on an element is taken off. @param {HTMLElement} element */
function clear(element) {
  delete element.dataset.part;
  element.removeAttribute("data-inside");
  element.removeAttribute("data-closes");
  element.removeAttribute("data-later");
  element.style.order = "";
}

/** An entry's process, a group or a topology: a header, and the nodes that it opens. */
export class Level extends Place {
  /** @param {"entry" | "group" | "topology"} kind @param {string} id @param {import("./desktop_turn.js").DesktopTurn} turn */
  constructor(kind, id, turn) {
    super();
    const { path } = turn.section;
    /** @type {Address} */
    this.at = { kind, id, path };
    this.key = keyOf(this.at);
    /** What it stands in. @type {readonly Level[]} */
    this.above = [];
    /** What stands in it stands in these. @type {readonly Level[]} */
    this.inside = [this];
    this.defaultOpen = false;
    this.isOpen = false;
    /** The nodes as they were drawn. @type {readonly DesktopNode[]} */
    this.nodes = [];
    this.pass = 0;
    this.header = new LevelHeader(this.at, turn.board.words, () => turn.toggle(this.at), () => this.controlled());
    if (this.header.bar) this.header.bar.lowest = () => this.lowest();
  }

  /** @param {Level | null} holder */
  hold(holder) {
    if (this.above[0] === (holder ?? undefined)) return;
    this.above = holder ? [holder] : [];
    this.inside = [...this.above, this];
  }

  ordered() {
    this.header.element.style.order = String(this.order);
  }

  /** @param {Pane} pane @returns {boolean} whether that is another state than before */
  open(pane) {
    const open = isOpen(pane, { at: this.at, key: this.key, default_open: this.defaultOpen, above: [], single: null });
    if (open === this.isOpen) return false;
    this.isOpen = open;
    this.header.setOpen(open);
    return true;
  }

  show() {
    this.header.show(this.above.every((level) => level.isOpen) ? "shown" : "absent");
  }

  /** @returns {HTMLElement} */
  get element() {
    return this.header.element;
  }

  /** The first header or row that it opens, as far as it is in the document. @returns {HTMLElement | null} */
  firstElement() {
    for (let place = this.next; place; place = place.next) {
      if (!(place instanceof Stand || place instanceof Level) || !place.above.includes(this)) return null;
      if (place.element?.parentElement) return place.element;
    }
    return null;
  }

  /** The lowest row of it that shows. @returns {Element | null} */
  lowest() {
    let lowest = null;
    for (const { element } of this.#stands()) if (element && !element.hasAttribute("hidden")) lowest = element;
    return lowest;
  }

  /** The ids of what it opens. @returns {string[]} */
  controlled() {
    return [...this.#stands()].flatMap(({ element }) => {
      if (!element) return [];
      element.id ||= `part-${(parts += 1)}`;
      return [element.id];
    });
  }

  /** @returns {Generator<Stand>} what it opens, in the order of display */
  *#stands() {
    for (let place = this.next; place; place = place.next) {
      if (place instanceof Stand && place.above.includes(this)) yield place;
      else if (!(place instanceof Level && place.above.includes(this))) return;
    }
  }
}

let parts = 0;
