/** The chosen session's pane: its heading, its transcript, and what there is to say where none can be shown. */

import { el, icon, setText } from "./element.js";
import { TranscriptView } from "./render.js";
import { Scroller } from "./scroll.js";
import { Following } from "./following.js";
import { Subscription } from "./subscription.js";
import { blobLoader, rowTextReader } from "./service.js";
import { shortenedNote } from "./shortened.js";

/** @typedef {import("./types.js").Frame} Frame */
/** @typedef {import("./types.js").Summary} Summary */
/** @typedef {import("./expansion/actions.js").Action} Action */
/** @typedef {import("./words.js").Words} Words */

/**
 * @typedef {{
 *   words: Words,
 *   send: (message: object) => boolean,
 *   live: () => boolean,
 *   nowMs: () => number,
 *   options: () => import("./reader_options.js").ReaderOptions,
 *   prefer: (change: Partial<import("./reader_options.js").ReaderOptions>) => void,
 *   expansion: (session: string) => import("./expansion/state.js").Pane,
 *   focusFirst: (action: Action) => import("./expansion/state.js").Address | null,
 *   dispatch: (action: Action) => void,
 *   urlOf: (path: string) => string,
 *   headers: () => Record<string, string>,
 * }} PaneHost
 */

export class Pane {
  /** @param {string} session @param {PaneHost} host */
  constructor(session, host) {
    const { words } = host;
    this.host = host;
    this.subscription = new Subscription(session, words.language, host.options().view);
    this.following = new Following(this.subscription, host, (patches) => this.#changed(patches));
    this.earlier = el("button", { type: "button", class: "button earlier" }, words.earlier);
    this.fold = el("button", { type: "button", class: "button fold-partial" }, words.fold_partial);
    this.partial = el("div", { class: "partial", hidden: true }, this.earlier, this.fold);
    this.message = el("div", { class: "pane-message" });
    this.announcer = el("div", { class: "sr-only", role: "status", "aria-live": "polite" });
    this.column = el("div", { class: "column" }, this.partial, this.message);
    this.scroll = el("div", { class: "scroll", tabindex: "0", role: "region" }, this.column);
    this.latest = el("button", { type: "button", class: "button latest", hidden: true }, icon("down"), words.latest);
    this.element = el("div", { class: "pane-body" }, this.scroll, this.latest, this.announcer);
    this.scroller = new Scroller(this.scroll, this.column, () => this.#drawLatest());
    this.view = new TranscriptView(this.subscription.transcript, this.#page(session), this.scroller, () => this.#drawn());
    this.column.append(this.view.element);
    this.spoken = "";
    this.earlier.addEventListener("click", () => this.#loadEarlier());
    this.fold.addEventListener("click", () => host.prefer({ foldPartial: !host.options().foldPartial }));
    this.latest.addEventListener("click", () => this.scroller.toTail());
    this.#drawMessage();
  }

  /** @param {string} session */
  #page(session) {
    const { host } = this;
    const base = `v1/sessions/${encodeURIComponent(session)}`;
    return {
      session,
      words: host.words,
      live: host.live,
      nowMs: host.nowMs,
      options: host.options,
      expansion: () => host.expansion(session),
      focusFirst: host.focusFirst,
      dispatch: host.dispatch,
      loadBlob: blobLoader((sha) => host.urlOf(`${base}/blobs/${encodeURIComponent(sha)}`), host.headers),
      shortened: shortenedNote(host.words, rowTextReader(host.urlOf(`${base}/rows/`), host.headers)),
    };
  }

  /** After each `welcome`: goes on in the presentation that counts by then. @param {import("./subscription.js").ViewKind} kind */
  resume(kind) {
    this.subscription.show(kind);
    this.subscribe();
  }

  subscribe() {
    this.following.subscribe();
  }

  /** Another presentation; what is on the page stays until its snapshot is there. @param {import("./subscription.js").ViewKind} kind */
  show(kind) {
    const message = this.subscription.show(kind);
    if (message) this.host.send(message);
    this.#drawMessage();
  }

  /** @param {Frame} frame */
  receive(frame) {
    this.following.receive(frame);
  }

  /** @param {import("./transcript.js").Patch[]} patches */
  #changed(patches) {
    this.view.add(patches);
    if (patches.length === 0) this.#drawMessage();
  }

  #loadEarlier() {
    if (this.following.loadEarlier()) setText(this.earlier, this.host.words.loading_earlier);
  }

  #drawn() {
    this.#drawMessage();
    this.#drawLatest();
    this.#announce();
  }

  #drawMessage() {
    const { subscription, host } = this;
    const { words } = host;
    const { transcript, loadingEarlier } = subscription;
    this.partial.hidden = transcript.historyComplete || !transcript.position;
    const { view, mode, foldPartial } = host.options();
    this.fold.hidden = view !== "web" || mode !== "compact";
    this.fold.setAttribute("aria-pressed", String(foldPartial));
    if (!loadingEarlier) setText(this.earlier, words.earlier);
    const text = this.#messageText();
    this.message.hidden = text === "";
    setText(this.message, text);
  }

  #messageText() {
    const { words } = this.host;
    const { phase, problem, transcript } = this.subscription;
    if (phase === "gone") return words.gone;
    if (phase === "refused") return words.fill(words.refused, { reason: problem });
    if (phase === "retrying") return words.retrying_session;
    if (!transcript.position) return words.loading;
    return transcript.root.turns.size + transcript.root.loose.size === 0 ? words.empty : "";
  }

  /** The reader's options changed. */
  derive() {
    this.view.derive();
    this.#drawMessage();
  }

  #drawLatest() {
    this.latest.hidden = this.scroller.following;
  }

  /** One polite line for what the last turn does, never the text that streams (E-17). */
  #announce() {
    const { words } = this.host;
    const turn = [...this.subscription.transcript.root.turns.values()].pop();
    if (!turn) return;
    const { status, waiting, outcome } = turn.facts;
    const ended = words.fill(words.says_closed, { outcome: words.named(`outcome_${outcome}`, String(outcome)) });
    const text = status === "closed" ? ended : waiting ? words.says_waiting : words.says_running;
    const line = `${turn.turn} ${text}`;
    // The state that a page opens with is read with the page; only a change is worth a word.
    if (this.spoken && this.spoken !== line) setText(this.announcer, text);
    this.spoken = line;
  }

  stop() {
    this.following.stop();
    this.view.stop();
    this.scroller.stop();
    this.element.remove();
  }
}
