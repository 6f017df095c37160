/**
 * The reference page's composition: the list of sessions, the chosen one's transcript, the heading above it. Both are
 * the library's own elements, joined to one service.
 *
 * The address keeps the chosen session, and may lead to a turn or a row of it (`address.js`). The reader's preferences are kept by the service, and what changes
 * in one window shows in the others at once; what the reader opened by hand is kept in memory alone.
 */

import { readAddress, writeAddress } from "./address.js";
import { el, icon, setText } from "./element.js";
import { TurnfoldSessions, TurnfoldTranscript } from "./elements.js";
import { ExportMenu } from "./export_menu.js";
import { LinkBanner } from "./link_banner.js";
import { PreferenceKeeper } from "./preferences.js";
import { loadFoldPartial, storeFoldPartial } from "./reader_options.js";
import { preferenceSaver } from "./service.js";
import { ServiceClient } from "./service_client.js";
import { SettingsPanel } from "./settings_panel.js";
import { commandOfEvent, shortcutList } from "./shortcuts.js";
import { wordsFor } from "./words.js";

/** What is made below, and made anew in another language. @type {any} */
const LATER = undefined;

class Page {
  /** @type {SettingsPanel} */
  settings = LATER;
  /** @type {LinkBanner} */
  banner = LATER;
  /** @type {HTMLElement} */
  head = LATER;
  /** The heading where no session is chosen. @type {HTMLElement} */
  bare = LATER;
  /** @type {HTMLElement} */
  title = LATER;
  /** @type {HTMLElement} */
  meta = LATER;
  /** @type {HTMLElement} */
  linkDot = LATER;
  /** @type {ExportMenu} */
  exports = LATER;
  /** The list of keys. @type {HTMLElement} */
  keys = LATER;

  constructor() {
    /** What was typed where the service asked for a token. @type {string | null} */
    this.token = null;
    // Relative to the page, so that a base path works.
    this.service = new ServiceClient(".", { token: () => this.token });
    const save = preferenceSaver(this.service.urlOf("v1/preferences"), this.service.http);
    this.preferences = new PreferenceKeeper(save, (failed) => this.#preferred(failed));
    this.words = this.#wanted();
    this.transcript = new TurnfoldTranscript();
    this.sessions = new TurnfoldSessions();
    this.transcript.noBanner = true;
    this.transcript.foldPartial = loadFoldPartial();
    this.transcript.service = this.sessions.service = this.service;
    this.transcript.addEventListener("turnfold-prefer", (event) => storeFoldPartial(/** @type {CustomEvent} */ (event).detail.foldPartial));
    this.#build();
    this.service.join({
      opened: (welcome) => this.preferences.receive(welcome.preferences),
      frame: (frame) => {
        if (frame.type === "preferences") this.preferences.receive(frame.preferences);
      },
      linked: (link) => this.#linked(link),
      listed: () => this.#drawHead(),
      tick: () => this.banner.tick(),
    });
    this.transcript.linkOf = (target) => new URL(writeAddress(this.#chosen(), target), location.href).href;
    window.addEventListener("hashchange", () => this.#choose());
    document.addEventListener("keydown", (event) => this.#pressed(event));
    this.#choose();
  }

  #build() {
    const { words } = this;
    this.settings = new SettingsPanel(words, (change) => this.preferences.change(change));
    this.linkDot = el("span", { class: "link", role: "status" });
    const brand = el("div", { class: "brand" }, el("span", { class: "brand-name" }, "Turnfold"), this.linkDot, this.settings.button());
    const sidebar = el("nav", { class: "sidebar", "aria-label": words.sessions }, brand, this.sessions);
    this.title = el("h1", { class: "pane-title" });
    this.meta = el("div", { class: "pane-meta" });
    const back = el("a", { class: "back", href: "#", "aria-label": words.back, title: words.back }, icon("back"));
    this.exports = new ExportMenu(words, () => this.#exported());
    this.keys = shortcutList(words);
    this.head = el(
      "header",
      { class: "pane-head" },
      back,
      el("div", { class: "pane-heading" }, this.title, this.meta),
      this.#button("search", words.find, () => this.transcript.find()),
      this.exports.button(),
      this.#button("keys", words.shortcuts, () => this.keys.togglePopover()),
      this.settings.button(),
    );
    this.banner = new LinkBanner(words, () => this.service.connection.wake(), (token) => this.#signIn(token));
    // Every page has a heading; without a session it is the product's name, which the list shows already.
    this.bare = el("h1", { class: "sr-only" }, "Turnfold");
    const main = el("main", { class: "pane" }, this.bare, this.banner.element, this.head, this.transcript);
    document.documentElement.lang = this.transcript.locale = this.sessions.locale = words.language;
    document.body.replaceChildren(sidebar, main, this.settings.element, this.exports.element, this.keys);
    this.#applyPreferences(false);
  }

  /** @param {string} name @param {string} label @param {() => void} act */
  #button(name, label, act) {
    const button = el("button", { type: "button", class: `icon-button open-${name}`, "aria-label": label, title: label }, icon(name));
    button.addEventListener("click", act);
    return button;
  }

  #exported() {
    const { pane } = this.transcript;
    return pane && { session: this.#chosen(), calls: pane.calls };
  }

  /** @param {KeyboardEvent} event */
  #pressed(event) {
    const command = commandOfEvent(event);
    const { pane } = this.transcript;
    if (!command || event.defaultPrevented || (command !== "help" && !pane)) return;
    event.preventDefault();
    if (command === "help") this.keys.togglePopover();
    else if (command === "find") this.transcript.find();
    else pane?.toTurn(command === "next_turn" ? 1 : -1);
  }

  /** The words of the preferred language; without one, of the browser's. */
  #wanted() {
    const { language } = this.preferences.held;
    return wordsFor(language === "auto" ? navigator.languages : [language]);
  }

  /** Another preference is in effect, or one could not be saved. @param {boolean} failed */
  #preferred(failed) {
    const words = this.#wanted();
    if (words.language !== this.words.language) this.#translate(words);
    this.#applyPreferences(failed);
  }

  /** @param {boolean} failed */
  #applyPreferences(failed) {
    const { held } = this.preferences;
    this.settings.draw(held, failed);
    this.transcript.view = held.presentation;
    this.transcript.mode = held.transcript_view;
  }

  /** All words are written anew; what the reader opened stays. @param {import("./words.js").Words} words */
  #translate(words) {
    const { open } = this.settings;
    this.words = words;
    this.#build();
    this.#drawHead();
    this.#linked(this.service.link);
    if (open) this.settings.show();
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
    const { session, target } = readAddress(location.hash);
    this.transcript.session = this.sessions.session = session;
    document.body.dataset.pane = session ? "open" : "none";
    if (target) this.transcript.reveal(target);
    this.#drawHead();
  }

  /** @returns {string} empty: none */
  #chosen() {
    return readAddress(location.hash).session;
  }

  #drawHead() {
    const session = this.#chosen();
    this.head.hidden = session === "";
    this.bare.hidden = session !== "";
    const summary = this.service.list.summaries.get(session);
    setText(this.title, summary?.title || session);
    setText(this.meta, [summary?.agent, summary?.model, summary?.cwd].filter(Boolean).join(" · "));
    document.title = session ? `${summary?.title || session} · Turnfold` : "Turnfold";
    this.transcript.label = summary?.title || session;
  }
}

new Page();
