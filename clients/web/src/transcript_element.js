/** `<turnfold-transcript>`: one session, live. */

import { el } from "./element.js";
import { LinkBanner } from "./link_banner.js";
import { Pane } from "./pane.js";
import { ServiceElement } from "./service_element.js";

/** @typedef {import("./service_client.js").ServiceClient} ServiceClient */
/** @typedef {import("./service_client.js").Member} Member */
/** @typedef {import("./reader_options.js").ReaderOptions} ReaderOptions */

export class TurnfoldTranscript extends ServiceElement {
  #pane = /** @type {Pane | null} */ (null);
  #banner = /** @type {LinkBanner | null} */ (null);
  #member = /** @type {Member} */ ({});
  /** What is to be shown once there is a session. @type {import("./address.js").Target | null} */
  #target = null;
  /** @type {((target: import("./address.js").Target) => string | null) | null} */
  #linkOf = null;

  static get observedAttributes() {
    return [...super.observedAttributes, "session", "view", "mode", "fold-partial", "no-banner", "label"];
  }

  get properties() {
    return [...super.properties, "session", "view", "mode", "foldPartial", "noBanner", "label", "linkOf"];
  }

  /** The session that is shown; empty: none. */
  get session() {
    return this.getAttribute("session") ?? "";
  }

  set session(session) {
    this.#reflect("session", session || null);
  }

  /**
   * Which presentation: the web's turn processes, or the desktop's entries and groups; the reader's preference unless given.
   * @returns {import("./subscription.js").ViewKind}
   */
  get view() {
    const given = this.getAttribute("view");
    return given === "desktop" || given === "web" ? given : this.service.preferences.presentation;
  }

  set view(kind) {
    this.#reflect("view", kind);
  }

  /**
   * In the web's presentation: `compact` folds finished turns, `normal` shows all of them; the reader's preference unless given.
   * @returns {import("./expansion/actions.js").Mode}
   */
  get mode() {
    const given = this.getAttribute("mode");
    return given === "compact" || given === "normal" ? given : this.service.preferences.transcript_view;
  }

  set mode(mode) {
    this.#reflect("mode", mode);
  }

  /** Whether turns fold that are whole while older ones are still to be loaded (E-5). */
  get foldPartial() {
    return this.hasAttribute("fold-partial");
  }

  set foldPartial(folds) {
    this.#reflect("fold-partial", folds ? "" : null);
  }

  /** Whether somebody else says that the connection is lost. */
  get noBanner() {
    return this.hasAttribute("no-banner");
  }

  set noBanner(without) {
    this.#reflect("no-banner", without ? "" : null);
  }

  /** What a screen reader calls it; the session's id unless given. */
  get label() {
    return this.getAttribute("label") || this.session;
  }

  set label(text) {
    this.#reflect("label", text || null);
  }

  /** Gives the address of a place, for those who copy a link to it; null: none is offered. */
  get linkOf() {
    return this.#linkOf;
  }

  set linkOf(linkOf) {
    this.#linkOf = linkOf;
  }

  /** What shows the session; null while none is chosen, or the element is not in a page. */
  get pane() {
    return this.#pane;
  }

  /** @param {string} name @param {string | null} before @param {string | null} after */
  attributeChangedCallback(name, before, after) {
    if (before === after) return;
    if (name === "view") this.#pane?.show(this.view);
    else if (name === "mode" || name === "fold-partial") this.#pane?.derive();
    else if (name === "label") this.#pane?.scroll.setAttribute("aria-label", this.label);
    else super.attributeChangedCallback(name, before, after);
  }

  /** @param {ServiceClient} service @returns {Member} */
  enter(service) {
    const { words, session } = this;
    this.#banner = this.noBanner ? null : new LinkBanner(words, () => service.connection.wake());
    this.#pane = session ? new Pane(session, this.#host(service)) : null;
    const empty = el("div", { class: "placeholder" }, el("strong", {}, words.choose), el("p", {}, words.choose_hint));
    this.replaceChildren(...[this.#banner?.element, this.#pane?.element ?? empty].filter((one) => one !== undefined));
    this.#pane?.scroll.setAttribute("aria-label", this.label);
    if (service.live) this.#pane?.subscribe();
    if (this.#target) this.#pane?.reveal(this.#target, { focus: true });
    this.#target = null;
    this.#member = {
      opened: () => {
        this.#pane?.resume(this.view);
        this.#pane?.view.tick();
        this.followLanguage();
      },
      preferred: () => {
        this.#pane?.show(this.view);
        this.#pane?.derive();
        this.followLanguage();
      },
      frame: (frame) => this.#pane?.receive(frame),
      linked: (link) => this.#linked(link),
      expanded: (changed) => changed === session && this.#pane?.derive(),
      tick: () => {
        this.#banner?.tick();
        this.#pane?.view.tick();
      },
    };
    return this.#member;
  }

  /**
   * Brings a turn or a row of the session before the reader: older pages are loaded, what hides it is opened, once (E-10).
   *
   * @param {import("./address.js").Target} target as `{turn: 3}`, or `{key: "tool:c1", in: []}` with the calls that lead to its delegate
   */
  reveal(target) {
    // A session that was chosen in the same task is not drawn yet.
    this.#target = target;
    queueMicrotask(() => {
      if (this.#target !== target || this.#pane?.subscription.session !== this.session) return;
      this.#target = null;
      this.#pane?.reveal(target, { focus: true });
    });
  }

  /** Opens the search of the session. */
  find() {
    this.#pane?.find.show();
  }

  exit() {
    // Drawn anew in another language, say: what a link leads to is still to be found.
    if (this.#pane?.subscription.session === this.session) this.#target ??= this.#pane.revealer.link;
    this.#pane?.stop();
    this.#pane = null;
    this.replaceChildren();
  }

  connectedCallback() {
    super.connectedCallback();
    this.#pane?.scroller.restore();
  }

  /** @param {import("./connection.js").Link} link */
  #linked(link) {
    this.dataset.link = link.name;
    this.#banner?.show(link);
    this.#pane?.view.tick();
    this.say("turnfold-link", link);
  }

  /** @param {ServiceClient} service @returns {import("./pane.js").PaneHost} */
  #host(service) {
    return {
      words: this.words,
      send: (message) => service.send(message),
      live: () => service.live,
      nowMs: () => service.nowMs(),
      options: () => ({ view: this.view, mode: this.mode, foldPartial: this.foldPartial }),
      prefer: (change) => this.#prefer(change),
      expansion: (session) => service.pane(session),
      focusFirst: (action) => service.focusFirst(action),
      dispatch: (action) => service.dispatch(action, this.#member),
      urlOf: (path) => service.urlOf(path),
      http: service.http,
      answersTaken: () => (service.limits.max_answer_bytes ?? 0) > 0,
      drafts: (session) => service.drafts.of(session),
      linkOf: (target) => this.linkOf?.(target) ?? null,
    };
  }

  /** The reader chose something in here. @param {Partial<ReaderOptions>} change */
  #prefer(change) {
    if (!this.say("turnfold-prefer", change)) return;
    if (change.mode) this.mode = change.mode;
    if (change.foldPartial !== undefined) this.foldPartial = change.foldPartial;
  }

  /** @param {string} name @param {string | null} value null: none */
  #reflect(name, value) {
    if (value === null) this.removeAttribute(name);
    else this.setAttribute(name, value);
  }
}
