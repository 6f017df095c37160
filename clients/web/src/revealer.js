/**
 * Brings a place of the session before the reader: a search hit, or what a link leads to (E-10).
 *
 * 1. One request, one effect. Older pages are loaded until the place is held; then what hides it is opened, by the
 *    reducer of the presentation that shows, and it is scrolled to. After that the request is forgotten, so that nothing is
 *    opened again over what the reader closes later.
 * 2. Whether there is such a row is asked of the service first, so that a link to nowhere does not load a whole history.
 * 3. Another request, or another session, ends one that is under way.
 *
 * @typedef {import("./address.js").Target} Target
 * @typedef {import("./session_calls.js").SessionCalls} SessionCalls
 * @typedef {"loading" | "gone" | "failed" | ""} State
 * `focus`: the place takes the keyboard's focus; `arrived` is told what was brought into sight, once.
 * @typedef {{focus?: boolean, arrived?: (element: HTMLElement) => void}} Reveal
 *
 * What it works on: `ready` is true once all that is held is drawn, `behind` while a position is still to come; `held` gives the element of a place, after everything around it was opened, or null; `older` asks for
 * the page before, false where the place cannot be there.
 * @typedef {{
 *   calls: SessionCalls,
 *   ready: () => boolean,
 *   behind: (position: import("./types.js").Position) => boolean,
 *   held: (target: Target) => HTMLElement | null,
 *   older: (target: Target) => boolean,
 *   settled: () => boolean,
 *   show: (element: HTMLElement) => void,
 *   told: (state: State, problem?: unknown) => void,
 * }} Place
 *
 * `known`: there is such a place, as of `position`.
 * @typedef {{target: Target, focus: boolean, arrived: (element: HTMLElement) => void, known: boolean, position: import("./types.js").Position | null}} Wanted
 */

/** How long a place is held in sight while rows around it are still being drawn. */
const STEADY_MS = 1_500;
const FLASH_MS = 2_000;

export class Revealer {
  #wanted = /** @type {Wanted | null} */ (null);
  #shown = /** @type {{element: HTMLElement, untilMs: number} | null} */ (null);
  #asking = /** @type {AbortController | null} */ (null);

  /** @param {Place} place */
  constructor(place) {
    this.place = place;
  }

  /** @param {Target} target @param {Reveal} [options] */
  reveal(target, { focus = false, arrived = () => undefined } = {}) {
    this.stop();
    this.#wanted = { target, focus, arrived, known: false, position: null };
    this.drawn();
  }

  /** What a link leads to and is still to be found. @returns {Target | null} */
  get link() {
    return this.#wanted?.focus ? this.#wanted.target : null;
  }

  /** Goes to what is there already. @param {HTMLElement} element */
  go(element) {
    this.stop();
    this.#arrive(element, true);
  }

  /** The reader moves by hand: nothing is held in sight any more, and what was said of a place is read. */
  release() {
    this.#shown = null;
    if (!this.#wanted) this.place.told("");
  }

  stop() {
    this.#asking?.abort();
    this.#asking = null;
    this.#wanted = null;
    this.#shown = null;
    this.place.told("");
  }

  /** Something was drawn: the place may be there now, or may have moved. */
  drawn() {
    this.#steady();
    const wanted = this.#wanted;
    if (!wanted || !this.place.ready()) return;
    const element = this.place.held(wanted.target);
    if (element) {
      this.#arrive(element, wanted.focus);
      wanted.arrived(element);
    } else if (!wanted.known) this.#ask(wanted);
    else if (!wanted.position || !this.place.behind(wanted.position)) this.#older();
  }

  /** @param {HTMLElement} element @param {boolean} focus */
  #arrive(element, focus) {
    this.#wanted = null;
    this.place.told("");
    this.#shown = { element, untilMs: Date.now() + STEADY_MS };
    this.place.show(element);
    flash(element);
    if (!focus) return;
    element.tabIndex = -1;
    element.focus({ preventScroll: true });
  }

  #steady() {
    const shown = this.#shown;
    if (!shown) return;
    if (Date.now() > shown.untilMs || !shown.element.isConnected) this.#shown = null;
    else this.place.show(shown.element);
    if (this.place.settled()) this.#shown = null;
  }

  #older() {
    if (this.#wanted && this.place.older(this.#wanted.target)) this.place.told("loading");
    else this.#lost();
  }

  #lost() {
    this.#wanted = null;
    this.place.told("gone");
  }

  /** Nothing is known of the place. @param {unknown} problem */
  #failed(problem) {
    this.#asking = null;
    this.#wanted = null;
    this.place.told("failed", problem);
  }

  /** @param {Wanted} wanted */
  #ask(wanted) {
    const { target } = wanted;
    if (target.turn !== undefined) {
      wanted.known = true;
      this.#older();
      return;
    }
    if (this.#asking) return;
    this.#asking = new AbortController();
    this.place.told("loading");
    const outermost = target.in.length > 0 ? `tool:${target.in[0]}` : target.key;
    this.place.calls.locate(outermost, this.#asking.signal).then(
      ({ hit, position }) => {
        if (wanted !== this.#wanted) return;
        this.#asking = null;
        wanted.known = true;
        wanted.position = position;
        if (hit) this.drawn();
        else this.#lost();
      },
      (problem) => wanted === this.#wanted && this.#failed(problem),
    );
  }
}

/** A ring around it for a moment, which its shelf does not cut off. @param {HTMLElement} element */
function flash(element) {
  const shelf = element.closest(".shelf");
  element.classList.add("revealed");
  shelf?.classList.add("holds-revealed");
  setTimeout(() => {
    element.classList.remove("revealed");
    shelf?.classList.remove("holds-revealed");
  }, FLASH_MS);
}
