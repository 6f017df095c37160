/**
 * One turn on the page: its rows' seats in their places, and what it is doing below them. Which seats show is derived
 * (`view.js`); seats are never taken out, moved or made anew for it (E-1).
 */

import { blocksOf, textOf } from "./blocks.js";
import { el, setText } from "./element.js";
import { Seat } from "./seat.js";
import { ALL_SHOWN, hidesFocus, viewOf } from "./view.js";

/** @typedef {import("./transcript.js").Turn} Turn */
/** @typedef {import("./row_list.js").RowNode} RowNode */
/** @typedef {import("./pending.js").TurnChange} TurnChange */
/** @typedef {import("./view.js").TurnView} TurnView */
/** @typedef {import("./thread_view.js").Board} Board */

/** A turn that seems to run for longer was recorded elsewhere, at another time: its duration would be a made-up one. */
const LONGEST_MS = 24 * 3_600_000;

export class TurnSection {
  /** @param {Turn} turn @param {string[]} path @param {Board} board */
  constructor(turn, path, board) {
    this.turn = turn;
    this.path = path;
    this.board = board;
    /** The turn's name in the expansion. */
    this.scope = [...path, turn.turn].join("/");
    this.element = el("section", { class: "turn", "data-turn": String(turn.turn) });
    this.queue = el("div", { class: "queue", hidden: true });
    this.statusText = el("span", { class: "label" });
    this.elapsed = el("span", { class: "elapsed" });
    this.status = el("div", { class: "turn-status", hidden: true }, this.statusText, this.elapsed);
    this.element.append(this.queue, this.status);
    /** @type {Map<string, Seat>} */
    this.seats = new Map();
    /** @type {TurnView} */
    this.view = ALL_SHOWN;
  }

  /** Brings all of it to what the store holds. @param {Turn} turn */
  drawAll(turn) {
    this.turn = turn;
    for (const [key, seat] of this.seats) if (!turn.rows.get(key)) this.#drop(seat);
    for (const node of turn.rows) this.#drawRow(node);
    this.#order();
    this.drawFacts();
  }

  /** @param {TurnChange} change */
  draw(change) {
    for (const [key, row] of change.rows) {
      const node = this.turn.rows.get(key);
      const seat = this.seats.get(key);
      if (!node) this.#drop(seat);
      else if (!seat) this.#place(node, this.#drawRow(node));
      else seat.grow(node, row);
    }
    if (change.moved) this.#order();
    if (change.facts) this.drawFacts();
  }

  drawFacts() {
    this.element.dataset.status = textOf(this.turn.facts.status);
    this.#drawQueue();
    this.drawStatus();
    this.derive(false);
  }

  /** What the turn is doing; again each second. */
  drawStatus() {
    const { status, waiting, started_at_ms: startedMs } = this.turn.facts;
    const open = status !== "closed";
    this.status.hidden = !open;
    if (!open) {
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

  /**
   * Shows and hides by what is derived. An automatic change that would hide the focus opens the group instead (E-4).
   *
   * @param {boolean} manual the reader's own toggle
   */
  derive(manual) {
    let view = this.#derived();
    if (!manual && hidesFocus(view, this.#focused())) {
      this.board.dispatch({ type: "open", session: this.board.session, turn: this.scope, generation: view.generation });
      view = this.#derived();
    }
    this.#show(view);
  }

  #derived() {
    const { board, scope } = this;
    return viewOf(this.turn.facts, { ...board.reader(), isOpen: (generation) => board.isOpen(scope, generation) });
  }

  /** @returns {{key: string, inReasoning: boolean} | null} */
  #focused() {
    const active = document.activeElement;
    if (!active || !this.element.contains(active)) return null;
    let seat = active;
    while (seat.parentElement && seat.parentElement !== this.element) seat = seat.parentElement;
    const key = /** @type {HTMLElement} */ (seat).dataset?.key;
    return key ? { key, inReasoning: active.closest(".thinking") !== null } : null;
  }

  /** @param {TurnView} view */
  #show(view) {
    const before = this.view;
    this.view = view;
    for (const key of before.hidden) if (!view.hidden.has(key)) this.seats.get(key)?.hide(false);
    for (const key of view.hidden) this.seats.get(key)?.hide(true);
    if (before.answer && before.answer !== view.answer) this.#markAnswer(before.answer, ALL_SHOWN);
    if (view.answer) this.#markAnswer(view.answer, view);
    this.#showControl(view);
  }

  /** @param {string} key @param {TurnView} view */
  #markAnswer(key, view) {
    const seat = this.seats.get(key);
    seat?.element.toggleAttribute("data-near", view.compactAnswer);
    seat?.view?.hideReasoning?.(view.reasoningHidden);
  }

  /** @param {TurnView} view */
  #showControl(view) {
    for (const seat of this.seats.values()) {
      if (!seat.control) continue;
      seat.element.hidden = !view.control;
      const controlled = view.members.length || !view.answer ? view.members : [view.answer];
      seat.control.show(view, controlled.flatMap((key) => this.seats.get(key)?.element.id ?? []));
      return;
    }
  }

  /** The reader toggles the group. A close moves the focus to the control before anything hides. */
  toggle() {
    const { session } = this.board;
    for (const seat of this.seats.values()) seat.control?.button.focus({ preventScroll: true });
    this.board.dispatch({ type: "toggle", session, turn: this.scope, generation: this.view.generation });
    this.derive(true);
  }

  /** The browser's search found something in here. */
  reveal() {
    if (!this.view.control || this.view.open) return;
    const { session } = this.board;
    this.board.dispatch({ type: "open", session, turn: this.scope, generation: this.view.generation });
    this.derive(true);
  }

  /** @param {RowNode} node @returns {Seat} */
  #drawRow(node) {
    let seat = this.seats.get(node.row.key);
    if (!seat) {
      seat = new Seat(node.row, this.board, () => this.toggle());
      this.seats.set(node.row.key, seat);
      this.board.owners.set(seat.element, this);
      seat.hide(this.view.hidden.has(node.row.key));
      if (seat.control) this.#showControl(this.view);
    }
    seat.draw(node);
    if (node.thread) this.board.drawThread(seat, node, [...this.path, textOf(node.row.call_id)]);
    return seat;
  }

  /** @param {RowNode} node @param {Seat} seat */
  #place(node, seat) {
    let next = node.next;
    while (next && !this.seats.get(next.row.key)?.element.isConnected) next = next.next;
    const before = next ? this.seats.get(next.row.key)?.element : null;
    this.element.insertBefore(seat.element, before ?? this.queue);
  }

  /** Puts every seat in its place; one that stands there already is not touched. */
  #order() {
    let at = this.element.firstElementChild;
    for (const node of this.turn.rows) {
      const seat = this.seats.get(node.row.key)?.element;
      if (!seat) continue;
      if (seat === at) at = at.nextElementSibling;
      else this.element.insertBefore(seat, at);
    }
  }

  /** @param {Seat | undefined} seat */
  #drop(seat) {
    if (!seat) return;
    seat.element.remove();
    this.seats.delete(seat.key);
    this.board.dropThread(seat);
  }
}
