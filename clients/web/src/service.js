/**
 * What the page reads and writes of the service beside one session's own calls: the rest of a great text, images and
 * files, preferences.
 *
 * @typedef {import("./http.js").Http} Http
 */

/** @param {string} base address of the session's rows @param {Http} http @returns {import("./shortened.js").Fetch} */
export function rowTextReader(base, http) {
  return async (place, path, offset) => {
    const query = new URLSearchParams({ field: place.field, offset: String(offset) });
    for (const callId of path) query.append("in", callId);
    return (await http.ask(`${base}${encodeURIComponent(place.key)}?${query}`)).json();
  };
}

/**
 * The addresses of images and files. A browser says with an image's own request nothing of who asks; where that is needed
 * the content is fetched, and shown out of memory until it is freed.
 */
export class Blobs {
  #loaded = /** @type {Map<string, Promise<string>>} */ (new Map());

  /** @param {(sha: string) => string} urlOf @param {Pick<Http, "isPlain" | "ask">} http */
  constructor(urlOf, http) {
    this.urlOf = urlOf;
    this.http = http;
  }

  /** @param {string} sha @param {(url: string) => void} show told once there is an address @param {(problem: unknown) => void} failed told if it could not be loaded */
  load(sha, show, failed) {
    if (this.http.isPlain) {
      show(this.urlOf(sha));
      return;
    }
    const loaded = this.#loaded.get(sha) ?? this.#fetched(sha);
    this.#loaded.set(sha, loaded);
    loaded.then(show, (problem) => {
      this.#loaded.delete(sha);
      failed(problem);
    });
  }

  /** What was loaded is shown nowhere any more. */
  free() {
    for (const loaded of this.#loaded.values()) loaded.then((url) => URL.revokeObjectURL(url), () => undefined);
    this.#loaded.clear();
  }

  /** @param {string} sha @returns {Promise<string>} */
  async #fetched(sha) {
    return URL.createObjectURL(await (await this.http.ask(this.urlOf(sha))).blob());
  }
}

/** A change outlives the page that asked for it. @param {string} url of the preferences @param {Http} http @returns {import("./preferences.js").Save} */
export function preferenceSaver(url, http) {
  return async (change) => {
    const body = JSON.stringify(change);
    const headers = { "content-type": "application/json" };
    return (await http.ask(url, { method: "PATCH", headers, body, keepalive: true })).json();
  };
}
