/**
 * One turn in the desktop presentation (S000, E-8 to E-12): headers between the seats, and which of the seats show.
 *
 * 1. Seats stand in the document in the order of the log, whatever becomes of them: where the presentation shows them
 *    in another order they get another number of `order`, what they stand in are attributes. A step's seat has no box of its
 *    own in this view, so that its blocks are such siblings too (E-1).
 * 2. What is shown is brought to the presentation by what differs from the one before: values that are the same are
 *    passed over. Another choice of the reader looks at all levels of the turn.
 * 3. A row that no entry names does not show: prompts, the web's control, the tail, thinking that the preference hides.
 */

import { EntryView } from "./desktop_entry.js";
import { Level, Stand } from "./desktop_places.js";
import { DesktopShelves } from "./desktop_shelves.js";
import { setVisibility } from "./disclosure.js";
import { activeIn } from "./element.js";
import { keyOf } from "./expansion/state.js";
import { difference } from "./list_difference.js";
import { OrderList } from "./order_list.js";
import { nextRequest } from "./reveal_requests.js";

/** @typedef {import("./turn_section.js").TurnSection} TurnSection */
/** @typedef {import("./seat.js").Seat} Seat */
/** @typedef {import("./expansion/state.js").Address} Address */
/** @typedef {import("./expansion/state.js").Pane} Pane */
/** @typedef {import("./types.js").DesktopEntry} DesktopEntry */
/** @typedef {import("./desktop_places.js").Holder} Holder */

/** @type {readonly DesktopEntry[]} */
const NONE = Object.freeze([]);
const BLOCK = /^(step:.*)#(\d+)$/;

export class DesktopTurn {
  /** @param {TurnSection} section */
  constructor(section) {
    this.section = section;
    this.board = section.board;
    this.boxes = new DesktopShelves(this);
    this.order = new OrderList((place) => {
      if (!(place instanceof Stand || place instanceof Level)) return;
      place.ordered();
      this.boxes.changed(place);
    });
    /** @type {Map<string, Stand>} */
    this.stands = new Map();
    /** By their keys. @type {Map<string, Level>} */
    this.levels = new Map();
    /** @type {Map<string, EntryView>} */
    this.entries = new Map();
    /** The entries as they were drawn. @type {readonly DesktopEntry[]} */
    this.drawn = NONE;
    /** The choices that what shows was derived from. @type {Pane | null} */
    this.pane = null;
    this.pass = 0;
    /** What left a list in this pass; what another list names in it stays. @type {(Stand | Level)[]} */
    this.leaving = [];
    this.isNew = true;
  }

  /** Whether no header says what the turn is doing. */
  get isSilent() {
    const last = this.drawn[this.drawn.length - 1];
    return !last?.active || !last.disclosure;
  }

  /** The turn as the reducer reads it. @returns {import("./expansion/actions.js").DesktopTurn} */
  get held() {
    const presentation = /** @type {import("./types.js").DesktopPresentation | null} */ (this.section.turn.facts.presentation ?? null);
    return { presentation, path: this.section.path };
  }

  /** What an action of this turn carries. */
  get #where() {
    const { board } = this;
    return { session: board.session, turn: this.held, outer: board.outer(this.section.path) };
  }

  derive() {
    const { board } = this;
    const entries = this.held.presentation?.entries ?? NONE;
    board.dispatch({ type: "desktop/settle", ...this.#where, attention: board.attention() });
    const pane = board.expansion();
    const isOther = this.pane !== null && this.pane !== pane;
    this.pane = pane;
    if (entries !== this.drawn) this.#arrange(entries);
    if (isOther) this.#openAll();
    if (this.isNew) this.#takeOver();
    this.tick();
    this.settle();
  }

  /** All that belongs to a frame is in the document: shelves whose rows stand together are boxes. */
  settle() {
    this.boxes.settle();
  }

  /** @param {readonly DesktopEntry[]} entries */
  #arrange(entries) {
    this.pass += 1;
    this.leaving = [];
    const { at, removed, added } = difference(this.drawn, entries);
    let before = at > 0 ? (this.entries.get(entries[at - 1].id)?.end ?? null) : null;
    for (const value of added) {
      const view = this.entries.get(value.id) ?? new EntryView(value.id, this);
      this.entries.set(value.id, view);
      before = view.draw(value, before, this.pass);
    }
    for (const { id } of removed) {
      const view = this.entries.get(id);
      if (!view || view.pass === this.pass) continue;
      view.leave();
      this.entries.delete(id);
    }
    this.drawn = entries;
    for (const one of this.leaving) if (one.pass !== this.pass) this.#drop(one);
    const processes = entries.filter((entry) => entry.disclosure).length;
    this.section.element.toggleAttribute("data-single-process", processes === 1);
  }

  /** @param {Stand | Level} one */
  #drop(one) {
    this.order.remove(one);
    if (one instanceof Level) {
      one.header.element.remove();
      this.levels.delete(one.key);
    } else {
      one.let(true);
      this.stands.delete(one.ref);
      const seat = this.#stepOf(one.ref);
      if (seat) this.#settleCut(seat);
    }
  }

  /** Another choice was made somewhere in the session. */
  #openAll() {
    const pane = /** @type {Pane} */ (this.pane);
    for (const level of this.levels.values()) level.open(pane);
    for (const level of this.levels.values()) level.show();
    for (const entry of this.entries.values()) entry.markEnd();
    for (const stand of this.stands.values()) {
      stand.show();
      stand.open(pane);
    }
  }

  /** What the reader opened in another presentation is the reader's choice in this one. */
  #takeOver() {
    this.isNew = false;
    const { board } = this;
    const pane = board.expansion();
    for (const stand of this.stands.values()) {
      if (stand.opens && stand.holder?.opened() && !stand.isOpen(pane)) board.dispatch({ type: "desktop/toggle", ...this.#where, at: stand.at });
      stand.open(board.expansion());
    }
    this.pane = board.expansion();
  }

  // Places

  /** What stands where an element is, as far as this turn shows it. @param {Element} element @returns {Stand | Level | undefined} */
  placeAt(element) {
    const placed = this.board.places.get(element);
    if (placed?.turn !== this) return undefined;
    return placed.at.kind === "item" ? this.stands.get(placed.at.id) : this.levels.get(keyOf(placed.at));
  }

  /** @param {string} ref @returns {Stand} */
  stand(ref) {
    const held = this.stands.get(ref);
    if (held) return held;
    const stand = new Stand(ref, this.section.path);
    this.stands.set(ref, stand);
    this.#attach(stand, this.#holder(ref));
    const seat = this.#stepOf(ref);
    if (seat) this.#settleCut(seat);
    return stand;
  }

  /** @param {"entry" | "group" | "topology"} kind @param {string} id @param {Level | null} holder @returns {Level} */
  level(kind, id, holder) {
    const held = this.found(kind, id);
    const level = held ?? new Level(kind, id, this);
    level.hold(holder);
    if (held) return held;
    this.levels.set(level.key, level);
    this.board.places.set(level.header.element, { turn: this, at: level.at });
    return level;
  }

  /** @param {"entry" | "group" | "topology"} kind @param {string} id */
  found(kind, id) {
    return this.levels.get(keyOf({ kind, id, path: this.section.path }));
  }

  /** @param {Stand} stand @param {Holder | null} holder */
  #attach(stand, holder) {
    stand.attach(holder);
    this.boxes.changed(stand);
    if (holder) this.board.places.set(holder.element, { turn: this, at: stand.at });
  }

  /** What a ref stands for on the page. @param {string} ref @returns {Holder | null} */
  #holder(ref) {
    const [, key, block] = BLOCK.exec(ref) ?? [];
    const seat = this.section.seats.get(key ?? ref);
    if (!seat) return null;
    if (key === undefined) {
      return { element: seat.element, opened: () => seat.opened, own: () => seat.made?.own, detail: (detail) => seat.detail(detail) };
    }
    const view = seat.view;
    const part = view?.parts?.()[Number(block)];
    if (!part) return null;
    return { element: part.element, opened: () => part.own?.open ?? false, own: () => part.own, detail: part.detail?.bind(part) };
  }

  /** The step that a block's ref names. @param {string} ref @returns {Seat | undefined} */
  #stepOf(ref) {
    const [, key] = BLOCK.exec(ref) ?? [];
    return key === undefined ? undefined : this.section.seats.get(key);
  }

  /** The note that a step was interrupted stands below the last of its blocks that is shown. @param {Seat} seat */
  #settleCut(seat) {
    const cut = seat.view?.cut;
    if (!cut) return;
    const parts = seat.view?.parts?.() ?? [];
    const refs = parts.map((_, at) => `${seat.key}#${at}`);
    const last = refs.map((ref) => this.stands.get(ref)).findLast((stand) => stand !== undefined) ?? null;
    for (const ref of refs) this.stands.get(ref)?.follow(this.stands.get(ref) === last ? cut : null);
    if (!last) setVisibility(cut, "absent");
  }

  /** A seat is there, new or drawn anew. @param {Seat} seat @param {boolean} _isNew */
  placed(seat, _isNew) {
    const parts = seat.row?.kind === "assistant_step" || seat.wanted.kind === "assistant_step" ? (seat.view?.parts?.() ?? []) : null;
    if (!parts) {
      this.#seated(seat.key, seat.element);
      return;
    }
    seat.hide(false);
    parts.forEach((part, at) => this.#seated(`${seat.key}#${at}`, part.element));
    this.#settleCut(seat);
  }

  /** @param {string} ref @param {HTMLElement} element */
  #seated(ref, element) {
    const stand = this.stands.get(ref);
    if (!stand) {
      setVisibility(element, "absent");
      return;
    }
    const holder = this.#holder(ref);
    if (stand.holder?.element === element) return;
    this.#attach(stand, holder);
    stand.show();
    if (this.pane) stand.open(this.pane);
    for (const level of stand.above) this.settleHeader(level);
  }

  /** @param {string} key */
  dropped(key) {
    const isStep = key.startsWith("step:");
    const refs = isStep ? [...this.stands.keys()].filter((ref) => ref.startsWith(`${key}#`)) : [key];
    for (const ref of refs) this.stands.get(ref)?.attach(null);
  }

  /** Puts a header into the document right before what it opens: what it opens is there already. @param {Level} level */
  settleHeader(level) {
    const { element } = level.header;
    const next = level.firstElement();
    if (next && next.previousElementSibling !== element) this.#move(element, next);
    else if (!next && !element.parentElement) this.section.element.insertBefore(element, this.section.queue);
    else return;
    this.boxes.changed(level);
  }

  /** @param {HTMLElement} element @param {HTMLElement} next */
  #move(element, next) {
    const active = activeIn(element);
    const focused = active && element.contains(active) ? /** @type {HTMLElement} */ (active) : null;
    next.before(element);
    focused?.focus({ preventScroll: true });
  }

  // What the reader does

  /** A header, a fold bar or a row's own disclosure was used. A close moves the focus first (E-4). @param {Address} at */
  toggle(at) {
    const { board } = this;
    /** @type {import("./expansion/actions.js").Action} */
    const action = { type: "desktop/toggle", ...this.#where, at };
    const first = board.focusFirst(action);
    if (first) this.#focus(first);
    board.dispatch(action);
    this.derive();
    if (first) this.#headerAt(first)?.reveal();
  }

  /** @param {Address} at */
  #headerAt(at) {
    return at.kind === "item" ? undefined : this.levels.get(keyOf(at))?.header;
  }

  /** @param {Address} at */
  #focus(at) {
    this.#headerAt(at)?.focus();
    if (at.kind === "item") this.stands.get(at.id)?.holder?.own()?.button.focus({ preventScroll: true });
  }

  /** Whether an element is in what a place opens, and not on its header. @param {Address} at @param {Element} element */
  isInside(at, element) {
    if (at.kind !== "item") return false;
    const head = this.stands.get(at.id)?.holder?.own()?.button;
    return !head?.contains(element);
  }

  /** Whether this presentation is the one that its turn is shown in. */
  get isShown() {
    return this.section.shown === this;
  }

  /** Whether a disclosure is the one that a place opens, not another in it. @param {Address} at @param {import("./disclosure.js").Openable} openable */
  owns(at, openable) {
    const stand = this.stands.get(at.id);
    return at.kind === "item" && stand?.opens === true && stand.holder?.own()?.button === openable.button;
  }

  /** The header of the group that a row stands in. @param {Address} at */
  headerOver(at) {
    const above = this.stands.get(at.id)?.above;
    return above && above.length > 1 ? above[above.length - 1].header : null;
  }

  /** The focus or a selection came to it (E-9). @param {Address} at */
  touch(at) {
    const { board } = this;
    board.dispatch({ type: "desktop/touch", ...this.#where, at });
    this.pane = board.expansion();
  }

  /** Opens all that is above a row or a block, once (E-10). @param {{ref: string, reasoning?: boolean}} place */
  reveal(place) {
    const target = { ...place, path: this.section.path };
    this.board.dispatch({ type: "desktop/reveal", ...this.#where, request: nextRequest(), target });
    this.board.derive();
  }

  /** The browser's search found something: all that is above it opens (E-2). @param {Element} target */
  matched(target) {
    const place = this.board.placeOf(target);
    if (!place || place.at.kind !== "item") return;
    const { board } = this;
    board.dispatch({ type: "desktop/reveal", ...this.#where, request: nextRequest(), target: { ref: place.at.id, path: place.at.path } });
    const stand = this.stands.get(place.at.id);
    const isInside = stand?.opens && target !== stand.holder?.element;
    if (stand && isInside && !stand.isOpen(board.expansion())) this.toggle(stand.at);
    board.derive();
  }

  /** What of a range stands in this turn. @param {Range} range @returns {Generator<import("./expansion/actions.js").Point>} */
  *selected(range) {
    if (!range.intersectsNode(this.section.element)) return;
    for (const { at, holder } of this.stands.values()) {
      if (!holder || !range.intersectsNode(holder.element)) continue;
      const head = holder.own()?.button;
      yield { ...at, inside: !head || !head.contains(range.startContainer) || !head.contains(range.endContainer) };
    }
    for (const { at, header } of this.levels.values()) if (range.intersectsNode(header.element)) yield at;
  }

  tick() {
    if (!this.board.live()) return;
    const last = this.drawn[this.drawn.length - 1];
    if (last?.active) this.entries.get(last.id)?.level?.header.tick(this.board.nowMs());
  }

  /** Another presentation takes over: everything is as if this one had never been there. */
  leave() {
    for (const level of this.levels.values()) level.header.element.remove();
    for (const stand of this.stands.values()) stand.let(false);
    this.boxes.leave();
    this.section.element.removeAttribute("data-single-process");
    for (const seat of this.section.seats.values()) {
      setVisibility(seat.element, "shown");
      if (seat.wanted.kind !== "assistant_step") continue;
      for (const part of seat.view?.parts?.() ?? []) setVisibility(part.element, "shown");
      if (seat.view?.cut) setVisibility(seat.view.cut, "shown");
    }
  }
}
