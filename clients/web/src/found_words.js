/**
 * Leads from the row that a search hit revealed to the words that were found in it.
 *
 * 1. What of the row hides them, its detail or collapsed thinking, is opened by its own button, as the reader would open
 *    it: the same rules hold for it from then on (E-8, E-9), and it is done once (E-10).
 * 2. In the desktop presentation a search opens ancestors alone (C-16, S000). There the row's detail stays closed until the
 *    reader asks for the words, which is one more key.
 * 3. A text that travelled as its head is fetched where the words are not in what is held.
 * 4. Words that the row's own line shows already open nothing.
 *
 * @typedef {Pick<import("./session_calls.js").Hit, "ref" | "field">} Hit
 * @typedef {"shown" | "closed" | "none"} Led `closed`: the words are in what rule 2 leaves closed; `none`: they are not in this row as it is shown
 */

import { loadRest } from "./shortened.js";
import { placeOfWords } from "./word_marks.js";

/** What was never in sight has a guessed height until it is laid out, piece by piece as it comes into sight. */
const STEADY_FRAMES = 12;

export class FoundWords {
  /** The element that was revealed, and where in it the words are. @type {{element: HTMLElement, place: Range | null} | null} */
  #at = null;

  /** @param {(element: HTMLElement) => void} onPlace told once it is known where the words are, and again while all around them is laid out */
  constructor(onPlace) {
    this.onPlace = onPlace;
  }

  /** Where the words are in an element that was revealed, if that is known. @param {HTMLElement} element @returns {Range | null} */
  placeIn(element) {
    const at = this.#at;
    return at?.element === element && at.place && at.place.startContainer.isConnected ? at.place : null;
  }

  /** The reader went elsewhere: what is still loading moves nothing. */
  release() {
    this.#at = null;
  }

  /** @param {HTMLElement} element that was revealed @param {Hit} hit @param {string} query @param {boolean} opens the row's own detail @returns {Promise<Led>} */
  async lead(element, hit, query, opens) {
    const at = { element, place: /** @type {Range | null} */ (null) };
    this.#at = at;
    const seat = element.closest(".seat");
    const { lines, parts } = seat ? partsOf(seat, hit) : NOWHERE;
    let place = firstIn(lines.filter(isUncut), query) ?? firstIn(parts, query);
    const inside = place?.startContainer.parentElement ?? headIn(parts);
    if (!seat || !inside) return "none";
    const closed = closedAround(inside, seat);
    if (closed.length > 0 && !opens) return "closed";
    for (const button of closed) button.click();
    place ??= await fetched(parts, query, () => this.#at === at);
    if (!place || this.#at !== at) return "none";
    at.place = place;
    this.#show(at, STEADY_FRAMES);
    return "shown";
  }

  /** @param {object} at @param {number} frames of the screen to come in which it is seen to again */
  #show(at, frames) {
    if (this.#at !== at) return;
    this.onPlace(this.#at.element);
    if (frames > 0) requestAnimationFrame(() => this.#show(at, frames - 1));
  }
}

/** What a row's own line says, and the parts in which a hit's words may be, the likeliest first. @param {Element} seat @param {Hit} hit @returns {{lines: Element[], parts: Element[]}} */
function partsOf(seat, { ref, field }) {
  const row = /** @type {Element} */ (seat.querySelector(":scope > .row"));
  const block = /^step:.*#(\d+)$/.exec(ref)?.[1];
  if (block) return { lines: [], parts: [...row.querySelectorAll(":scope > .blocks > .block")].slice(Number(block), Number(block) + 1) };
  const lines = row.querySelectorAll(":scope > .disclosure > :is(.name, .excerpt)");
  const named = row.querySelectorAll(`:scope > .panel > [data-field="${CSS.escape(field)}"]`);
  return { lines: [...lines], parts: [...named, row] };
}

/** @type {{lines: Element[], parts: Element[]}} */
const NOWHERE = { lines: [], parts: [] };

/** @param {Element[]} parts @param {string} query */
function firstIn(parts, query) {
  for (const part of parts) {
    const place = placeOfWords(part, query);
    if (place) return place;
  }
  return null;
}

/** Whether all that a line says has room on it. @param {Element} line */
function isUncut(line) {
  return line.clientWidth > 0 && line.scrollWidth <= line.clientWidth;
}

/** The first text that travelled as its head. @param {Element[]} parts */
function headIn(parts) {
  for (const part of parts) {
    for (const rest of notesIn(part)) return rest.previousElementSibling ?? rest;
  }
  return null;
}

/** Below which texts of a row, not of one inside it, the rest can be fetched. @param {Element} part @returns {Element[]} */
function notesIn(part) {
  return [...part.querySelectorAll(".shortened")].filter((note) => note.closest(".seat") === part.closest(".seat"));
}

/** The buttons that open what hides an element within its row, the outermost first. @param {Element} element @param {Element} seat @returns {HTMLElement[]} */
function closedAround(element, seat) {
  const buttons = [];
  for (let one = /** @type {Element | null} */ (element); one && one !== seat; one = one.parentElement) {
    const opens = one.id ? seat.querySelector(`[aria-controls="${CSS.escape(one.id)}"][aria-expanded="false"]`) : null;
    if (opens) buttons.unshift(/** @type {HTMLElement} */ (opens));
  }
  return buttons;
}

/** Fetches what is left out of a row's parts until the words are there. @param {Element[]} parts @param {string} query @param {() => boolean} isWanted @returns {Promise<Range | null>} */
async function fetched(parts, query, isWanted) {
  for (const part of parts) {
    for (const rest of notesIn(part)) {
      if (!isWanted()) return null;
      const place = (await loadRest(rest)) ? placeOfWords(part, query) : null;
      if (place) return place;
    }
  }
  return null;
}
