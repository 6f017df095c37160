/**
 * The page's composition: the socket, the list, the chosen session's pane, and the reader's own state.
 *
 * The address keeps the chosen session (`#session`). The reader's options are kept in this browser, as preferences; what the
 * reader opened by hand is kept in memory alone.
 */

import { Connection } from "./connection.js";
import { el, icon, setText } from "./element.js";
import { focusFirst, reduce } from "./expansion/reducer.js";
import { NOTHING_CHOSEN, paneOf } from "./expansion/state.js";
import { LinkBanner } from "./link_banner.js";
import { Pane } from "./pane.js";
import { SessionList } from "./session_list.js";
import { SessionNav } from "./session_nav.js";
import { loadOptions, storeOptions } from "./reader_options.js";
import { wordsFor } from "./words.js";

/** @typedef {import("./types.js").Frame} Frame */

const LIST_SUB = "sessions";
const TICK_MS = 1_000;

class Page {
  constructor() {
    this.words = wordsFor(navigator.languages);
    document.documentElement.lang = this.words.language;
    this.list = new SessionList();
    /** @type {import("./expansion/state.js").Expansion} */
    this.expansion = NOTHING_CHOSEN;
    this.options = loadOptions();
    /** @type {Pane | null} */
    this.pane = null;
    /** The service's clock minus this machine's, in ms. */
    this.clockOffsetMs = 0;
    this.#build();
    this.connection = new Connection(this.#socketUrl(), {
      onOpen: (welcome) => this.#opened(welcome),
      onFrame: (frame) => this.#receive(frame),
      onLink: (link) => this.#linked(link),
    });
    window.addEventListener("hashchange", () => this.#choose());
    window.setInterval(() => this.#tick(), TICK_MS);
    this.#choose();
    this.connection.start();
  }

  #build() {
    const { words } = this;
    this.navList = el("ul", { class: "nav-list" });
    this.nav = new SessionNav(this.navList, words);
    this.linkDot = el("span", { class: "link", role: "status" });
    const brand = el("div", { class: "brand" }, el("span", { class: "brand-name" }, "Turnfold"), this.linkDot);
    const sidebar = el("nav", { class: "sidebar", "aria-label": words.sessions }, brand, this.navList);
    this.title = el("h1", { class: "pane-title" });
    this.meta = el("div", { class: "pane-meta" });
    const back = el("a", { class: "back", href: "#", "aria-label": words.back, title: words.back }, icon("back"));
    this.modes = el("div", { class: "modes", role: "group", "aria-label": words.mode, title: words.mode });
    for (const mode of /** @type {const} */ (["compact", "normal"])) this.modes.append(this.#modeButton(mode));
    this.head = el("header", { class: "pane-head" }, back, el("div", { class: "pane-heading" }, this.title, this.meta), this.modes);
    this.banner = new LinkBanner(words, () => this.connection.wake(), (token) => this.connection.restart(token));
    this.placeholder = el("div", { class: "placeholder" }, el("strong", {}, words.choose), el("p", {}, words.choose_hint));
    this.main = el("main", { class: "pane" }, this.banner.element, this.head, this.placeholder);
    document.body.append(sidebar, this.main);
    this.#drawMode();
  }

  /** @param {import("./expansion/actions.js").Mode} mode */
  #modeButton(mode) {
    const button = el("button", { type: "button", "data-mode": mode }, this.words[mode]);
    button.addEventListener("click", () => {
      this.#prefer({ mode });
      this.#drawMode();
    });
    return button;
  }

  /** @param {Partial<import("./reader_options.js").ReaderOptions>} change */
  #prefer(change) {
    this.options = { ...this.options, ...change };
    storeOptions(this.options);
    this.pane?.derive();
  }

  #drawMode() {
    for (const button of this.modes.children) {
      button.setAttribute("aria-pressed", String(/** @type {HTMLElement} */ (button).dataset.mode === this.options.mode));
    }
  }

  /** Relative to the page, so that a base path works. @param {string} path */
  urlOf(path) {
    return new URL(path, new URL(".", document.baseURI)).href;
  }

  #socketUrl() {
    return this.urlOf("v1/ws").replace(/^http/, "ws");
  }

  nowMs() {
    return Date.now() + this.clockOffsetMs;
  }

  /** @param {Frame} welcome */
  #opened(welcome) {
    if (welcome.server_time_ms) this.clockOffsetMs = welcome.server_time_ms - Date.now();
    this.connection.send({ type: "subscribe_sessions", sub: LIST_SUB });
    this.pane?.subscribe();
    this.pane?.view.tick();
  }

  /** @param {Frame} frame */
  #receive(frame) {
    if (frame.type === "sessions") this.#listed(frame);
    else this.pane?.receive(frame);
  }

  /** @param {Frame} frame */
  #listed(frame) {
    for (const session of this.list.receive(/** @type {any} */ (frame))) {
      this.expansion = reduce(this.expansion, { type: "forget", session });
    }
    this.#drawList();
    this.#drawHead();
  }

  /** @param {import("./connection.js").Link} link */
  #linked(link) {
    this.banner.show(link);
    this.linkDot.dataset.link = link.name;
    setText(this.linkDot, link.name === "open" ? this.words.open : link.name === "connecting" ? this.words.connecting : "");
    document.documentElement.dataset.link = link.name;
    this.pane?.view.tick();
  }

  #tick() {
    this.banner.tick();
    this.pane?.view.tick();
    if (new Date().getSeconds() === 0) this.#drawList();
  }

  #choose() {
    const session = this.#chosen();
    this.pane?.stop();
    this.pane = session ? new Pane(session, this.#host()) : null;
    this.placeholder.hidden = session !== null;
    document.body.dataset.pane = session ? "open" : "none";
    if (this.pane) {
      this.main.append(this.pane.element);
      if (this.connection.link.name === "open") this.pane.subscribe();
    }
    this.#drawList();
    this.#drawHead();
  }

  /** @returns {string | null} */
  #chosen() {
    try {
      return decodeURIComponent(location.hash.slice(1)) || null;
    } catch {
      return null;
    }
  }

  /** @returns {import("./pane.js").PaneHost} */
  #host() {
    return {
      words: this.words,
      send: (message) => this.connection.send(message),
      live: () => this.connection.link.name === "open",
      nowMs: () => this.nowMs(),
      options: () => this.options,
      prefer: (change) => this.#prefer(change),
      expansion: (session) => paneOf(this.expansion, session),
      focusFirst: (action) => focusFirst(this.expansion, action),
      dispatch: (action) => (this.expansion = reduce(this.expansion, action)),
      urlOf: (path) => this.urlOf(path),
      headers: () => this.connection.headers(),
    };
  }

  #drawList() {
    if (this.list.known) this.nav.draw(this.list.newestFirst(), this.#chosen(), this.nowMs());
  }

  #drawHead() {
    const session = this.#chosen();
    this.head.hidden = session === null;
    const summary = session === null ? undefined : this.list.summaries.get(session);
    setText(this.title, summary?.title || session || "");
    setText(this.meta, [summary?.agent, summary?.model, summary?.cwd].filter(Boolean).join(" · "));
    document.title = session ? `${summary?.title || session} · Turnfold` : "Turnfold";
    this.pane?.scroll.setAttribute("aria-label", summary?.title || session || "");
  }
}

new Page();
