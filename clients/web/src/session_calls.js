/**
 * What is asked of the service about one session over HTTP: hits, places, an answer, an export. A refusal is the service's own
 * words (problem documents).
 *
 * @typedef {Readonly<{text: string, match: boolean}>} Piece
 * @typedef {Readonly<{turn: number | null, key: string, ref: string, field: string, in: string[], hidden_by: string[],
 *   excerpt: Piece[]}>} Hit
 * @typedef {{hits: Hit[], cursor: string | null}} HitPage
 * @typedef {{hit: Hit | null, position: import("./types.js").Position}} Located `hit` null: nowhere, as of `position`
 * @typedef {{outcome: string, payload?: unknown}} Answer
 */

/** So many hits at once: more than anybody reads, and an answer of some ms. */
const HITS = 100;

export class SessionCalls {
  /** @param {string} base address of the session, without a slash at its end @param {import("./http.js").Http} http */
  constructor(base, http) {
    this.base = base;
    this.http = http;
  }

  /** @param {string} words @param {Record<string, unknown>} view @param {string | null} cursor @param {AbortSignal} signal @returns {Promise<HitPage>} */
  async search(words, view, cursor, signal) {
    const query = new URLSearchParams({ q: words, limit: String(HITS), ...viewQuery(view), ...(cursor ? { cursor } : {}) });
    return (await this.#ask(`search?${query}`, { signal })).json();
  }

  /** Where a row of the session's own transcript is. @param {string} key @param {AbortSignal} signal @returns {Promise<Located>} */
  async locate(key, signal) {
    const answer = await this.#ask(`search?${new URLSearchParams({ key })}`, { signal });
    const { hits, position } = await answer.json();
    return { hit: hits[0] ?? null, position };
  }

  /** @param {string} id of the interaction @param {readonly string[]} path @param {Answer} answer */
  async answer(id, path, answer) {
    const query = new URLSearchParams(path.map((call) => ["in", call]));
    await this.#ask(`interactions/${encodeURIComponent(id)}?${query}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(answer),
    });
  }

  /** @param {string} format @param {string} locale @returns {string} */
  exportUrl(format, locale) {
    return `${this.base}/export?${new URLSearchParams({ format, locale })}`;
  }

  /** The file of an export, for whoever cannot send a token with a link. @param {string} format @param {string} locale @returns {Promise<Blob>} */
  async exported(format, locale) {
    return (await this.#ask(this.exportUrl(format, locale).slice(this.base.length + 1))).blob();
  }

  /** @param {string} path @param {RequestInit} [init] */
  #ask(path, init) {
    return this.http.ask(`${this.base}/${path}`, init);
  }
}

/** The view of a subscription as the parameters of a request. @param {Record<string, unknown>} view */
export function viewQuery({ kind, ...fields }) {
  const given = Object.entries(fields).filter(([, value]) => value !== undefined && value !== null);
  return { view: String(kind), ...Object.fromEntries(given.map(([name, value]) => [name, String(value)])) };
}
