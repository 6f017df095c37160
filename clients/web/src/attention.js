/**
 * Where the reader's focus and selection are among the places of the desktop presentation (E-8, E-9): nothing that holds
 * them closes by itself, and coming there claims what is above.
 *
 * @typedef {import("./expansion/actions.js").Point} Point
 * @typedef {{turn: import("./desktop_turn.js").DesktopTurn, at: import("./expansion/state.js").Address}} Placed
 */

import { DesktopTurn } from "./desktop_turn.js";
import { activeIn } from "./element.js";

export class Attention {
  /** @param {HTMLElement} root @param {WeakMap<Element, Placed>} places @param {() => Iterable<import("./turn_section.js").TurnSection>} sections */
  constructor(root, places, sections) {
    this.root = root;
    this.places = places;
    this.sections = sections;
    /** Whether anything is selected. To ask the document makes it lay itself out, so it is asked when that changes. */
    this.isSelecting = false;
    /** Where a selection was last; its every pixel is told. @type {Placed | null} */
    this.last = null;
    this.selected = () => this.#selected();
    root.addEventListener("focusin", (event) => this.#touch(this.placeOf(/** @type {Node} */ (event.target))));
    document.addEventListener("selectionchange", this.selected);
  }

  stop() {
    document.removeEventListener("selectionchange", this.selected);
  }

  /** The innermost place that something stands in. @param {Node | null} node @returns {Placed | null} */
  placeOf(node) {
    for (let one = node; one && one !== this.root; one = one.parentNode) {
      const place = this.places.get(/** @type {Element} */ (one));
      if (place) return place;
    }
    return null;
  }

  /** @returns {Point[]} */
  points() {
    const active = activeIn(this.root);
    const focused = active && this.root.contains(active) ? this.placeOf(active) : null;
    /** @type {Point[]} */
    const points = focused && active ? [{ ...focused.at, inside: focused.turn.isInside(focused.at, active) }] : [];
    const range = this.#range();
    if (!range) return points;
    for (const { shown } of this.sections()) if (shown instanceof DesktopTurn) points.push(...shown.selected(range));
    return points;
  }

  /** @returns {Range | null} what is selected, as far as it reaches in here */
  #range() {
    const selection = this.isSelecting ? document.getSelection() : null;
    if (!selection || selection.isCollapsed || selection.rangeCount === 0) return null;
    const range = selection.getRangeAt(0);
    return range.intersectsNode(this.root) ? range : null;
  }

  #selected() {
    const selection = document.getSelection();
    this.isSelecting = selection?.isCollapsed === false;
    const place = this.isSelecting && selection && this.root.contains(selection.focusNode) ? this.placeOf(selection.focusNode) : null;
    if (place === this.last) return;
    this.last = place;
    this.#touch(place);
    if (selection?.anchorNode && place) this.#touch(this.placeOf(selection.anchorNode));
  }

  /** @param {Placed | null} place */
  #touch(place) {
    if (place && place.turn.isShown) place.turn.touch(place.at);
  }
}
