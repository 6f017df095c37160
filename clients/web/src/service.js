/**
 * What the page asks of the service over HTTP: the rest of a great text, and images and files.
 *
 * @typedef {() => Record<string, string>} Headers
 */

/** @param {string} base address of the session's rows @param {Headers} headers @returns {import("./shortened.js").Fetch} */
export function rowTextReader(base, headers) {
  return async (place, path, offset) => {
    const query = new URLSearchParams({ field: place.field, offset: String(offset) });
    for (const callId of path) query.append("in", callId);
    const answer = await fetch(`${base}${encodeURIComponent(place.key)}?${query}`, { headers: headers() });
    if (!answer.ok) throw new Error(`${answer.status}`);
    return answer.json();
  };
}

/**
 * The addresses of images and files. A browser sends no token with an image's own request, so with one the content is
 * fetched, and shown out of memory until it is freed.
 */
export class Blobs {
  #loaded = /** @type {Map<string, Promise<string>>} */ (new Map());

  /** @param {(sha: string) => string} urlOf @param {Headers} headers */
  constructor(urlOf, headers) {
    this.urlOf = urlOf;
    this.headers = headers;
  }

  /** @param {string} sha @param {(url: string) => void} show told once there is an address; never, if it could not be loaded */
  load(sha, show) {
    const sent = this.headers();
    if (Object.keys(sent).length === 0) {
      show(this.urlOf(sha));
      return;
    }
    const loaded = this.#loaded.get(sha) ?? load(this.urlOf(sha), sent);
    this.#loaded.set(sha, loaded);
    loaded.then(show, () => this.#loaded.delete(sha));
  }

  /** What was loaded is shown nowhere any more. */
  free() {
    for (const loaded of this.#loaded.values()) loaded.then((url) => URL.revokeObjectURL(url), () => undefined);
    this.#loaded.clear();
  }
}

/** @param {string} url @param {Record<string, string>} headers @returns {Promise<string>} */
async function load(url, headers) {
  const answer = await fetch(url, { headers });
  if (!answer.ok) throw new Error(`${answer.status}`);
  return URL.createObjectURL(await answer.blob());
}

/** @param {string} url of the preferences @param {Headers} headers @returns {import("./preferences.js").Save} */
export function preferenceSaver(url, headers) {
  return async (change) => {
    const answer = await fetch(url, {
      method: "PATCH",
      headers: { ...headers(), "content-type": "application/json" },
      body: JSON.stringify(change),
    });
    if (!answer.ok) throw new Error(`${answer.status}`);
    return answer.json();
  };
}
