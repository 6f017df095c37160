/**
 * An order of display that is not the order of the document (E-1): what is shown elsewhere than where it was made gets
 * another number for `order` in the style sheet's sense, and no element is ever moved for it. Pure.
 *
 * A linked list whose places have numbers with room between them, so that putting one in writes one number. Where the
 * room is used up all are numbered anew. A `roomy` place has much room in front of it: there a running turn grows.
 */

const STEP = 16;
const ROOM = 65_536;
/** Roomy places share this; `order` is a 32-bit integer. */
const ALL_ROOM = 2 ** 30;

export class Place {
  /** @param {{roomy?: boolean}} [options] */
  constructor({ roomy = false } = {}) {
    this.roomy = roomy;
    this.order = 0;
    /** @type {Place | null} */
    this.prev = null;
    /** @type {Place | null} */
    this.next = null;
    this.linked = false;
  }
}

export class OrderList {
  /** @param {(place: Place) => void} onOrder a place has another number */
  constructor(onOrder) {
    this.onOrder = onOrder;
    /** @type {Place | null} */
    this.first = null;
    this.roomyCount = 0;
  }

  /** Puts a place right after another. @param {Place | null} prev null: first @param {Place} place @returns {boolean} false: it stands there already */
  put(prev, place) {
    if (place.linked && place.prev === prev) return false;
    this.remove(place);
    const next = prev ? prev.next : this.first;
    place.prev = prev;
    place.next = next;
    if (prev) prev.next = place;
    else this.first = place;
    if (next) next.prev = place;
    place.linked = true;
    if (place.roomy) this.roomyCount += 1;
    this.#number(place);
    return true;
  }

  /** @param {Place} place */
  remove(place) {
    if (!place.linked) return;
    if (place.prev) place.prev.next = place.next;
    else this.first = place.next;
    if (place.next) place.next.prev = place.prev;
    place.prev = place.next = null;
    place.linked = false;
    if (place.roomy) this.roomyCount -= 1;
  }

  /** @returns {Generator<Place>} */
  *[Symbol.iterator]() {
    for (let place = this.first; place; place = place.next) yield place;
  }

  /** @param {Place} place */
  #number(place) {
    const low = place.prev?.order ?? 0;
    const wanted = place.roomy ? this.#room() : STEP;
    const gap = place.next ? place.next.order - low : 2 * wanted;
    const step = Math.min(wanted, Math.floor(gap / 2));
    if (step < 1 || low + step > 2 * ALL_ROOM - ROOM) this.#numberAll();
    else this.#set(place, low + step);
  }

  #room() {
    return Math.max(STEP, Math.min(ROOM, Math.floor(ALL_ROOM / Math.max(1, this.roomyCount))));
  }

  #numberAll() {
    const room = this.#room();
    let at = 0;
    for (const place of this) this.#set(place, (at += place.roomy ? room : STEP));
  }

  /** @param {Place} place @param {number} order */
  #set(place, order) {
    if (place.order === order) return;
    place.order = order;
    this.onOrder(place);
  }
}
