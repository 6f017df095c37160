/**
 * One session of a service as a store of values: `subscribe` and `getSnapshot`, as React's `useSyncExternalStore` and any
 * other view of values want them. It follows while somebody listens, and resumes by position when somebody does again.
 *
 * What it shows of the connection is in the same snapshot, because it says how far the rest can be trusted.
 *
 * @typedef {import("./subscription.js").Phase} Phase
 * @typedef {import("./connection.js").Link} Link
 * @typedef {import("./types.js").TurnValue} TurnValue
 * @typedef {import("./types.js").Row} Row
 *
 * @typedef {Readonly<{
 *   phase: Phase,
 *   problem: string,
 *   link: Link,
 *   position: import("./types.js").Position | null,
 *   history_complete: boolean,
 *   loading_earlier: boolean,
 *   turns: readonly TurnValue[],
 *   session_rows: readonly Row[],
 *   loadEarlier: () => boolean,
 * }>} TranscriptSnapshot `position` is null until the first snapshot is in; `problem` says why where `phase` is `refused`
 */

import { Following } from "./following.js";
import { Subscription } from "./subscription.js";
import { TranscriptValues } from "./transcript_values.js";

/** @typedef {import("./service_client.js").ServiceClient} ServiceClient */

/** @typedef {{locale?: string, view?: import("./subscription.js").ViewKind}} FollowOptions `locale` of the service's labels; `view`: which presentation the turns carry */

export class TranscriptFollower {
  #listeners = /** @type {Set<() => void>} */ (new Set());
  #leave = /** @type {(() => void) | null} */ (null);
  #snapshot = /** @type {TranscriptSnapshot | null} */ (null);

  /** @param {ServiceClient} service @param {string} session @param {FollowOptions} [options] */
  constructor(service, session, { locale = "en", view = "web" } = {}) {
    this.service = service;
    this.session = session;
    this.subscription = new Subscription(session, locale, view);
    this.values = new TranscriptValues(this.subscription.transcript);
    const wire = { send: (/** @type {object} */ message) => service.send(message), live: () => service.live };
    this.following = new Following(this.subscription, wire, (patches) => this.#changed(patches));
    this.subscribe = this.subscribe.bind(this);
    this.getSnapshot = this.getSnapshot.bind(this);
    this.loadEarlier = this.loadEarlier.bind(this);
  }

  /** @param {() => void} listener told after each change @returns {() => void} ends it */
  subscribe(listener) {
    const own = () => listener();
    this.#listeners.add(own);
    if (!this.#leave) this.#begin();
    return () => {
      if (this.#listeners.delete(own) && this.#listeners.size === 0) this.#end();
    };
  }

  /** @returns {TranscriptSnapshot} the same object until something changes */
  getSnapshot() {
    this.#snapshot ??= this.#read();
    return this.#snapshot;
  }

  /** Asks for the turns before those that are held. @returns {boolean} whether they are on their way */
  loadEarlier() {
    const asked = this.following.loadEarlier();
    if (asked) this.#changed([]);
    return asked;
  }

  #begin() {
    this.#leave = this.service.join({
      opened: () => this.following.subscribe(),
      frame: (frame) => this.following.receive(frame),
      linked: () => this.#changed([]),
    });
    if (this.service.live) this.following.subscribe();
  }

  #end() {
    this.following.stop();
    this.#leave?.();
    this.#leave = null;
  }

  /** @param {import("./transcript.js").Patch[]} patches */
  #changed(patches) {
    this.values.note(patches);
    const before = this.#snapshot;
    this.#snapshot = null;
    if (before && equal(before, this.getSnapshot())) this.#snapshot = before;
    else for (const listener of [...this.#listeners]) listener();
  }

  /** @returns {TranscriptSnapshot} */
  #read() {
    const { phase, problem, transcript, loadingEarlier } = this.subscription;
    return Object.freeze({
      phase,
      problem,
      link: this.service.link,
      position: transcript.position,
      history_complete: transcript.historyComplete,
      loading_earlier: loadingEarlier,
      ...this.values.read(),
      loadEarlier: this.loadEarlier,
    });
  }
}

/** @param {TranscriptSnapshot} left @param {TranscriptSnapshot} right */
function equal(left, right) {
  const names = /** @type {(keyof TranscriptSnapshot)[]} */ (Object.keys(left));
  return names.every((name) => Object.is(left[name], right[name]));
}
