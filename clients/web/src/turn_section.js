/**
 * One turn on the page: its rows' seats in their places, and what it is doing below them. Which seats show is derived
 * by the presentation that is shown (`web_turn.js`, `desktop_turn.js`); seats are never taken out, moved or made anew for it,
 * nor for a change of presentation (E-1).
 */

import { blocksOf, textOf } from "./blocks.js";
import { el, setText } from "./element.js";
import { DesktopTurn } from "./desktop_turn.js";
import { Seat } from "./seat.js";
import { Shelves } from "./shelves.js";
import { WebTurn } from "./web_turn.js";

/** @typedef {import("./transcript.js").Turn} Turn */
/** @typedef {import("./row_list.js").RowNode} RowNode */
/** @typedef {import("./pending.js").TurnChange} TurnChange */
/** @typedef {import("./thread_view.js").Board} Board */

/** A turn that seems to run for longer was recorded elsewhere, at another time: its duration would be a made-up one. */
const LONGEST_MS = 24 * 3_600_000;

export class TurnSection {
  /** @param {Turn} turn @param {string[]} path @param {Board} board */
  constructor(turn, path, board) {
    this.turn = turn;
    this.path = path;
    this.board = board;
    this.element = el("section", { class: "turn", "data-turn": String(turn.turn), "aria-label": board.words.fill(board.words.turn_number, { n: turn.turn }) });
    this.queue = el("div", { class: "queue", hidden: true });
    this.statusText = el("span", { class: "label" });
    this.elapsed = el("span", { class: "elapsed" });
    this.status = el("div", { class: "turn-status", hidden: true }, this.statusText, this.elapsed);
    this.element.append(this.queue, this.status);
    this.shelves = new Shelves(this.element, this.queue);
    /** @type {Map<string, Seat>} */
    this.seats = new Map();
    /** The presentation that is shown. @type {WebTurn | DesktopTurn} */
    this.shown = new WebTurn(this);
  }

  /** Brings all of it to what the store holds. @param {Turn} turn */
  drawAll(turn) {
    this.turn = turn;
    this.#present();
    for (const [key, seat] of this.seats) if (!turn.rows.get(key)) this.#drop(seat);
    for (const node of turn.rows) this.#drawRow(node);
    this.#order();
    this.drawFacts();
  }

  /** Hands over to the presentation of what is held; the seats stay. */
  #present() {
    const isDesktop = this.board.view() === "desktop";
    if (isDesktop === this.shown instanceof DesktopTurn) return;
    this.shown.leave();
    this.shown = isDesktop ? new DesktopTurn(this) : new WebTurn(this);
    for (const seat of this.seats.values()) this.shown.placed(seat, true);
  }

  /** @param {TurnChange} change */
  draw(change) {
    /** @type {RowNode[]} */
    const fresh = [];
    for (const [key, row] of change.rows) {
      const node = this.turn.rows.get(key);
      const seat = this.seats.get(key);
      if (!node) this.#drop(seat);
      else if (!seat) {
        this.#drawRow(node);
        fresh.push(node);
      } else {
        seat.grow(node, row);
        if (row.whole) this.shown.placed(seat, false);
      }
    }
    for (const node of fresh) this.#place(node);
    if (change.moved) this.#order();
    if (change.facts) this.drawFacts();
    else this.shown.settle();
  }

  drawFacts() {
    // An equal write would have the browser look at the style of all that stands in the turn.
    const status = textOf(this.turn.facts.status);
    if (this.element.dataset.status !== status) this.element.dataset.status = status;
    this.#drawQueue();
    this.derive();
    this.drawStatus();
  }

  /** What the turn is doing; again each second. */
  drawStatus() {
    const { status, waiting, started_at_ms: startedMs } = this.turn.facts;
    const open = status !== "closed";
    this.shown.tick();
    // A header that says the same is enough; that the reader is waited for, or the link lost, is said here.
    const isSaid = open && this.board.live() && !waiting && !this.shown.isSilent;
    this.status.hidden = !open || isSaid;
    if (this.status.hidden) {
      delete this.status.dataset.doing;
      this.statusText.textContent = this.elapsed.textContent = "";
      return;
    }
    const { words, live, nowMs } = this.board;
    const doing = waiting ? "waiting" : "running";
    this.status.dataset.doing = live() ? doing : "cut";
    setText(this.statusText, live() ? (waiting ? words.turn_waiting : words.running) : words.turn_cut);
    const lastsMs = live() && typeof startedMs === "number" ? nowMs() - startedMs : -1;
    const known = lastsMs >= 0 && lastsMs < LONGEST_MS;
    setText(this.elapsed, known ? words.duration(Math.floor(lastsMs / 1_000) * 1_000) : "");
  }

  #drawQueue() {
    const queued = this.turn.facts.queued ?? [];
    this.queue.hidden = queued.length === 0;
    this.queue.replaceChildren(
      ...queued.map(({ content }) => {
        const text = blocksOf(content).map((block) => textOf(block.text)).join("\n");
        return el("div", { class: "queued" }, el("div", { class: "eyebrow" }, this.board.words.queued), el("div", { class: "bubble" }, text));
      }),
    );
  }

  /** Shows and hides by what the reader chose. */
  derive() {
    this.shown.derive();
  }

  /** Opens what hides a row of this turn, or a block of a step, once (E-10). @param {{ref: string, reasoning?: boolean}} place */
  reveal(place) {
    this.shown.reveal(place);
  }

  /** The browser's search found something in here (E-2). @param {Element} target */
  found(target) {
    this.shown.matched(target);
  }

  /** @param {RowNode} node @returns {Seat} */
  #drawRow(node) {
    const held = this.seats.get(node.row.key);
    const seat = held ?? new Seat(node.row, this.board, () => this.#toggleControl());
    if (!held) {
      this.seats.set(node.row.key, seat);
      this.board.owners.set(seat.element, this);
    }
    seat.draw(node);
    this.shown.placed(seat, !held);
    if (node.thread) this.board.drawThread(seat, node, [...this.path, textOf(node.row.call_id)]);
    return seat;
  }

  #toggleControl() {
    if (this.shown instanceof WebTurn) this.shown.toggleControl();
  }

  /** Puts a new row into the document, and all new ones right beside it, the first of them first. @param {RowNode} node */
  #place(node) {
    if (this.#standing(node)) return;
    let first = node;
    while (first.prev && !this.#standing(first.prev)) first = first.prev;
    let next = node.next;
    while (next && !this.#standing(next)) next = next.next;
    const before = next ? this.#standing(next) : null;
    for (let at = /** @type {RowNode | null} */ (first); at !== next && at; at = at.next) {
      const seat = this.seats.get(at.row.key);
      if (seat) this.shelves.put(seat.element, before);
    }
  }

  /** Its seat, if that is in the document. @param {RowNode} node @returns {HTMLElement | null} */
  #standing(node) {
    const element = this.seats.get(node.row.key)?.element;
    return element?.isConnected ? element : null;
  }

  #order() {
    this.shelves.order([...this.turn.rows].flatMap((node) => this.seats.get(node.row.key)?.element ?? []));
  }

  /** @param {Seat | undefined} seat */
  #drop(seat) {
    if (!seat) return;
    seat.element.remove();
    this.seats.delete(seat.key);
    this.shown.dropped(seat.key);
    this.board.dropThread(seat);
  }
}
