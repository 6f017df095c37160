/**
 * One session's subscription: which frames count, and what to answer. Pure: it is told frames and returns what to send.
 *
 * 1. Each subscribing takes a new name, so that frames of an older one that are still on their way are void.
 * 2. Frames of an older `view_rev` are void. The parts of a snapshot, or of older turns, are joined and applied at the last.
 * 3. What does not follow (a gap, an unknown op) is never repaired by guess: subscribe again, without a position.
 * 4. A position belongs to the view in which it was reached: another view begins without one. What the preferences leave
 *    open of the desktop view is the service's to complete, so the last snapshot's view goes with the position.
 * 5. A lost connection changes nothing here: what is held stays, and `subscribe` resumes by position.
 *
 * @typedef {import("./types.js").Frame} Frame
 * @typedef {import("./transcript.js").Patch} Patch
 * @typedef {"web" | "desktop"} ViewKind
 * @typedef {"loading" | "live" | "retrying" | "gone" | "refused"} Phase
 * @typedef {{patches: Patch[], send: object[]}} Answer
 */

import { OutOfStep, Transcript } from "./transcript.js";

/**
 * What is asked for by a view's kind. The web's is always asked as compact: `normal` is applied here, at once and without
 * another snapshot. The desktop's modes are the service's work, and are left to the preferences.
 */
const ASKED = Object.freeze({ web: { kind: "web", mode: "compact" }, desktop: { kind: "desktop" } });
const EARLIER_TURNS = 50;

let names = 0;

export class Subscription {
  /** @param {string} session @param {string} locale of the labels that the service makes @param {ViewKind} [kind] */
  constructor(session, locale, kind = "web") {
    this.session = session;
    this.view = { ...ASKED[kind], locale };
    this.transcript = new Transcript();
    /** @type {Phase} */
    this.phase = "loading";
    this.problem = "";
    this.sub = "";
    this.viewRev = 0;
    this.loadingEarlier = false;
    /** @type {Frame[]} */
    this.parts = [];
  }

  /** @returns {object} the message that starts or resumes it */
  subscribe() {
    this.sub = `t${(names += 1)}`;
    this.viewRev = 0;
    this.parts = [];
    this.loadingEarlier = false;
    const { position, fromTurn, view } = this.transcript;
    const message = { type: "subscribe", sub: this.sub, session: this.session, view: this.view };
    if (!position || (view?.kind ?? this.view.kind) !== this.view.kind) return message;
    return { ...message, position, from_turn: fromTurn, ...(view ? { shown: view } : {}) };
  }

  /** @param {ViewKind} kind @returns {object | null} the message that asks for it; null: it is what was asked for last */
  show(kind) {
    if (this.view.kind === kind) return null;
    this.view = { ...ASKED[kind], locale: this.view.locale };
    return { type: "set_view", sub: this.sub, view: this.view };
  }

  /** @returns {object} */
  unsubscribe() {
    return { type: "unsubscribe", sub: this.sub };
  }

  /** @param {number} [limit] at most so many turns @returns {object | null} null: nothing earlier, or it is already asked for */
  loadEarlier(limit = EARLIER_TURNS) {
    if (this.transcript.historyComplete || this.loadingEarlier || this.phase !== "live") return null;
    this.loadingEarlier = true;
    return { type: "load_earlier", sub: this.sub, limit };
  }

  /** @param {Frame} frame @returns {Answer | null} null: the frame is of another subscription, or void */
  receive(frame) {
    if (frame.sub !== this.sub) return null;
    if (frame.type === "error") return this.#failed(frame);
    if ((frame.view_rev ?? 0) < this.viewRev) return null;
    this.viewRev = frame.view_rev ?? this.viewRev;
    try {
      return { patches: this.#apply(frame), send: [] };
    } catch (problem) {
      if (!(problem instanceof OutOfStep)) throw problem;
      return { patches: [], send: this.#again() };
    }
  }

  /** @param {Frame} frame @returns {Patch[]} */
  #apply(frame) {
    switch (frame.type) {
      case "snapshot":
        return this.#join(frame);
      case "delta":
        return this.transcript.apply(/** @type {any} */ (frame));
      case "earlier":
        return this.#joinEarlier(frame);
      case "caught_up":
        this.phase = "live";
        return [];
      default:
        return [];
    }
  }

  /** @param {Frame} frame @returns {Patch[]} */
  #join(frame) {
    const whole = this.#whole(frame);
    if (!whole) return [];
    this.phase = "live";
    this.loadingEarlier = false;
    return this.transcript.replace(/** @type {any} */ (whole));
  }

  /** @param {Frame} frame @returns {Patch[]} */
  #joinEarlier(frame) {
    const whole = this.#whole({ part: 0, last: true, ...frame });
    if (!whole) return [];
    this.loadingEarlier = false;
    return this.transcript.prepend(/** @type {any} */ (whole));
  }

  /** @param {Frame} frame a part @returns {Frame | null} all parts as one; null before the last */
  #whole(frame) {
    if (!frame.part) this.parts = [];
    this.parts.push(frame);
    if (!frame.last) return null;
    const parts = this.parts;
    this.parts = [];
    const turns = parts.flatMap((part) => part.turns ?? []);
    return { ...frame, session_rows: parts.flatMap((part) => part.session_rows ?? []), turns };
  }

  /** @returns {object[]} */
  #again() {
    const stop = this.unsubscribe();
    this.transcript.position = null;
    return [stop, this.subscribe()];
  }

  /** @param {Frame} frame @returns {Answer} */
  #failed(frame) {
    this.problem = frame.message ?? "";
    if (frame.code === "token_expiring") return { patches: [], send: [] };
    if (frame.code === "gone") this.phase = "gone";
    else this.phase = frame.retry ? "retrying" : "refused";
    this.loadingEarlier = false;
    return { patches: [], send: [] };
  }
}
