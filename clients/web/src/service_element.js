/**
 * What the custom elements share: which service they belong to, and when they join and leave it.
 *
 * 1. The service is `service`, if it was given; else that of `src` with `token` or `ticket`, and `fetch`. Elements that name the same
 *    share one connection.
 * 2. An element that is moved within the page stays joined, and keeps what it shows: it leaves only if it is not back by the
 *    end of the task's microtasks. What is left holds no listener, no timer and no subscription.
 * 3. Everything is drawn in the light DOM (docs/browser-library.md says why).
 */

import { sharedService } from "./service_client.js";
import { wordsFor } from "./words.js";

/** @typedef {import("./service_client.js").ServiceClient} ServiceClient */
/** @typedef {import("./service_client.js").Member} Member */

export class ServiceElement extends HTMLElement {
  #given = /** @type {ServiceClient | null} */ (null);
  #token = /** @type {import("./credentials.js").CredentialOptions["token"]} */ (null);
  #ticket = /** @type {import("./credentials.js").Provider | undefined} */ (undefined);
  #fetch = /** @type {import("./http.js").Fetch | undefined} */ (undefined);
  #joined = /** @type {{service: ServiceClient, leave: () => void} | null} */ (null);
  #isDue = false;
  #language = "";

  static get observedAttributes() {
    return ["src", "locale"];
  }

  /** The service's address; the page's own folder unless given. */
  get src() {
    return this.getAttribute("src") ?? ".";
  }

  set src(url) {
    this.setAttribute("src", url);
  }

  /** A BCP 47 tag; unless given, the reader's preference, and without one the browser's languages. */
  get locale() {
    return this.getAttribute("locale") ?? "";
  }

  set locale(tag) {
    this.setAttribute("locale", tag);
  }

  /** A token, or a function that gives one for each connect. Never an attribute: markup is no place for a secret. */
  get token() {
    return this.#token;
  }

  set token(token) {
    this.#token = token;
    this.renew();
  }

  /** A function that gives a single-use ticket for each connect. */
  get ticket() {
    return this.#ticket;
  }

  set ticket(ticket) {
    this.#ticket = ticket;
    this.renew();
  }

  /** Asks the service over HTTP, in place of the platform's own: for pages without a token. */
  get fetch() {
    return this.#fetch;
  }

  set fetch(fetch) {
    this.#fetch = fetch;
    this.renew();
  }

  /** The service that this element is joined to, or will be. @returns {ServiceClient} */
  get service() {
    if (this.#joined && !this.#isDue) return this.#joined.service;
    return this.#given ?? sharedService(this.src, { token: this.#token, ticket: this.#ticket, fetch: this.#fetch });
  }

  /** @param {ServiceClient | null} service */
  set service(service) {
    this.#given = service;
    this.renew();
  }

  get words() {
    const { language } = this.service.preferences;
    return wordsFor(this.locale ? [this.locale] : language !== "auto" ? [language] : navigator.languages);
  }

  /** Another language may count now. */
  followLanguage() {
    if (this.words.language !== this.#language) this.renew();
  }

  connectedCallback() {
    for (const name of this.properties) this.#upgrade(name);
    if (!this.#joined) this.#enter();
  }

  disconnectedCallback() {
    queueMicrotask(() => {
      if (!this.isConnected) this.#exit();
    });
  }

  /** `moveBefore` keeps everything as it is. */
  connectedMoveCallback() {}

  /** @param {string} _name @param {string | null} before @param {string | null} after */
  attributeChangedCallback(_name, before, after) {
    if (before !== after) this.renew();
  }

  /** Joins and draws anew once all that is to change has changed. */
  renew() {
    if (!this.#joined || this.#isDue) return;
    this.#isDue = true;
    queueMicrotask(() => {
      if (!this.#isDue) return;
      this.#exit();
      if (this.isConnected) this.#enter();
    });
  }

  /** Properties that may have been set before the element was defined. */
  get properties() {
    return ["src", "locale", "token", "ticket", "fetch", "service"];
  }

  /** Draws itself and says what it wants to be told. @param {ServiceClient} _service @returns {Member} */
  enter(_service) {
    throw new TypeError("an element says what it joins as");
  }

  /** Takes away what `enter` drew. @param {ServiceClient} _service */
  exit(_service) {}

  /** @param {string} name @param {object} detail @returns {boolean} false: somebody prevented what follows */
  say(name, detail) {
    return this.dispatchEvent(new CustomEvent(name, { detail, bubbles: true, composed: true, cancelable: true }));
  }

  #enter() {
    const { service } = this;
    this.#language = this.words.language;
    const member = this.enter(service);
    this.#joined = { service, leave: service.join(member) };
  }

  #exit() {
    this.#isDue = false;
    if (!this.#joined) return;
    const { service, leave } = this.#joined;
    this.#joined = null;
    this.exit(service);
    leave();
  }

  /** @param {string} name */
  #upgrade(name) {
    if (!Object.hasOwn(this, name)) return;
    const self = /** @type {Record<string, unknown>} */ (/** @type {unknown} */ (this));
    const value = self[name];
    delete self[name];
    self[name] = value;
  }
}
