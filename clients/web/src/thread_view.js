/**
 * One transcript on the page: the session's own or a delegate's. Turns in their order, with the rows of no turn between.
 *
 * @typedef {import("./page_context.js").PageContext & {
 *   session: string,
 *   live: () => boolean,
 *   nowMs: () => number,
 *   window: () => import("./expansion/actions.js").Window,
 *   expansion: () => import("./expansion/state.js").Pane,
 *   focusFirst: (action: import("./expansion/actions.js").Action) => import("./expansion/state.js").Address | null,
 *   dispatch: (action: import("./expansion/actions.js").Action) => void,
 *   drawThread: (seat: Seat, node: RowNode, path: string[]) => void,
 *   dropThread: (seat: Seat) => void,
 *   owners: WeakMap<Element, TurnSection>,
 *   view: () => "web" | "desktop",
 *   outer: (path: readonly string[]) => import("./expansion/actions.js").DesktopTurn[],
 *   attention: () => import("./expansion/actions.js").Point[],
 *   places: WeakMap<Element, import("./attention.js").Placed>,
 *   placeOf: (node: Node | null) => import("./attention.js").Placed | null,
 *   derive: () => void,
 * }} Board what the parts of a transcript share
 *
 * @typedef {import("./transcript.js").Thread} Thread
 * @typedef {import("./transcript.js").Turn} Turn
 * @typedef {import("./row_list.js").RowNode} RowNode
 * @typedef {import("./pending.js").ThreadChange} ThreadChange
 * @typedef {import("./pending.js").TurnChange} TurnChange
 * @typedef {import("./words.js").Words} Words
 */

import { Seat } from "./seat.js";
import { TurnSection } from "./turn_section.js";

export class ThreadView {
  /** @param {HTMLElement} element @param {string[]} path @param {Board} board */
  constructor(element, path, board) {
    this.element = element;
    this.path = path;
    this.board = board;
    /** @type {Map<number, TurnSection>} */
    this.sections = new Map();
    /** @type {Map<string, Seat>} */
    this.loose = new Map();
    /** @type {Thread | null} */
    this.thread = null;
  }

  /** Brings all of it to what the store holds. @param {Thread} thread */
  drawAll(thread) {
    this.thread = thread;
    for (const [number, section] of this.sections) {
      if (!thread.turns.has(number)) this.#dropSection(number, section);
    }
    for (const [key, seat] of this.loose) if (!thread.loose.get(key)) this.#dropLoose(key, seat);
    for (const turn of thread.turns.values()) this.#section(turn).drawAll(turn);
    for (const node of thread.loose) this.#drawLoose(node);
    this.#order(thread);
  }

  /** @param {Thread} thread @param {ThreadChange} change */
  draw(thread, change) {
    if (change.whole || thread !== this.thread) {
      this.drawAll(thread);
      return;
    }
    for (const [number, part] of change.turns) {
      if (number === null) this.#drawLooseChange(thread, part);
      else this.#drawTurn(thread, number, part);
    }
  }

  /** @param {import("./types.js").Row} row @returns {Seat | undefined} */
  seatOf(row) {
    if (row.turn === null || row.turn === undefined) return this.loose.get(row.key);
    return this.sections.get(row.turn)?.seats.get(row.key);
  }

  /** @param {Thread} thread @param {number} number @param {TurnChange} change */
  #drawTurn(thread, number, change) {
    const turn = thread.turns.get(number);
    const section = this.sections.get(number);
    if (!turn) {
      if (section) this.#dropSection(number, section);
    } else if (section && section.turn === turn) {
      section.draw(change);
    } else {
      this.#section(turn).drawAll(turn);
      if (!section) this.#order(thread);
    }
  }

  /** @param {Thread} thread @param {TurnChange} change */
  #drawLooseChange(thread, change) {
    for (const [key, row] of change.rows) {
      const node = thread.loose.get(key);
      const seat = this.loose.get(key);
      if (!node) this.#dropLoose(key, seat);
      else if (seat) seat.grow(node, row);
      else this.#drawLoose(node);
    }
    this.#order(thread);
  }

  /** @param {Turn} turn @returns {TurnSection} */
  #section(turn) {
    let section = this.sections.get(turn.turn);
    if (!section) {
      section = new TurnSection(turn, this.path, this.board);
      this.sections.set(turn.turn, section);
      this.element.append(section.element);
    }
    return section;
  }

  /** @param {number} number @param {TurnSection} section */
  #dropSection(number, section) {
    for (const seat of section.seats.values()) this.board.dropThread(seat);
    section.element.remove();
    this.sections.delete(number);
  }

  /** @param {RowNode} node */
  #drawLoose(node) {
    let seat = this.loose.get(node.row.key);
    if (!seat) {
      seat = new Seat(node.row, this.board, () => undefined);
      this.loose.set(node.row.key, seat);
    }
    seat.draw(node);
    if (node.thread) this.board.drawThread(seat, node, [...this.path, String(node.row.call_id)]);
  }

  /** @param {string} key @param {Seat | undefined} seat */
  #dropLoose(key, seat) {
    seat?.element.remove();
    this.loose.delete(key);
  }

  /** Turns and the rows of no turn, by anchor; what stands in its place already is not touched. @param {Thread} thread */
  #order(thread) {
    let at = this.element.firstElementChild;
    /** @param {Element | undefined} element */
    const put = (element) => {
      if (!element) return;
      if (element === at) at = at.nextElementSibling;
      else this.element.insertBefore(element, at);
    };
    let loose = thread.loose.first;
    for (const turn of thread.turns.values()) {
      const start = turn.rows.first?.row.anchor ?? -1;
      for (; loose && (loose.row.anchor ?? 0) < start; loose = loose.next) put(this.loose.get(loose.row.key)?.element);
      put(this.sections.get(turn.turn)?.element);
    }
    for (; loose; loose = loose.next) put(this.loose.get(loose.row.key)?.element);
  }
}
