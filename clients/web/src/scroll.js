/**
 * Where the reader is: keeps that place while the transcript changes, and follows the tail only from the tail (E-13).
 */

/** Nearer to the end than this is at the tail, in px. */
const TAIL_PX = 32;
/** What is brought into sight by its beginning keeps this distance from the upper edge, in px. */
const ABOVE_PX = 24;

export class Scroller {
  /** @param {HTMLElement} element what scrolls @param {HTMLElement} content @param {() => void} onChange */
  constructor(element, content, onChange) {
    this.element = element;
    this.content = content;
    this.onChange = onChange;
    this.following = true;
    /** Where the reader was last, in px. */
    this.top = 0;
    element.addEventListener("scroll", () => this.#look(), { passive: true });
    // What the reader opens at the tail must not be scrolled away by the next chunk.
    content.addEventListener("click", () => requestAnimationFrame(() => this.#look()));
    this.observer = new ResizeObserver(() => {
      if (this.following) this.#jump();
    });
    this.observer.observe(content);
    this.observer.observe(element);
  }

  stop() {
    this.observer.disconnect();
  }

  /** An element that was moved within the page begins at its top again: back to where the reader was. */
  restore() {
    if (this.following) this.#jump();
    else this.element.scrollTop = this.top;
  }

  /** Runs `change`, which changes the content, and keeps the reader's place. @param {() => void} change */
  around(change) {
    if (this.following) {
      change();
      this.#jump();
    } else {
      // A browser's own anchoring does not do: it gives up where a margin above the reader changes, as it does in a fold.
      const held = this.#inSight().map((one) => ({ one, top: one.getBoundingClientRect().top }));
      change();
      const kept = held.find(({ one }) => one.isConnected && one.checkVisibility());
      if (kept) this.element.scrollTop += kept.one.getBoundingClientRect().top - kept.top;
    }
  }

  /** Brings an element or words into sight: the middle, or the beginning of what is taller than most of what shows. @param {HTMLElement | Range} place */
  show(place) {
    // What a preference hides has no place on the screen.
    if (place.getClientRects().length === 0) return;
    this.following = false;
    if (place instanceof Range) this.#showInside(place);
    const frame = this.element.getBoundingClientRect();
    const box = place.getBoundingClientRect();
    const room = frame.height - box.height;
    const above = room > frame.height * 0.4 ? room / 3 : ABOVE_PX;
    this.element.scrollTop += box.top - frame.top - above;
    this.#look();
    this.onChange();
  }

  /** Scrolls what scrolls by itself around words: a long output, a long line. @param {Range} words */
  #showInside(words) {
    for (let one = words.startContainer.parentElement; one && one !== this.element; one = one.parentElement) {
      if (one.scrollHeight <= one.clientHeight && one.scrollWidth <= one.clientWidth) continue;
      const [frame, box] = [one.getBoundingClientRect(), words.getBoundingClientRect()];
      if (box.top < frame.top || box.bottom > frame.bottom) one.scrollTop += box.top - frame.top - frame.height / 3;
      if (box.left < frame.left || box.right > frame.right) one.scrollLeft += box.left - frame.left - frame.width / 3;
    }
  }

  toTail() {
    this.following = true;
    this.#jump();
    this.onChange();
  }

  #jump() {
    this.element.scrollTop = this.element.scrollHeight;
  }

  #look() {
    const { scrollHeight, scrollTop, clientHeight } = this.element;
    this.top = scrollTop;
    const following = scrollHeight - scrollTop - clientHeight <= TAIL_PX;
    if (following === this.following) return;
    this.following = following;
    this.onChange();
  }

  /** Which of these, in their order, is the first in sight; the last where none is. @param {Element[]} elements */
  firstOf(elements) {
    const top = this.element.getBoundingClientRect().top;
    const at = elements.findIndex((one) => one.getBoundingClientRect().bottom > top + ABOVE_PX);
    return at < 0 ? elements.length - 1 : at;
  }

  /** What is at the upper edge of the window, from the words there outwards to their row. @returns {Element[]} */
  #inSight() {
    const { left, top, width } = this.element.getBoundingClientRect();
    const root = /** @type {Document | ShadowRoot} */ (this.element.getRootNode());
    let one = this.element.isConnected ? root.elementFromPoint(left + width / 2, top + 1) : null;
    if (!one?.closest(".seat") || !this.content.contains(one)) one = this.#firstSeat(top);
    const found = [];
    for (; one && one !== this.content; one = one.parentElement) found.push(one);
    return found;
  }

  /** @param {number} top @returns {Element | null} */
  #firstSeat(top) {
    for (const seat of this.content.querySelectorAll(".seat:not([hidden])")) {
      if (seat.getBoundingClientRect().bottom > top) return seat;
    }
    return null;
  }
}
