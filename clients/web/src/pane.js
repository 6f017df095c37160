/** The chosen session's pane: its heading, its transcript, and what there is to say where none can be shown. */

import { activeIn, el, icon, setText } from "./element.js";
import { FindPanel } from "./find_panel.js";
import { Following } from "./following.js";
import { FoundWords } from "./found_words.js";
import { reasonOf } from "./http.js";
import { TranscriptView } from "./render.js";
import { Revealer } from "./revealer.js";
import { RowActions } from "./row_actions.js";
import { Scroller } from "./scroll.js";
import { SessionCalls } from "./session_calls.js";
import { Subscription } from "./subscription.js";
import { Blobs, rowTextReader } from "./service.js";
import { shortenedNote } from "./shortened.js";
import { WaitingBar } from "./waiting_bar.js";

/** @typedef {import("./types.js").Frame} Frame */
/** @typedef {import("./types.js").Summary} Summary */
/** @typedef {import("./expansion/actions.js").Action} Action */
/** @typedef {import("./words.js").Words} Words */
/** @typedef {import("./address.js").Target} Target */
/** @typedef {import("./session_calls.js").Hit} Hit */

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
 *   http: import("./http.js").Http,
 *   answersTaken: () => boolean,
 *   drafts: (session: string) => import("./drafts.js").SessionDrafts,
 *   linkOf: (target: Target) => string | null,
 * }} PaneHost
 */

/** Older turns are fetched in greater pages where one of them is looked for. */
const REVEAL_TURNS = 500;

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
    this.notice = el("div", { class: "place-notice", role: "status", hidden: true });
    const base = host.urlOf(`v1/sessions/${encodeURIComponent(session)}`);
    this.calls = new SessionCalls(base, host.http);
    this.found = new FoundWords((element) => this.#show(element));
    this.find = new FindPanel(words, this.calls, () => this.subscription.view, (hit) => this.#toHit(hit));
    this.waiting = new WaitingBar(words, (place) => this.reveal(place));
    this.element = el("div", { class: "pane-body" }, this.find.element, this.notice, this.scroll, this.latest, this.waiting.element, this.announcer);
    this.scroller = new Scroller(this.scroll, this.column, () => this.#drawLatest());
    const fetchPart = rowTextReader(`${base}/rows/`, host.http);
    this.blobs = new Blobs((sha) => `${base}/blobs/${encodeURIComponent(sha)}`, host.http);
    this.view = new TranscriptView(this.subscription.transcript, this.#page(session, fetchPart), this.scroller, () => this.#drawn());
    this.column.append(this.view.element);
    new RowActions(this.view.element, { words, rowOf: (key, path) => this.view.rowAt(key, path)?.row ?? null, fetchPart, linkOf: host.linkOf });
    this.revealer = new Revealer(this.#place());
    for (const name of ["wheel", "touchmove", "keydown"]) this.scroll.addEventListener(name, () => this.#release(), { passive: true });
    this.spoken = "";
    this.earlier.addEventListener("click", () => this.#loadEarlier());
    this.fold.addEventListener("click", () => host.prefer({ foldPartial: !host.options().foldPartial }));
    this.latest.addEventListener("click", () => this.scroller.toTail());
    this.#drawMessage();
  }

  /** @param {string} session @param {import("./shortened.js").Fetch} fetchPart */
  #page(session, fetchPart) {
    const { host } = this;
    return {
      session,
      words: host.words,
      live: host.live,
      nowMs: host.nowMs,
      options: host.options,
      expansion: () => host.expansion(session),
      focusFirst: host.focusFirst,
      dispatch: host.dispatch,
      loadBlob: (/** @type {string} */ sha, /** @type {(url: string) => void} */ show, /** @type {(problem: unknown) => void} */ failed) =>
        this.blobs.load(sha, show, failed),
      shortened: shortenedNote(host.words, fetchPart),
      drafts: host.drafts(session),
      answers: {
        taken: host.answersTaken,
        send: (/** @type {string} */ id, /** @type {string[]} */ path, /** @type {import("./session_calls.js").Answer} */ answer) =>
          this.calls.answer(id, path, answer),
      },
    };
  }

  /** After each `welcome`: goes on in the presentation that counts by then. @param {import("./subscription.js").ViewKind} kind */
  resume(kind) {
    this.subscription.show(kind);
    this.subscribe();
  }

  /** @returns {import("./revealer.js").Place} */
  #place() {
    const { subscription, host } = this;
    return {
      calls: this.calls,
      ready: () => subscription.transcript.position !== null && subscription.phase === "live" && this.view.pending.empty,
      behind: (position) => subscription.transcript.isBehind(position),
      held: (target) => this.view.reveal(target),
      older: (target) => this.#older(target),
      settled: () => this.view.slices.empty,
      show: (element) => this.#show(element),
      told: (state, problem) => {
        const { words } = host;
        const reason = state === "failed" ? reasonOf(problem, words) : "";
        this.notice.hidden = state === "";
        setText(this.notice, state === "" ? "" : words.fill(words[`place_${state}`], { reason }));
      },
    };
  }

  /** Asks for older turns, for a place that may be among them. @param {Target} target @returns {boolean} false: it cannot be */
  #older(target) {
    const { historyComplete, fromTurn = 0 } = this.subscription.transcript;
    if (historyComplete || (target.turn !== undefined && target.turn >= fromTurn)) return false;
    this.following.loadEarlier(REVEAL_TURNS);
    return true;
  }

  /** Brings a place before the reader, once (E-10). @param {Target} target @param {import("./revealer.js").Reveal} [options] */
  reveal(target, options) {
    this.found.release();
    this.revealer.reveal(target, options);
  }

  /** @param {HTMLElement} element that was revealed */
  #show(element) {
    const place = this.found.placeIn(element);
    this.scroller.show(place ?? element);
    this.find.mark(element, place);
  }

  /** The reader moves by hand. */
  #release() {
    this.revealer.release();
    this.found.release();
  }

  /** @param {Hit} hit */
  #toHit(hit) {
    if (hit.hidden_by.includes("view")) return;
    const { key, ref, in: path } = hit;
    const arrived = (/** @type {HTMLElement} */ element) => void this.#toWords(element, hit, this.view.board.view() === "web");
    this.reveal({ key, ref, reasoning: hit.field === "reasoning", in: path }, { arrived });
  }

  /** @param {HTMLElement} element of the hit's row @param {Hit} hit @param {boolean} opens the row's own detail */
  async #toWords(element, hit, opens) {
    if (hit.hidden_by.length > 0) return;
    const { query } = this.find;
    const led = await this.found.lead(element, hit, query, opens);
    if (led === "closed" && query === this.find.query) this.find.offer(() => this.#toWords(element, hit, true));
  }

  /** To the next turn, or the one before (E-17). @param {1 | -1} by */
  toTurn(by) {
    const sections = [...this.view.root.sections.values()].map(({ element }) => element);
    const at = sections.findIndex((section) => section.contains(activeIn(this.scroll)));
    const from = at >= 0 ? at : this.scroller.firstOf(sections);
    const to = sections[at < 0 && by > 0 ? from : from + by];
    if (to) this.revealer.go(to);
    else if (by < 0) this.#loadEarlier();
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
    if (patches.length > 0) return;
    this.#drawMessage();
    this.revealer.drawn();
  }

  #loadEarlier() {
    if (this.following.loadEarlier()) setText(this.earlier, this.host.words.loading_earlier);
  }

  #drawn() {
    this.#drawMessage();
    this.#drawLatest();
    this.#announce();
    this.waiting.draw(this.subscription.transcript);
    this.revealer.drawn();
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
    this.revealer.stop();
    this.find.stop();
    this.following.stop();
    this.view.stop();
    this.blobs.free();
    this.scroller.stop();
    this.element.remove();
  }
}
