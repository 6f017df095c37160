/**
 * The socket: one for all subscriptions of the page, opened again after every loss.
 *
 * 1. Whoever subscribes does so in `onOpen`, which is called after each `welcome`: a new socket knows nothing.
 * 2. A lost socket is opened again after the time that `drain` named, else after a back-off with full jitter, and at once
 *    when the page becomes visible or the machine comes online. A final close code (W-5) ends that.
 * 3. A socket that went silent is found out by `ping`: no answer within `PONG_MS`, and it counts as lost.
 * 4. It says nothing about turns: a lost connection is no end of anything.
 *
 * @typedef {import("./types.js").Frame} Frame
 * @typedef {{name: "connecting" | "open" | "offline"} | {name: "waiting", untilMs: number}
 *   | {name: "ended", code: number, reason: string}} Link
 * @typedef {{onOpen: (welcome: Frame) => void, onFrame: (frame: Frame) => void, onLink: (link: Link) => void}} Listener
 */

import { backoffMs } from "./backoff.js";
import { mayReconnect } from "./close_codes.js";

const SUBPROTOCOL = "turnfold.v1.json";
const PING_EVERY_MS = 25_000;
const PONG_MS = 8_000;
/** A handshake that takes longer is given up: a proxy can hold one open for minutes. */
const WELCOME_MS = 15_000;

export class Connection {
  /** @param {string} url of the socket @param {Listener} listener @param {{token?: string | null}} [options] */
  constructor(url, listener, options = {}) {
    this.url = url;
    this.listener = listener;
    this.token = options.token ?? null;
    /** @type {Link} */
    this.link = { name: "connecting" };
    /** @type {WebSocket | null} */
    this.socket = null;
    this.failures = 0;
    this.retryTimer = 0;
    this.silenceTimer = 0;
    this.pingTimer = 0;
    /** Set by `drain`: the service named the time to come back. @type {number | null} */
    this.returnMs = null;
  }

  start() {
    document.addEventListener("visibilitychange", () => {
      if (document.visibilityState === "visible") this.wake();
    });
    window.addEventListener("online", () => this.wake());
    window.addEventListener("offline", () => this.#probe());
    this.#open();
  }

  /** Reconnects at once if that is due anyway, and tests a socket that is open. */
  wake() {
    if (this.link.name === "open") this.#probe();
    else if (this.link.name === "waiting" || this.link.name === "offline") this.#open();
  }

  /** Starts over with another token, after a final close too. @param {string | null} token */
  restart(token) {
    this.token = token;
    this.failures = 0;
    this.#drop();
    this.#open();
  }

  /** What a request over HTTP needs beside the address. @returns {Record<string, string>} */
  headers() {
    return this.token ? { authorization: `Bearer ${this.token}` } : {};
  }

  /** @param {object} message @returns {boolean} false if there is no open socket; `onOpen` will come */
  send(message) {
    if (this.link.name !== "open" || this.socket?.readyState !== WebSocket.OPEN) return false;
    this.socket.send(JSON.stringify(message));
    return true;
  }

  #open() {
    clearTimeout(this.retryTimer);
    this.#drop();
    this.#become({ name: "connecting" });
    const socket = new WebSocket(this.url, [SUBPROTOCOL]);
    this.socket = socket;
    this.#expect(WELCOME_MS);
    socket.addEventListener("open", () => {
      const hello = this.token ? { type: "hello", token: this.token } : { type: "hello" };
      socket.send(JSON.stringify(hello));
    });
    socket.addEventListener("message", (event) => {
      if (socket === this.socket) this.#receive(JSON.parse(event.data));
    });
    socket.addEventListener("close", (event) => {
      if (socket === this.socket) this.#lost(event.code, event.reason);
    });
  }

  /** @param {Frame} frame */
  #receive(frame) {
    clearTimeout(this.silenceTimer);
    if (frame.type === "welcome" && this.link.name !== "open") this.#welcomed(frame);
    else if (frame.type === "drain") this.returnMs = frame.reconnect_after_ms ?? 0;
    else if (frame.type !== "pong") this.listener.onFrame(frame);
  }

  /** @param {Frame} frame */
  #welcomed(frame) {
    this.failures = 0;
    this.returnMs = null;
    this.#become({ name: "open" });
    this.pingTimer = window.setInterval(() => this.#probe(), PING_EVERY_MS);
    this.listener.onOpen(frame);
  }

  #probe() {
    if (!this.send({ type: "ping" })) return;
    this.#expect(PONG_MS);
  }

  /** Counts the socket as lost unless anything comes in time. @param {number} withinMs */
  #expect(withinMs) {
    clearTimeout(this.silenceTimer);
    this.silenceTimer = window.setTimeout(() => this.#lost(1006, "silent"), withinMs);
  }

  /** @param {number} code @param {string} reason */
  #lost(code, reason) {
    this.#drop();
    if (!mayReconnect(code)) {
      this.#become({ name: "ended", code, reason });
      return;
    }
    const waitMs = this.returnMs ?? backoffMs(this.failures, Math.random);
    this.returnMs = null;
    this.failures += 1;
    this.#become(navigator.onLine ? { name: "waiting", untilMs: Date.now() + waitMs } : { name: "offline" });
    this.retryTimer = window.setTimeout(() => this.#open(), waitMs);
  }

  #drop() {
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
