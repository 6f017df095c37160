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
 * Gives the address of an image or file. A browser sends no token with an image's own request, so with one the content
 * is fetched, and shown out of memory for as long as the page stands.
 *
 * @param {(sha: string) => string} urlOf
 * @param {Headers} headers
 * @returns {(sha: string, show: (url: string) => void) => void}
 */
export function blobLoader(urlOf, headers) {
  /** @type {Map<string, Promise<string>>} */
  const loaded = new Map();
  return (sha, show) => {
    const sent = headers();
    if (Object.keys(sent).length === 0) {
      show(urlOf(sha));
      return;
    }
    const found = loaded.get(sha) ?? load(urlOf(sha), sent);
    loaded.set(sha, found);
    found.then(show, () => loaded.delete(sha));
  };
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
