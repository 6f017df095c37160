/**
 * Keeps one session's subscription going on a connection: begins, resumes, begins again, and ends it. No DOM.
 *
 * @typedef {import("./types.js").Frame} Frame
 * @typedef {import("./transcript.js").Patch} Patch
 * @typedef {{send: (message: object) => boolean, live: () => boolean}} Wire
 */

import { Subscription } from "./subscription.js";

/** How long to leave a session alone that the service could not show just now. */
const RETRY_MS = 3_000;

export class Following {
  #retryTimer = /** @type {import("./connection.js").Timer} */ (undefined);

  /** @param {Subscription} subscription @param {Wire} wire @param {(patches: Patch[]) => void} onChange also without patches, where the phase may be another */
  constructor(subscription, wire, onChange) {
    this.subscription = subscription;
    this.wire = wire;
    this.onChange = onChange;
  }

  /** Begins, or resumes where it stood: after each `welcome`. */
  subscribe() {
    clearTimeout(this.#retryTimer);
    this.wire.send(this.subscription.subscribe());
  }

  /** @param {Frame} frame of any subscription */
  receive(frame) {
    const answer = this.subscription.receive(frame);
    if (!answer) return;
    for (const message of answer.send) this.wire.send(message);
    if (this.subscription.phase === "retrying") {
      clearTimeout(this.#retryTimer);
      this.#retryTimer = setTimeout(() => this.subscribe(), RETRY_MS);
    }
    this.onChange(answer.patches);
  }

  /** @param {number} [limit] at most so many turns @returns {boolean} false: there is nothing earlier, it is on its way, or there is no connection */
  loadEarlier(limit) {
    const message = this.subscription.loadEarlier(limit);
    if (message === null) return false;
    // What did not leave is not on its way: it can be asked for once the connection is back.
    this.subscription.loadingEarlier = this.wire.send(message);
    return this.subscription.loadingEarlier;
  }

  stop() {
    clearTimeout(this.#retryTimer);
    if (this.wire.live()) this.wire.send(this.subscription.unsubscribe());
  }
}
