/**
 * One row's own disclosure: a real button and the panel that it opens. The panel's content stays in the page while it
 * is closed, so that the browser's search finds it and opens it (`beforematch`).
 */

import { el, icon } from "./element.js";

let panels = 0;

/** What opens and closes, and says whether it is open. @typedef {{readonly open: boolean, set: (open: boolean) => void, button: HTMLElement}} Openable */

/** @param {Openable} openable @returns {CustomEvent<Openable>} */
export function toggleEvent(openable) {
  return new CustomEvent("disclosure", { bubbles: true, cancelable: true, detail: openable });
}

/** Hides or shows; hidden content stays searchable where the browser can. @param {HTMLElement} element @param {boolean} hidden */
export function setHidden(element, hidden) {
  if (element.hasAttribute("hidden") === hidden) return;
  if (hidden) element.setAttribute("hidden", "until-found");
  else element.removeAttribute("hidden");
}

/**
 * How much of something shows: all of it; nothing, until the browser's search or the reader opens what holds it (E-2);
 * nothing at all, since the presentation leaves it out.
 *
 * @typedef {"shown" | "folded" | "absent"} Visibility
 */

/** @param {Element} element @param {Visibility} visibility */
export function setVisibility(element, visibility) {
  const hidden = visibility === "shown" ? null : visibility === "folded" ? "until-found" : "";
  if (element.getAttribute("hidden") === hidden) return;
  if (hidden === null) element.removeAttribute("hidden");
  else element.setAttribute("hidden", hidden);
}

export class Disclosure {
  /** @param {string} name a class for both parts @param {...(Node | string | null)} header what the button shows */
  constructor(name, ...header) {
    panels += 1;
    this.panel = el("div", { class: `panel ${name}-panel`, id: `panel-${panels}` });
    this.button = el(
      "button",
      { type: "button", class: `disclosure ${name}`, "aria-expanded": "false", "aria-controls": this.panel.id },
      ...header,
      icon("chevron"),
    );
    setHidden(this.panel, true);
    this.button.addEventListener("click", () => this.toggle());
    this.panel.addEventListener("beforematch", (event) => {
      if (event.target === this.panel) this.set(true);
    });
  }

  get open() {
    return this.button.getAttribute("aria-expanded") === "true";
  }

  /** The reader toggles it. A presentation that keeps what is open of rows takes the event for its own. */
  toggle() {
    if (this.button.dispatchEvent(toggleEvent(this))) this.set(!this.open);
  }

  /** @param {boolean} open */
  set(open) {
    this.button.setAttribute("aria-expanded", String(open));
    setHidden(this.panel, !open);
  }
}

/** A row's own disclosure, as a presentation opens and closes it. @param {Disclosure} disclosure @returns {Pick<import("./page_context.js").RowView, "own" | "detail">} */
export function openable(disclosure) {
  return { own: disclosure, detail: (detail) => (detail ? disclosure.set(detail.open) : undefined) };
}
