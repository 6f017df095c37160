/** `<turnfold-sessions>`: the list of sessions, newest first, live. */

import { el } from "./element.js";
import { ServiceElement } from "./service_element.js";
import { SessionNav } from "./session_nav.js";

/** @typedef {import("./service_client.js").ServiceClient} ServiceClient */
/** @typedef {import("./service_client.js").Member} Member */

export class TurnfoldSessions extends ServiceElement {
  #nav = /** @type {SessionNav | null} */ (null);

  static get observedAttributes() {
    return [...super.observedAttributes, "session", "for"];
  }

  get properties() {
    return [...super.properties, "session", "htmlFor"];
  }

  constructor() {
    super();
    this.addEventListener("click", (event) => this.#clicked(event));
  }

  /** The chosen session; empty: none. */
  get session() {
    return this.getAttribute("session") ?? "";
  }

  set session(session) {
    if (session) this.setAttribute("session", session);
    else this.removeAttribute("session");
  }

  /** The id of the `<turnfold-transcript>` that shows what is chosen here. */
  get htmlFor() {
    return this.getAttribute("for") ?? "";
  }

  set htmlFor(id) {
    this.setAttribute("for", id);
  }

  /** @param {string} name @param {string | null} before @param {string | null} after */
  attributeChangedCallback(name, before, after) {
    if (before === after) return;
    if (name === "session") this.#draw();
    else if (name !== "for") super.attributeChangedCallback(name, before, after);
  }

  /** @param {ServiceClient} service @returns {Member} */
  enter(service) {
    const list = el("ul", { class: "nav-list" });
    this.#nav = new SessionNav(list, this.words);
    this.replaceChildren(list);
    this.#draw();
    let minute = 0;
    return {
      listed: (gone) => {
        this.#draw();
        this.say("turnfold-list", { sessions: service.list.newestFirst(), gone });
      },
      opened: () => this.followLanguage(),
      preferred: () => this.followLanguage(),
      linked: (link) => (this.dataset.link = link.name),
      tick: () => {
        const now = Math.floor(service.nowMs() / 60_000);
        if (now !== minute) this.#draw();
        minute = now;
      },
    };
  }

  exit() {
    this.#nav = null;
    this.replaceChildren();
  }

  #draw() {
    const { list } = this.service;
    if (list.known) this.#nav?.draw(list.newestFirst(), this.session || null, this.service.nowMs());
  }

  /** @param {MouseEvent} event */
  #clicked(event) {
    const link = event.target instanceof Element ? event.target.closest("[data-session]") : null;
    const session = link?.getAttribute("data-session");
    const isPlain = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;
    if (!session || !isPlain || event.defaultPrevented) return;
    if (!this.say("turnfold-choose", { session })) {
      event.preventDefault();
      return;
    }
    if (!this.htmlFor) return;
    event.preventDefault();
    this.session = session;
    const root = /** @type {Document | ShadowRoot} */ (this.getRootNode());
    const shown = /** @type {{session?: string} | null} */ (/** @type {unknown} */ (root.getElementById(this.htmlFor)));
    if (shown) shown.session = session;
  }
}
