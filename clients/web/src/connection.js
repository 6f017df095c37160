/**
 * The socket: one for all subscriptions of a page, opened again after every loss, until it is closed.
 *
 * 1. Whoever subscribes does so in `onOpen`, which is called after each `welcome`: a new socket knows nothing.
 * 2. A lost socket is opened again after the time that `drain` named, else after a back-off with full jitter, and at once
 *    when the page becomes visible or the machine comes online. A final close code (W-5) ends that.
 * 3. Token or ticket are asked for before each socket is opened, so that `hello` is said at once. Where they are refused,
 *    a provider is asked once more; a second refusal is final.
 * 4. A socket that went silent is found out by `ping`: no answer within `PONG_MS`, and it counts as lost.
 * 5. It says nothing about turns: a lost connection is no end of anything.
 * 6. `close` ends all of it: socket, timers and listeners. `start` begins anew. Importing this does nothing.
 *
 * @typedef {import("./types.js").Frame} Frame
 * @typedef {{name: "closed" | "connecting" | "open" | "offline"} | {name: "waiting", untilMs: number}
 *   | {name: "ended", code: number, reason: string}} Link
 * @typedef {{onOpen: (welcome: Frame) => void, onFrame: (frame: Frame) => void, onLink: (link: Link) => void}} Listener
 * @typedef {import("./credentials.js").CredentialOptions & {WebSocket?: typeof WebSocket}} ConnectionOptions
 *   `WebSocket`: another implementation than the platform's own
 * @typedef {ReturnType<typeof setTimeout> | undefined} Timer
 */

import { backoffMs } from "./backoff.js";
import { UNAUTHENTICATED, mayReconnect } from "./close_codes.js";
import { Credentials } from "./credentials.js";

const SUBPROTOCOL = "turnfold.v1.json";
const PING_EVERY_MS = 25_000;
const PONG_MS = 8_000;
/** What takes longer, provider and handshake together, is given up: a proxy can hold a handshake open for minutes. */
const WELCOME_MS = 15_000;
const OPEN = 1;

export class Connection {
  #closing = /** @type {AbortController | null} */ (null);
  /** The present attempt; what an older one still brings is void. */
  #attempt = /** @type {object | null} */ (null);
  #wasRefused = false;

  /** @param {string} url of the socket @param {Listener} listener @param {ConnectionOptions} [options] */
  constructor(url, listener, options = {}) {
    this.url = url;
    this.listener = listener;
    this.credentials = new Credentials(options);
    this.WebSocket = options.WebSocket;
    /** @type {Link} */
    this.link = { name: "closed" };
    /** @type {WebSocket | null} */
    this.socket = null;
    this.failures = 0;
    this.retryTimer = /** @type {Timer} */ (undefined);
    this.silenceTimer = /** @type {Timer} */ (undefined);
    this.pingTimer = /** @type {ReturnType<typeof setInterval> | undefined} */ (undefined);
    /** Set by `drain`: the service named the time to come back. @type {number | null} */
    this.returnMs = null;
  }

  /** Connects, and stays connected until `close`; without effect where that was begun already. */
  start() {
    if (this.#closing) return;
    this.#closing = new AbortController();
    const { signal } = this.#closing;
    // Outside of a browser there is neither.
    globalThis.document?.addEventListener("visibilitychange", () => document.visibilityState === "visible" && this.wake(), { signal });
    globalThis.addEventListener?.("online", () => this.wake(), { signal });
    globalThis.addEventListener?.("offline", () => this.#probe(), { signal });
    this.#open();
  }

  /** Ends it for good: nothing is sent, timed or listened to any more. Without effect where it is closed. */
  close() {
    if (!this.#closing) return;
    this.#closing.abort();
    this.#closing = null;
    this.failures = 0;
    this.returnMs = null;
    this.#drop();
    this.#become({ name: "closed" });
  }

  /** Reconnects at once if that is due anyway, and tests a socket that is open. */
  wake() {
    if (this.link.name === "open") this.#probe();
    else if (this.link.name === "waiting" || this.link.name === "offline") this.#open();
  }

  /** Starts over, after a final close too. @param {import("./credentials.js").CredentialOptions} [credentials] others than before */
  restart(credentials) {
    if (credentials) this.credentials = new Credentials(credentials);
    if (!this.#closing) return;
    this.failures = 0;
    this.#wasRefused = false;
    this.#open();
  }

  /** What a request over HTTP needs beside the address. @returns {Record<string, string>} */
  headers() {
    return this.credentials.headers();
  }

  /** @param {object} message @returns {boolean} false if there is no open socket; `onOpen` will come */
  send(message) {
    if (this.link.name !== "open" || this.socket?.readyState !== OPEN) return false;
    this.socket.send(JSON.stringify(message));
    return true;
  }

  #open() {
    this.#drop();
    const attempt = {};
    this.#attempt = attempt;
    this.#become({ name: "connecting" });
    this.#expect(WELCOME_MS);
    this.credentials.next().then(
      (hello) => attempt === this.#attempt && this.#dial(hello),
      (problem) => attempt === this.#attempt && this.#lost(1006, String(problem)),
    );
  }

  /** @param {import("./credentials.js").Hello} hello */
  #dial(hello) {
    const socket = new (this.WebSocket ?? WebSocket)(this.url, [SUBPROTOCOL]);
    this.socket = socket;
    socket.addEventListener("open", () => {
      if (socket === this.socket) socket.send(JSON.stringify({ type: "hello", ...hello }));
    });
    socket.addEventListener("message", (event) => {
      if (socket === this.socket) this.#receive(event.data);
    });
    socket.addEventListener("close", (event) => {
      if (socket === this.socket) this.#lost(event.code, event.reason);
    });
  }

  /** @param {string} data */
  #receive(data) {
    const frame = frameOf(data);
    if (!frame) {
      this.#lost(1002, "not a message"); // a service of ours never sends that; what stands between may
      return;
    }
    clearTimeout(this.silenceTimer);
    if (frame.type === "welcome") this.#welcomed(frame);
    else if (frame.code === "unauthenticated") this.#refused(frame.message ?? "");
    else if (frame.type === "drain") this.returnMs = frame.reconnect_after_ms ?? 0;
    else if (frame.code === "token_expiring") this.#renew();
    else if (frame.code === "token_expired" && this.credentials.renews) this.restart();
    else if (frame.type !== "pong") this.listener.onFrame(frame);
  }

  /** @param {Frame} frame */
  #welcomed(frame) {
    if (this.link.name === "open") return; // the answer to `refresh`
    this.failures = 0;
    this.returnMs = null;
    this.#wasRefused = false;
    this.#become({ name: "open" });
    this.pingTimer = setInterval(() => this.#probe(), PING_EVERY_MS);
    this.listener.onOpen(frame);
  }

  /** `hello` was not enough. What `refresh` brought and was refused changes nothing yet. @param {string} reason */
  #refused(reason) {
    if (this.link.name !== "open") this.#lost(UNAUTHENTICATED, reason);
  }

  /** Another token or ticket for this socket, before the present one expires; without one, what expires says so. */
  #renew() {
    const attempt = this.#attempt;
    if (!this.credentials.renews) return;
    this.credentials.next().then(
      (hello) => attempt === this.#attempt && this.send({ type: "refresh", ...hello }),
      () => undefined,
    );
  }

  #probe() {
    if (!this.send({ type: "ping" })) return;
    this.#expect(PONG_MS);
  }

  /** Counts the socket as lost unless anything comes in time. @param {number} withinMs */
  #expect(withinMs) {
    clearTimeout(this.silenceTimer);
    this.silenceTimer = setTimeout(() => this.#lost(1006, "silent"), withinMs);
  }

  /** @param {number} code @param {string} reason */
  #lost(code, reason) {
    this.#drop();
    if (code === UNAUTHENTICATED && this.credentials.renews && !this.#wasRefused) {
      this.#wasRefused = true;
      this.#open();
      return;
    }
    if (!mayReconnect(code)) {
      this.#become({ name: "ended", code, reason });
      return;
    }
    const waitMs = this.returnMs ?? backoffMs(this.failures, Math.random);
    this.returnMs = null;
    this.failures += 1;
    this.#become(globalThis.navigator?.onLine === false ? { name: "offline" } : { name: "waiting", untilMs: Date.now() + waitMs });
    this.retryTimer = setTimeout(() => this.#open(), waitMs);
  }

  #drop() {
    this.#attempt = null;
    clearTimeout(this.silenceTimer);
    clearTimeout(this.retryTimer);
    clearInterval(this.pingTimer);
    const socket = this.socket;
    this.socket = null;
    socket?.close();
  }

  /** @param {Link} link */
  #become(link) {
    this.link = link;
    this.listener.onLink(link);
  }
}

/** @param {unknown} data @returns {Frame | null} null: it is no message */
function frameOf(data) {
  try {
    const frame = JSON.parse(/** @type {string} */ (data));
    return typeof frame?.type === "string" ? frame : null;
  } catch {
    return null;
  }
}
