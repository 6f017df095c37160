/** One turn in the web presentation: its control, and which of its seats the closed process hides (S001, E-3 to E-6). */

import { activeIn } from "./element.js";
import { ALL_SHOWN, webShown } from "./expansion/web.js";
import { nextRequest } from "./reveal_requests.js";

/** @typedef {import("./turn_section.js").TurnSection} TurnSection */
/** @typedef {import("./seat.js").Seat} Seat */
/** @typedef {import("./expansion/web.js").WebShown} WebShown */

export class WebTurn {
  /** @param {TurnSection} section */
  constructor(section) {
    this.section = section;
    this.board = section.board;
    /** @type {WebShown} */
    this.view = ALL_SHOWN;
    /** The same rows as `view.hidden`. @type {ReadonlySet<string>} */
    this.hidden = new Set();
    /** The answer's row, as it was last marked. @type {string | null} */
    this.answer = null;
  }

  /** Whether the turn's status line is needed; there is no other in this view. */
  get isSilent() {
    return true;
  }

  /** The turn as the reducer reads it. @returns {import("./expansion/actions.js").WebTurn} */
  #held() {
    const { turn, path } = this.section;
    return { turn: turn.turn, status: turn.facts.status, presentation: this.#presentation, rows: turn.rows.nodes, path };
  }

  get #presentation() {
    return /** @type {import("./types.js").WebPresentation | null} */ (this.section.turn.facts.presentation ?? null);
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
    const { element } = this.section;
    const active = activeIn(element);
    if (!active || !element.contains(active)) return null;
    let seat = active.closest(".seat");
    // One inside a delegate belongs to a turn of that delegate.
    while (seat && this.board.owners.get(seat) !== this.section) seat = seat.parentElement?.closest(".seat") ?? null;
    const row = seat?.getAttribute("data-key");
    return row ? { row, reasoning: active.closest(".thinking") !== null } : null;
  }

  /** @param {WebShown} view */
  #show(view) {
    const before = this.view;
    this.view = view;
    if (view.hidden !== before.hidden) this.#hide(new Set(view.hidden));
    const answer = this.#presentation?.answer ?? null;
    if (this.answer && this.answer !== answer) this.#markAnswer(this.answer, ALL_SHOWN);
    if (answer) this.#markAnswer(answer, view);
    this.answer = answer;
    this.#showControl();
  }

  /** @param {ReadonlySet<string>} hidden */
  #hide(hidden) {
    const { seats } = this.section;
    for (const key of this.hidden) if (!hidden.has(key)) seats.get(key)?.hide(false);
    for (const key of hidden) seats.get(key)?.hide(true);
    this.hidden = hidden;
  }

  /** @param {string} key @param {WebShown} view */
  #markAnswer(key, view) {
    const seat = this.section.seats.get(key);
    seat?.element.toggleAttribute("data-near", view.compact_answer);
    seat?.view?.hideReasoning?.(view.reasoning_hidden);
  }

  get #control() {
    return this.section.seats.get(`process:${this.section.turn.turn}`);
  }

  #showControl() {
    const seat = this.#control;
    if (!seat?.control) return;
    seat.element.hidden = !this.view.control;
    const presentation = this.#presentation;
    if (!this.view.control || !presentation) return;
    const { members, answer, label } = presentation;
    const controlled = members.length || !answer ? members : [answer];
    const ids = controlled.flatMap((key) => this.section.seats.get(key)?.element.id ?? []);
    seat.control.show(label.text, this.view.open, ids);
  }

  /** A seat is there, new or drawn anew. @param {Seat} seat @param {boolean} isNew */
  placed(seat, isNew) {
    if (!isNew) return;
    seat.hide(this.hidden.has(seat.key));
    if (seat.control) this.#showControl();
  }

  /** @param {string} _key */
  dropped(_key) {}

  /** The reader toggles the group. A close moves the focus to the control before anything hides (E-4). */
  toggleControl() {
    const { board } = this;
    /** @type {import("./expansion/actions.js").Action} */
    const action = { type: "web/toggle", session: board.session, turn: this.#held() };
    if (board.focusFirst(action)) this.#control?.control?.button.focus({ preventScroll: true });
    board.dispatch(action);
    this.derive();
  }

  /** Opens what hides a row, once (E-10). @param {{ref: string, reasoning?: boolean}} place */
  reveal(place) {
    const { board } = this;
    const { path } = this.section;
    const outer = /** @type {import("./expansion/actions.js").WebTurn[]} */ (board.outer(path));
    const target = { ...place, path };
    board.dispatch({ type: "web/reveal", session: board.session, request: nextRequest(), target, turn: this.#held(), outer });
    board.derive();
  }

  /** The browser's search found something in here. @param {Element} target */
  matched(target) {
    const seat = target.closest(".seat");
    if (!this.view.control || (target !== seat && !target.matches(".thinking"))) return;
    this.board.dispatch({ type: "web/open", session: this.board.session, turn: this.#held() });
    this.derive();
  }

  tick() {}

  settle() {}

  /** Another presentation takes over: nothing is hidden, and no control shows. */
  leave() {
    this.#show(ALL_SHOWN);
  }
}
