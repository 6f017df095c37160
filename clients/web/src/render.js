/**
 * Draws one session's transcript, once a frame of the screen, and derives what shows of it.
 *
 * 1. What it draws from: the store, the reader's expansion, the mode, the link. It keeps no facts of its own.
 * 2. The cost of a frame follows what changed in it, and rows beyond what one frame bears follow in the next.
 * 3. The browser's search opens what it finds (E-2).
 */

import { Attention } from "./attention.js";
import { el } from "./element.js";
import { GUTTER_PX } from "./fold_bar.js";
import { Pending } from "./pending.js";
import { Slices } from "./slices.js";
import { ThreadView } from "./thread_view.js";

/** @typedef {import("./transcript.js").Transcript} Transcript */
/** @typedef {import("./transcript.js").Patch} Patch */
/** @typedef {import("./thread_view.js").Board} Board */
/** @typedef {import("./turn_section.js").TurnSection} TurnSection */
/** @typedef {import("./seat.js").Seat} Seat */
/** @typedef {import("./row_list.js").RowNode} RowNode */

export class TranscriptView {
  /**
   * @param {Transcript} transcript
   * @param {Omit<Board, "drawThread" | "dropThread" | "owners" | "window" | "slices" | "view" | "outer" | "attention" | "places" | "placeOf" | "derive"> & {options: () => import("./reader_options.js").ReaderOptions}} page
   * @param {{following: boolean, around: (change: () => void) => void}} scroller
   * @param {() => void} onDrawn after each frame that drew something
   */
  constructor(transcript, page, scroller, onDrawn) {
    this.transcript = transcript;
    this.scroller = scroller;
    this.onDrawn = onDrawn;
    this.element = el("div", { class: "thread" });
    this.pending = new Pending();
    this.slices = new Slices();
    this.scheduled = 0;
    /** The delegates' transcripts, by their call's seat. @type {WeakMap<Seat, ThreadView>} */
    this.nested = new WeakMap();
    /** The same by their path. @type {Map<string, ThreadView>} */
    this.byPath = new Map();
    /** @type {Board} */
    this.board = {
      ...page,
      slices: this.slices,
      window: () => {
        const { mode, foldPartial } = page.options();
        return { mode, history_complete: transcript.historyComplete, fold_partial: foldPartial };
      },
      drawThread: (seat, node, path) => this.#drawThread(seat, node, path),
      dropThread: (seat) => this.#dropThread(seat),
      owners: new WeakMap(),
      view: () => (transcript.view?.kind === "desktop" ? "desktop" : "web"),
      outer: (path) => this.#outer(path),
      attention: () => this.attention.points(),
      places: new WeakMap(),
      placeOf: (node) => this.attention.placeOf(node),
      derive: () => this.derive(),
    };
    this.attention = new Attention(this.element, this.board.places, () => this.#sections());
    this.root = new ThreadView(this.element, [], this.board);
    this.element.addEventListener("beforematch", (event) => this.#found(event.target));
    this.element.addEventListener("disclosure", (event) => this.#toggled(/** @type {CustomEvent} */ (event)));
    this.element.addEventListener("pointermove", (event) => this.#pointed(event)?.bar?.show());
    this.element.addEventListener("click", (event) => this.#pointed(event)?.button.click());
  }

  /** @param {Patch[]} patches */
  add(patches) {
    this.pending.add(patches);
    if (!this.pending.empty) this.#schedule();
  }

  #schedule() {
    this.scheduled ||= requestAnimationFrame(() => this.flush());
  }

  /** Draws what is pending, now. */
  flush() {
    cancelAnimationFrame(this.scheduled);
    this.scheduled = 0;
    if (this.pending.empty && this.slices.empty) return;
    const pending = this.pending;
    this.pending = new Pending();
    this.slices.begin(this.scroller.following);
    this.scroller.around(() => {
      this.#draw(pending);
      if (this.slices.left > 0) this.slices.next();
    });
    if (!this.slices.empty) this.#schedule();
    this.onDrawn();
  }

  /** Another mode or option: only what shows is derived again. */
  derive() {
    this.scroller.around(() => {
      for (const section of this.#sections()) section.derive();
    });
  }

  /** The element of a place, with everything around it opened; null: it is not drawn. @param {import("./address.js").Target} target @returns {HTMLElement | null} */
  reveal(target) {
    if (target.turn !== undefined) return this.root.sections.get(target.turn)?.element ?? null;
    const found = this.#seatAt(target);
    if (!found) return null;
    found.finish();
    const inner = this.#innermost(target);
    inner?.section.reveal(inner.place);
    const { element } = found;
    for (let panel = element.parentElement?.closest(".panel[hidden]"); panel; panel = panel.parentElement?.closest(".panel[hidden]")) {
      // As the browser's own search does, so that each kind of disclosure opens in its way.
      panel.dispatchEvent(new Event("beforematch", { bubbles: true }));
    }
    return boxOf(element, target.ref);
  }

  /** The row of a key, where it is held. @param {string} key @param {readonly string[]} path @returns {RowNode | null} */
  rowAt(key, path) {
    const thread = this.transcript.thread([...path]);
    if (!thread) return null;
    const loose = thread.loose.get(key);
    if (loose) return loose;
    for (const turn of thread.turns.values()) {
      const node = turn.rows.get(key);
      if (node) return node;
    }
    return null;
  }

  /** @param {{key: string, in: readonly string[]}} target @returns {Seat | null} */
  #seatAt({ key, in: path }) {
    const node = this.rowAt(key, path);
    const view = path.length ? this.byPath.get(JSON.stringify(path)) : this.root;
    return (node && view?.seatOf(node.row)) || null;
  }

  /** The innermost turn that a place stands in, and what of it leads there. @param {{key: string, in: readonly string[], ref?: string, reasoning?: boolean}} target */
  #innermost({ key, in: path, ref = key, reasoning = false }) {
    const keys = [...path.map((call) => `tool:${call}`), key];
    for (let depth = path.length; depth >= 0; depth -= 1) {
      const row = this.rowAt(keys[depth], path.slice(0, depth))?.row;
      const view = depth ? this.byPath.get(JSON.stringify(path.slice(0, depth))) : this.root;
      const section = typeof row?.turn === "number" ? view?.sections.get(row.turn) : undefined;
      if (section) return { section, place: depth === path.length ? { ref, reasoning } : { ref: keys[depth] } };
    }
    return null;
  }

  /** The seconds of the open turns go on; the link was lost or is back. */
  tick() {
    for (const section of this.#sections()) {
      if (section.turn.facts.status !== "closed") section.drawStatus();
    }
  }

  stop() {
    cancelAnimationFrame(this.scheduled);
    this.attention.stop();
    this.element.remove();
  }

  /** @returns {Generator<TurnSection>} */
  *#sections() {
    yield* this.root.sections.values();
    for (const view of this.byPath.values()) yield* view.sections.values();
  }

  /** @param {Pending} pending */
  #draw(pending) {
    if (pending.window) {
      this.element.dataset.view = this.board.view();
      this.root.drawAll(this.transcript.root);
      return;
    }
    for (const change of pending.outermostFirst()) {
      const thread = this.transcript.thread(change.path);
      if (!thread) continue;
      const view = change.path.length ? this.byPath.get(JSON.stringify(change.path)) : this.root;
      if (view) view.draw(thread, change);
      else this.#drawNew(change.path);
    }
  }

  /** A delegate that began below a row that is drawn already. @param {string[]} path */
  #drawNew(path) {
    const outer = path.slice(0, -1);
    const thread = this.transcript.thread(outer);
    const node = thread?.call(path[path.length - 1]);
    const view = outer.length ? this.byPath.get(JSON.stringify(outer)) : this.root;
    if (!node || !view) return;
    const seat = view.seatOf(node.row);
    if (seat) this.#drawThread(seat, node, path);
  }

  /** @param {Seat} seat @param {RowNode} node @param {string[]} path */
  #drawThread(seat, node, path) {
    const element = seat.view?.thread?.();
    if (!element || !node.thread) return;
    let view = this.nested.get(seat);
    if (!view) {
      view = new ThreadView(element, path, this.board);
      this.nested.set(seat, view);
      this.byPath.set(JSON.stringify(path), view);
    }
    view.drawAll(node.thread);
  }

  /** @param {Seat} seat */
  #dropThread(seat) {
    const view = this.nested.get(seat);
    if (view) this.byPath.delete(JSON.stringify(view.path));
  }

  /** @param {EventTarget | null} target what the browser is about to show */
  #found(target) {
    if (!(target instanceof Element)) return;
    const seat = target.closest(".seat");
    if (seat) this.board.owners.get(seat)?.found(target);
  }

  /** The reader used a row's own disclosure. @param {CustomEvent<import("./disclosure.js").Openable>} event */
  #toggled(event) {
    const place = event.target instanceof Element ? this.board.placeOf(event.target) : null;
    if (!place || this.board.view() !== "desktop" || !place.turn.owns(place.at, event.detail)) return;
    event.preventDefault();
    place.turn.toggle(place.at);
  }

  /** The header of the group in whose gutter somebody points, if it is open. @param {PointerEvent | MouseEvent} event */
  #pointed(event) {
    const { target } = event;
    if (!(target instanceof HTMLElement) || target.dataset.inside === undefined || event.offsetX >= GUTTER_PX) return null;
    const place = this.board.places.get(target);
    return place?.turn.headerOver(place.at) ?? null;
  }

  /** The turns around a delegate's transcript, the outermost first. @param {readonly string[]} path */
  #outer(path) {
    const outer = [];
    let thread = /** @type {import("./transcript.js").Thread | null} */ (this.transcript.root);
    for (let depth = 0; thread && depth < path.length; depth += 1) {
      const node = thread.call(path[depth]);
      const turn = typeof node?.row.turn === "number" ? thread.turns.get(node.row.turn) : undefined;
      if (turn) {
        const { status, presentation } = turn.facts;
        outer.push({ turn: turn.turn, status, presentation: /** @type {any} */ (presentation), rows: turn.rows.nodes, path: path.slice(0, depth) });
      }
      thread = node?.thread ?? null;
    }
    return outer;
  }
}

/**
 * What of a seat has a box: itself; of one that is laid out part by part the block that is meant, or the first that shows.
 *
 * @param {HTMLElement} element @param {string} [ref] @returns {HTMLElement}
 */
function boxOf(element, ref = "") {
  if (element.getClientRects().length > 0) return element;
  const parts = [.../** @type {NodeListOf<HTMLElement>} */ (element.querySelectorAll(":scope > .row > .blocks > .block"))];
  const at = /^step:.*#(\d+)$/.exec(ref)?.[1];
  const meant = at === undefined ? [] : parts.slice(Number(at), Number(at) + 1);
  return [...meant, ...parts].find((part) => part.getClientRects().length > 0) ?? element;
}
