/**
 * One turn on the page: its rows' seats in their places, and what it is doing below them. Which seats show is derived
 * (`expansion/`); seats are never taken out, moved or made anew for it (E-1).
 */

import { blocksOf, textOf } from "./blocks.js";
import { el, setText } from "./element.js";
import { ALL_SHOWN, webShown } from "./expansion/web.js";
import { Seat } from "./seat.js";

/** @typedef {import("./transcript.js").Turn} Turn */
/** @typedef {import("./row_list.js").RowNode} RowNode */
/** @typedef {import("./pending.js").TurnChange} TurnChange */
/** @typedef {import("./expansion/web.js").WebShown} WebShown */
/** @typedef {import("./thread_view.js").Board} Board */

/** A turn that seems to run for longer was recorded elsewhere, at another time: its duration would be a made-up one. */
const LONGEST_MS = 24 * 3_600_000;

export class TurnSection {
  /** @param {Turn} turn @param {string[]} path @param {Board} board */
  constructor(turn, path, board) {
    this.turn = turn;
    this.path = path;
    this.board = board;
    this.element = el("section", { class: "turn", "data-turn": String(turn.turn) });
    this.queue = el("div", { class: "queue", hidden: true });
    this.statusText = el("span", { class: "label" });
    this.elapsed = el("span", { class: "elapsed" });
    this.status = el("div", { class: "turn-status", hidden: true }, this.statusText, this.elapsed);
    this.element.append(this.queue, this.status);
    /** @type {Map<string, Seat>} */
    this.seats = new Map();
    /** @type {WebShown} */
    this.view = ALL_SHOWN;
    /** The same rows as `view.hidden`. @type {ReadonlySet<string>} */
    this.hidden = new Set();
    /** The answer's row, as it was last marked. @type {string | null} */
    this.answer = null;
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
    this.derive();
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

  /** The turn as the reducer reads it. @returns {import("./expansion/actions.js").WebTurn} */
  #held() {
    const { status, presentation } = this.turn.facts;
    return { turn: this.turn.turn, status, presentation, rows: this.turn.rows.nodes, path: this.path };
  }

  /** Shows and hides by what is derived, after what would hide the focus was opened (E-4). */
  derive() {
    const { board } = this;
    const turn = this.#held();
    const window = board.window();
    board.dispatch({ type: "web/settle", session: board.session, turn, window, focus: this.#focused() });
    this.#show(webShown(board.expansion(), turn, window));
  }

  /** @returns {import("./expansion/actions.js").RowFocus | null} */
  #focused() {
    const active = document.activeElement;
    if (!active || !this.element.contains(active)) return null;
    let seat = active;
    while (seat.parentElement && seat.parentElement !== this.element) seat = seat.parentElement;
    const row = /** @type {HTMLElement} */ (seat).dataset?.key;
    return row ? { row, reasoning: active.closest(".thinking") !== null } : null;
  }

  /** @param {WebShown} view */
  #show(view) {
    const before = this.view;
    this.view = view;
    if (view.hidden !== before.hidden) this.#hide(new Set(view.hidden));
    const answer = this.turn.facts.presentation?.answer ?? null;
    if (this.answer && this.answer !== answer) this.#markAnswer(this.answer, ALL_SHOWN);
    if (answer) this.#markAnswer(answer, view);
    this.answer = answer;
    this.#showControl();
  }

  /** @param {ReadonlySet<string>} hidden */
  #hide(hidden) {
    for (const key of this.hidden) if (!hidden.has(key)) this.seats.get(key)?.hide(false);
    for (const key of hidden) this.seats.get(key)?.hide(true);
    this.hidden = hidden;
  }

  /** @param {string} key @param {WebShown} view */
  #markAnswer(key, view) {
    const seat = this.seats.get(key);
    seat?.element.toggleAttribute("data-near", view.compact_answer);
    seat?.view?.hideReasoning?.(view.reasoning_hidden);
  }

  get #control() {
    return this.seats.get(`process:${this.turn.turn}`);
  }

  #showControl() {
    const seat = this.#control;
    if (!seat?.control) return;
    seat.element.hidden = !this.view.control;
    const { presentation } = this.turn.facts;
    if (!this.view.control || !presentation) return;
    const { members, answer, label } = presentation;
    const controlled = members.length || !answer ? members : [answer];
    seat.control.show(label.text, this.view.open, controlled.flatMap((key) => this.seats.get(key)?.element.id ?? []));
  }

  /** The reader toggles the group. A close moves the focus to the control before anything hides (E-4). */
  toggle() {
    const { board } = this;
    /** @type {import("./expansion/actions.js").Action} */
    const action = { type: "web/toggle", session: board.session, turn: this.#held() };
    if (board.focusFirst(action)) this.#control?.control?.button.focus({ preventScroll: true });
    board.dispatch(action);
    this.derive();
  }

  /** The browser's search found something in here. */
  reveal() {
    if (!this.view.control) return;
    this.board.dispatch({ type: "web/open", session: this.board.session, turn: this.#held() });
    this.derive();
  }

  /** @param {RowNode} node @returns {Seat} */
  #drawRow(node) {
    let seat = this.seats.get(node.row.key);
    if (!seat) {
      seat = new Seat(node.row, this.board, () => this.toggle());
      this.seats.set(node.row.key, seat);
      this.board.owners.set(seat.element, this);
      seat.hide(this.hidden.has(node.row.key));
      if (seat.control) this.#showControl();
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
