/**
 * Where the seats of a turn stand in the document: on shelves of some rows each. A row that comes or grows has the browser lay
 * out and paint its own shelf, and pass over the others as wholes: what that costs does not follow the length of the turn.
 *
 * A seat is put on a shelf once and stays there, unless the row itself moves (E-1). A shelf is a plain box, and margins go
 * through it as if it were not there; where a presentation orders the rows of the whole turn it has none as a rule
 * (`desktop_shelves.js`).
 */

import { el } from "./element.js";

/** As many rows as a screen or two hold; of 2,000 rows there are 40 shelves. */
export const SEATS_PER_SHELF = 50;

export class Shelves {
  /** @param {HTMLElement} element the turn's @param {HTMLElement} end what stands below the last shelf */
  constructor(element, end) {
    this.element = element;
    this.end = end;
    /** @type {HTMLElement | null} */
    this.last = null;
  }

  /** @param {HTMLElement} seat @param {HTMLElement | null} next the seat that it stands in front of; null: it is the last one */
  put(seat, next) {
    if (!next) this.#withRoom(this.last, this.end).append(seat);
    else if (next.previousElementSibling || !isFull(next.parentElement)) next.before(seat);
    else this.#before(/** @type {HTMLElement} */ (next.parentElement)).append(seat);
  }

  /** Puts seats in their order; one that stands in its place already is not touched. @param {Iterable<HTMLElement>} seats all of them */
  order(seats) {
    let at = seatFrom(this.element.firstElementChild);
    for (const seat of seats) {
      if (seat === at) at = seatFrom(at.nextElementSibling) ?? seatFrom(at.parentElement?.nextElementSibling);
      else this.put(seat, at);
    }
  }

  /** One that stands right before a full one: older rows that come by the hundred stand on shelves as well. @param {HTMLElement} full */
  #before(full) {
    const held = full.previousElementSibling;
    return this.#withRoom(held instanceof HTMLElement && isShelf(held) ? held : null, full);
  }

  /** @param {HTMLElement | null} held the shelf before @param {HTMLElement} next what a new one stands before */
  #withRoom(held, next) {
    if (held && !isFull(held)) return held;
    const shelf = el("div", { class: "shelf" });
    next.before(shelf);
    if (next === this.end) this.last = shelf;
    return shelf;
  }
}

/** @param {Element} element */
function isShelf(element) {
  return element.classList.contains("shelf");
}

/** @param {Element | null} shelf */
function isFull(shelf) {
  return shelf !== null && shelf.childElementCount >= SEATS_PER_SHELF;
}

/** The first seat in the document, from a seat or shelf on. What stands between them is the presentation's. @param {Element | null | undefined} first @returns {HTMLElement | null} */
function seatFrom(first) {
  for (let at = first; at; at = at.nextElementSibling) {
    if (at.classList.contains("seat")) return /** @type {HTMLElement} */ (at);
    const inside = isShelf(at) ? seatFrom(at.firstElementChild) : null;
    if (inside) return inside;
  }
  return null;
}
