/**
 * One row's own disclosure: a real button and the panel that it opens. The panel's content stays in the page while it
 * is closed, so that the browser's search finds it and opens it (`beforematch`).
 */

import { el, icon } from "./element.js";

let panels = 0;

/** Hides or shows; hidden content stays searchable where the browser can. @param {HTMLElement} element @param {boolean} hidden */
export function setHidden(element, hidden) {
  if (element.hasAttribute("hidden") === hidden) return;
  if (hidden) element.setAttribute("hidden", "until-found");
  else element.removeAttribute("hidden");
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

  toggle() {
    this.set(!this.open);
  }

  /** @param {boolean} open */
  set(open) {
    this.button.setAttribute("aria-expanded", String(open));
    setHidden(this.panel, !open);
  }
}
