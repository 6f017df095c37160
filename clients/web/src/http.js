/**
 * What a page asks of the service over HTTP: great texts, pictures and files, the search, exports, answers, preferences.
 *
 * A ticket opens a socket and nothing else. A page that has no token says with `fetch` how it asks (docs/browser-library.md):
 * through its own server, say, which holds the token.
 *
 * @typedef {(url: string, init: RequestInit) => Promise<Response>} Fetch as the platform's own
 */

/** The service refused; the message is its own words. */
export class Refused extends Error {
  /** @param {number} status @param {string} reason */
  constructor(status, reason) {
    super(reason);
    this.status = status;
  }
}

export class Http {
  #headers;
  #fetch;
  #hasTickets;

  /** @param {() => Record<string, string>} headers that say who asks @param {{fetch?: Fetch, ticket?: unknown}} [options] */
  constructor(headers, { fetch, ticket } = {}) {
    this.#headers = headers;
    this.#fetch = fetch;
    this.#hasTickets = Boolean(ticket);
  }

  /** Whether an address is all that a request needs, so that a link or a picture can lead there by itself. */
  get isPlain() {
    return !this.#fetch && !this.#hasTickets && Object.keys(this.#headers()).length === 0;
  }

  /** @param {string} url @param {RequestInit} [init] @returns {Promise<Response>} rejects as `fetch` does, and with `Refused` */
  async ask(url, init = {}) {
    const fetch = this.#fetch ?? globalThis.fetch;
    const answer = await fetch(url, { ...init, headers: { ...this.#headers(), ...init.headers } });
    if (!answer.ok) throw new Refused(answer.status, await reasonIn(answer));
    return answer;
  }
}

/** @param {Response} answer a problem document, as a rule @returns {Promise<string>} */
async function reasonIn(answer) {
  try {
    const { detail, title } = await answer.json();
    return String(detail || title);
  } catch {
    return `HTTP ${answer.status}`;
  }
}

/** Why something could not be had, in a reader's words. @param {unknown} problem @param {import("./words.js").Words} words @returns {string} */
export function reasonOf(problem, words) {
  // What the service says of tokens is for those who make the page.
  if (problem instanceof Refused && problem.status === 401) return words.no_access;
  return problem instanceof Error ? problem.message : String(problem);
}
