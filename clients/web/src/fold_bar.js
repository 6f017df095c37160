/**
 * A group's fold bar: it stands in the gutter that the group's rows are indented by, is not seen at rest, and closes the
 * group (E-11). The rows are no children of the group (E-1), so its height is taken while somebody points at it or has
 * the focus on it, and from then on kept right until they leave.
 */

import { el } from "./element.js";

/** How far a group's rows are indented, in px; the style sheet says the same. */
export const GUTTER_PX = 12;

export class FoldBar {
  /** @param {HTMLElement} header whose lower edge it begins at @param {string} label @param {() => void} onClick */
  constructor(header, label, onClick) {
    this.header = header;
    /** The lowest element of the group that shows; set by whoever knows the rows. @type {() => Element | null} */
    this.lowest = () => null;
    this.element = el("button", { type: "button", class: "fold-bar", "aria-label": label, hidden: true });
    this.observer = new ResizeObserver(() => this.#measure());
    this.element.addEventListener("click", onClick);
    this.element.addEventListener("focus", () => this.show());
    this.element.addEventListener("blur", () => this.#rest());
    this.element.addEventListener("pointerleave", () => this.#rest());
    header.append(this.element);
  }

  /** @param {boolean} open */
  setOpen(open) {
    this.element.hidden = !open;
    if (!open) this.#hide();
  }

  /** Somebody points into the gutter. */
  show() {
    this.#measure();
    this.element.dataset.shown = "";
    this.header.closest(".shelf")?.setAttribute("data-bar", "");
    const turn = this.header.parentElement?.closest(".turn");
    if (turn) this.observer.observe(turn);
  }

  #measure() {
    const lowest = this.lowest();
    if (!lowest) return;
    const height = lowest.getBoundingClientRect().bottom - this.header.getBoundingClientRect().bottom;
    this.element.style.height = `${Math.max(0, height)}px`;
  }

  #rest() {
    if (!this.element.matches(":hover, :focus")) this.#hide();
  }

  #hide() {
    if (this.element.dataset.shown === undefined) return;
    delete this.element.dataset.shown;
    this.header.closest(".shelf")?.removeAttribute("data-bar");
    this.observer.disconnect();
  }
}
