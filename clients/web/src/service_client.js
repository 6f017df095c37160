/**
 * One service, as a page uses it: a connection for everything on the page, the list of sessions, the service's clock, and
 * what the reader opened in its sessions.
 *
 * 1. Who joins is told of the link, of each `welcome` and of every frame. The first to join opens the connection, in the
 *    next task, so that credentials can still be set; `LINGER_MS` after the last has left it is closed.
 * 2. The list of sessions is followed while somebody who joined asks for it.
 * 3. What the reader opened outlives that (E-3): it is kept by session until the session is deleted, is evicted by `forget`,
 *    or the page is loaded again. It is never sent and never stored.
 *
 * @typedef {import("./types.js").Frame} Frame
 * @typedef {import("./connection.js").Link} Link
 * @typedef {import("./connection.js").ConnectionOptions & {fetch?: import("./http.js").Fetch}} ServiceOptions
 *   `fetch`: what asks over HTTP, in place of the platform's own
 *
 * Who joins; each of these is optional. `opened`: subscribe now. `expanded`: in this session something was opened or closed
 * by somebody else. `listed`: the list changed; giving it asks for the list. `preferred`: another preference counts.
 * @typedef {{
 *   opened?: (welcome: Frame) => void,
 *   frame?: (frame: Frame) => void,
 *   linked?: (link: Link) => void,
 *   listed?: (gone: string[]) => void,
 *   expanded?: (session: string) => void,
 *   preferred?: () => void,
 *   tick?: () => void,
 * }} Member
 */

import { Connection } from "./connection.js";
import { Drafts } from "./drafts.js";
import { focusFirst, reduce } from "./expansion/reducer.js";
import { NOTHING_CHOSEN, paneOf } from "./expansion/state.js";
import { Http } from "./http.js";
import { DEFAULTS, preferencesOf } from "./preferences.js";
import { SessionList } from "./session_list.js";

/** Long enough for a view that is taken out of the page and put back elsewhere, as frameworks do. */
const LINGER_MS = 2_000;
const TICK_MS = 1_000;

export class ServiceClient {
  #members = /** @type {Set<Member>} */ (new Set());
  #timer = /** @type {import("./connection.js").Timer} */ (undefined);
  #ticks = /** @type {ReturnType<typeof setInterval> | undefined} */ (undefined);
  #listSub = "";
  #listSubs = 0;

  /** @param {string} url of the service, as `https://example.org/turnfold/` @param {ServiceOptions} [options] */
  constructor(url, options = {}) {
    const base = new URL(url, globalThis.document?.baseURI);
    if (!base.pathname.endsWith("/")) base.pathname += "/";
    this.url = base.href;
    this.list = new SessionList();
    /** @type {import("./expansion/state.js").Expansion} */
    this.expansion = NOTHING_CHOSEN;
    /** What was typed and not sent. */
    this.drafts = new Drafts();
    /** What the reader chose for all sessions, as the service last told it. */
    this.preferences = DEFAULTS;
    /** The service's clock minus this machine's, in ms. */
    this.clockOffsetMs = 0;
    /** What the service's last `welcome` said of its limits. @type {Record<string, number>} */
    this.limits = {};
    const listener = {
      onOpen: (/** @type {Frame} */ welcome) => this.#opened(welcome),
      onFrame: (/** @type {Frame} */ frame) => this.#receive(frame),
      onLink: (/** @type {Link} */ link) => this.#tell((member) => member.linked?.(link)),
    };
    this.connection = new Connection(this.urlOf("v1/ws").replace(/^http/, "ws"), listener, options);
    this.http = new Http(() => this.connection.headers(), options);
  }

  /** @returns {Link} */
  get link() {
    return this.connection.link;
  }

  get live() {
    return this.link.name === "open";
  }

  /** The service's own time, epoch ms. */
  nowMs() {
    return Date.now() + this.clockOffsetMs;
  }

  /** @param {string} path below the service's address @returns {string} */
  urlOf(path) {
    return new URL(path, this.url).href;
  }

  /** @param {object} message @returns {boolean} false: not connected */
  send(message) {
    return this.connection.send(message);
  }

  /** @param {Member} member @returns {() => void} leaves again */
  join(member) {
    this.#members.add(member);
    this.#soon(0, () => {
      this.connection.start();
      this.#ticks ??= setInterval(() => this.#tell((one) => one.tick?.()), TICK_MS);
    });
    member.linked?.(this.link);
    if (member.listed) this.#followList();
    return () => this.#leave(member);
  }

  /** Ends the connection, whoever is joined; a later `join` begins anew. */
  close() {
    clearTimeout(this.#timer);
    clearInterval(this.#ticks);
    this.#ticks = undefined;
    this.connection.close();
  }

  /** @param {string} session @returns {import("./expansion/state.js").Pane} */
  pane(session) {
    return paneOf(this.expansion, session);
  }

  /** What has to take the focus before the action (E-4). @param {import("./expansion/actions.js").Action} action */
  focusFirst(action) {
    return focusFirst(this.expansion, action);
  }

  /** @param {import("./expansion/actions.js").Action} action @param {Member} [by] is not told */
  dispatch(action, by) {
    const before = this.expansion;
    this.expansion = reduce(before, action);
    if (this.expansion === before) return;
    for (const member of this.#members) if (member !== by) member.expanded?.(action.session);
  }

  /** Frees what was opened and typed in a session: its pane is evicted, or it was deleted. @param {string} session */
  forget(session) {
    this.drafts.forget(session);
    this.dispatch({ type: "forget", session });
  }

  /** @param {Member} member */
  #leave(member) {
    if (!this.#members.delete(member)) return;
    const isListed = [...this.#members].some((one) => one.listed);
    if (!isListed && this.#listSub) {
      this.send({ type: "unsubscribe", sub: this.#listSub });
      this.#listSub = "";
    }
    if (this.#members.size === 0) this.#soon(LINGER_MS, () => this.close());
  }

  /** @param {number} afterMs @param {() => void} settle */
  #soon(afterMs, settle) {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(settle, afterMs);
  }

  /** @param {(member: Member) => void} say */
  #tell(say) {
    for (const member of [...this.#members]) {
      try {
        say(member);
      } catch (problem) {
        // One member's fault is nobody else's; it is told as any uncaught one.
        queueMicrotask(() => {
          throw problem;
        });
      }
    }
  }

  #followList() {
    if (this.#listSub || !this.live) return;
    this.#listSub = `l${(this.#listSubs += 1)}`;
    this.send({ type: "subscribe_sessions", sub: this.#listSub });
  }

  /** @param {Frame} welcome */
  #opened(welcome) {
    if (welcome.server_time_ms) this.clockOffsetMs = welcome.server_time_ms - Date.now();
    this.preferences = preferencesOf(welcome.preferences);
    this.limits = welcome.limits ?? {};
    this.#listSub = "";
    if ([...this.#members].some((member) => member.listed)) this.#followList();
    this.#tell((member) => member.opened?.(welcome));
  }

  /** @param {Frame} frame */
  #receive(frame) {
    if (frame.sub === this.#listSub && frame.type === "sessions") this.#listed(frame);
    else {
      if (frame.type === "preferences") this.#prefer(frame);
      this.#tell((member) => member.frame?.(frame));
    }
  }

  /** @param {Frame} frame */
  #prefer(frame) {
    this.preferences = preferencesOf(frame.preferences);
    this.#tell((member) => member.preferred?.());
  }

  /** @param {Frame} frame */
  #listed(frame) {
    const gone = this.list.receive(/** @type {any} */ (frame));
    for (const session of gone) this.forget(session);
    this.#tell((member) => member.listed?.(gone));
  }
}

/** By address and token; one page holds few. @type {Map<string, ServiceClient>} */
const PLAIN = new Map();
/** By their providers, so that those of a provider that nobody holds any more are freed. @type {WeakMap<Function, Map<string, ServiceClient>>} */
const PROVIDED = new WeakMap();
/** @type {WeakMap<Function, number>} */
const NUMBERS = new WeakMap();
let numbers = 0;

/** @param {Function | undefined} given @returns {number} the same for the same function; 0: none */
function numberOf(given) {
  if (!given) return 0;
  if (!NUMBERS.has(given)) NUMBERS.set(given, (numbers += 1));
  return NUMBERS.get(given) ?? 0;
}

/**
 * The one client of this page for an address and a credential: elements that name the same share a connection.
 *
 * @param {string} url @param {import("./credentials.js").CredentialOptions & {fetch?: import("./http.js").Fetch}} [options] a function counts by its identity
 * @returns {ServiceClient}
 */
export function sharedService(url, options = {}) {
  const provider = options.ticket ?? (typeof options.token === "function" ? options.token : null) ?? options.fetch ?? null;
  const held = provider ? (PROVIDED.get(provider) ?? new Map()) : PLAIN;
  if (provider) PROVIDED.set(provider, held);
  const base = new URL(url, globalThis.document?.baseURI).href;
  const { ticket, token, fetch } = options;
  const name = JSON.stringify([base, numberOf(ticket), typeof token === "function" ? numberOf(token) : (token ?? ""), numberOf(fetch)]);
  const found = held.get(name) ?? new ServiceClient(base, options);
  held.set(name, found);
  return found;
}
