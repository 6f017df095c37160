/**
 * The reference page's composition: the list of sessions, the chosen one's transcript, the heading above it. Both are
 * the library's own elements, joined to one service.
 *
 * The address keeps the chosen session (`#session`). The reader's options are kept in this browser, as preferences; what the
 * reader opened by hand is kept in memory alone.
 */

import { el, icon, setText } from "./element.js";
import { TurnfoldSessions, TurnfoldTranscript } from "./elements.js";
import { LinkBanner } from "./link_banner.js";
import { ServiceClient } from "./service_client.js";
import { loadOptions, storeOptions } from "./reader_options.js";
import { wordsFor } from "./words.js";

class Page {
  constructor() {
    this.words = wordsFor(navigator.languages);
    document.documentElement.lang = this.words.language;
    this.options = loadOptions();
    /** What was typed where the service asked for a token. @type {string | null} */
    this.token = null;
    // Relative to the page, so that a base path works.
    this.service = new ServiceClient(".", { token: () => this.token });
    this.transcript = new TurnfoldTranscript();
    this.sessions = new TurnfoldSessions();
    this.#build();
    this.#applyOptions();
    this.service.join({
      linked: (link) => this.#linked(link),
      listed: () => this.#drawHead(),
      tick: () => this.banner.tick(),
    });
    window.addEventListener("hashchange", () => this.#choose());
    this.#choose();
  }

  #build() {
    const { words } = this;
    this.transcript.noBanner = true;
    this.transcript.service = this.sessions.service = this.service;
    this.transcript.addEventListener("turnfold-prefer", (event) => this.#prefer(/** @type {CustomEvent} */ (event).detail));
    this.linkDot = el("span", { class: "link", role: "status" });
    const brand = el("div", { class: "brand" }, el("span", { class: "brand-name" }, "Turnfold"), this.linkDot);
    const sidebar = el("nav", { class: "sidebar", "aria-label": words.sessions }, brand, this.sessions);
    this.title = el("h1", { class: "pane-title" });
    this.meta = el("div", { class: "pane-meta" });
    const back = el("a", { class: "back", href: "#", "aria-label": words.back, title: words.back }, icon("back"));
    this.modes = el("div", { class: "modes", role: "group", "aria-label": words.mode, title: words.mode });
    for (const mode of /** @type {const} */ (["compact", "normal"])) this.modes.append(this.#modeButton(mode));
    this.head = el("header", { class: "pane-head" }, back, el("div", { class: "pane-heading" }, this.title, this.meta), this.modes);
    this.banner = new LinkBanner(words, () => this.service.connection.wake(), (token) => this.#signIn(token));
    document.body.append(sidebar, el("main", { class: "pane" }, this.banner.element, this.head, this.transcript));
  }

  /** @param {import("./expansion/actions.js").Mode} mode */
  #modeButton(mode) {
    const button = el("button", { type: "button", "data-mode": mode }, this.words[mode]);
    button.addEventListener("click", () => this.#prefer({ mode }));
    return button;
  }

  /** @param {Partial<import("./reader_options.js").ReaderOptions>} change */
  #prefer(change) {
    this.options = { ...this.options, ...change };
    storeOptions(this.options);
    this.#applyOptions();
  }

  #applyOptions() {
    this.transcript.mode = this.options.mode;
    this.transcript.foldPartial = this.options.foldPartial;
    for (const button of this.modes.children) {
      button.setAttribute("aria-pressed", String(/** @type {HTMLElement} */ (button).dataset.mode === this.options.mode));
    }
  }

  /** @param {string} token */
  #signIn(token) {
    this.token = token;
    this.service.connection.restart();
  }

  /** @param {import("./connection.js").Link} link */
  #linked(link) {
    this.banner.show(link);
    this.linkDot.dataset.link = link.name;
    setText(this.linkDot, link.name === "open" ? this.words.open : link.name === "connecting" ? this.words.connecting : "");
    document.documentElement.dataset.link = link.name;
  }

  #choose() {
    const session = this.#chosen();
    this.transcript.session = this.sessions.session = session;
    document.body.dataset.pane = session ? "open" : "none";
    this.#drawHead();
  }

  /** @returns {string} empty: none */
  #chosen() {
    try {
      return decodeURIComponent(location.hash.slice(1));
    } catch {
      return "";
    }
  }

  #drawHead() {
    const session = this.#chosen();
    this.head.hidden = session === "";
    const summary = this.service.list.summaries.get(session);
    setText(this.title, summary?.title || session);
    setText(this.meta, [summary?.agent, summary?.model, summary?.cwd].filter(Boolean).join(" · "));
    document.title = session ? `${summary?.title || session} · Turnfold` : "Turnfold";
    this.transcript.label = summary?.title || session;
  }
}

new Page();
