/**
 * Which of a turn's shelves are boxes in the desktop presentation. There the rows stand in an order of the whole turn, so
 * a shelf has no box as a rule; but one whose rows are shown together, with nothing of another shelf between them, may
 * be ordered as one. Then the browser passes over it as a whole, as it does in the web presentation.
 *
 * 1. The last shelf, which grows, is none: what streams is settled once, when the next shelf begins.
 * 2. One that holds the header of a process is none: the header sticks to the upper edge as long as the turn is in sight,
 *    and would end with its shelf.
 * 3. Looking at a shelf costs its rows, and it is looked at when a place on it, or right beside it, has changed.
 */

import { Level, Stand } from "./desktop_places.js";

/** @typedef {import("./order_list.js").Place} Place */

/** What stands in a step's seat has the boxes, not the seat. */
const PARTS = ":scope > .level, :scope > .seat, :scope > .seat > .row > .blocks > :is(.level, .block)";

export class DesktopShelves {
  /** @param {import("./desktop_turn.js").DesktopTurn} turn */
  constructor(turn) {
    this.turn = turn;
    this.shelves = turn.section.shelves;
    /** Whose number, element or header is another. @type {Set<Stand | Level>} */
    this.places = new Set();
    /** The shelf that grew last time. @type {HTMLElement | null} */
    this.grown = null;
  }

  /** @param {Stand | Level} place */
  changed(place) {
    this.places.add(place);
  }

  settle() {
    if (this.places.size === 0 && this.grown === this.shelves.last) return;
    /** @type {Set<HTMLElement>} */
    const touched = new Set();
    /** @param {Place | null} place */
    const touch = (place) => {
      const shelf = place && this.#shelfOf(place);
      if (shelf) touched.add(shelf);
    };
    for (const place of this.places) {
      touch(place);
      touch(beside(place, "prev"));
      touch(beside(place, "next"));
    }
    if (this.grown !== this.shelves.last && this.grown) touched.add(this.grown);
    this.places.clear();
    this.grown = this.shelves.last;
    for (const shelf of touched) this.#box(shelf);
  }

  /** Another presentation takes over. */
  leave() {
    for (const shelf of this.turn.section.element.querySelectorAll(":scope > .shelf[data-boxed]")) unbox(/** @type {HTMLElement} */ (shelf));
  }

  /** @param {HTMLElement} shelf */
  #box(shelf) {
    const first = shelf === this.shelves.last ? null : firstOf(this.#placesOn(shelf));
    if (!first) {
      unbox(shelf);
      return;
    }
    shelf.toggleAttribute("data-boxed", true);
    const order = String(first.order);
    if (shelf.style.order !== order) shelf.style.order = order;
  }

  /** @param {HTMLElement} shelf @returns {(Stand | Level)[]} */
  #placesOn(shelf) {
    return [...shelf.querySelectorAll(PARTS)].flatMap((element) => {
      const place = this.turn.placeAt(element);
      return place?.linked ? [place] : [];
    });
  }

  /** @param {Place} place @returns {HTMLElement | null} null: it has no element, or none on a shelf of this turn */
  #shelfOf(place) {
    const shelf = elementOf(place)?.closest(".shelf");
    return shelf instanceof HTMLElement && shelf.parentElement === this.turn.section.element ? shelf : null;
  }
}

/** @param {HTMLElement} shelf */
function unbox(shelf) {
  shelf.removeAttribute("data-boxed");
  shelf.style.order = "";
}

/** The first of places in the order of display, if they stand together in it and may be in a box. @param {readonly (Stand | Level)[]} places @returns {Place | null} */
function firstOf(places) {
  if (places.length === 0 || places.some((place) => place instanceof Level && place.at.kind === "entry")) return null;
  const first = places.reduce((one, other) => (other.order < one.order ? other : one));
  const left = new Set(/** @type {readonly Place[]} */ (places));
  for (let place = /** @type {Place | null} */ (first); place && left.delete(place); place = beside(place, "next"));
  return left.size === 0 ? first : null;
}

/** The nearest place before or behind another that has an element. @param {Place} place @param {"prev" | "next"} side @returns {Place | null} */
function beside(place, side) {
  let at = place[side];
  while (at && !elementOf(at)?.parentElement) at = at[side];
  return at;
}

/** @param {Place} place @returns {HTMLElement | undefined} */
function elementOf(place) {
  return place instanceof Stand || place instanceof Level ? place.element : undefined;
}
