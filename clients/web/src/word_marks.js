/** Marks words in text that is shown, with the browser's highlights: the text itself is left alone. Without them, nothing is marked. */

const NAME = "turnfold-find";
/** A row may hold thousands of matches; those that a reader sees first are enough. */
const MAX_MARKS = 200;

/** @param {Element} element @param {string} query as it was typed: words, or words together in quotes */
export function markWords(element, query) {
  const highlights = globalThis.CSS?.highlights;
  const words = wordsOf(query);
  if (!highlights || words.length === 0) return;
  const pattern = new RegExp(words.map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")).join("|"), "giu");
  highlights.set(NAME, new Highlight(...rangesIn(element, pattern)));
}

export function unmark() {
  globalThis.CSS?.highlights?.delete(NAME);
}

/** @param {string} query @returns {string[]} the longest first, so that a mark is never only the beginning of another */
export function wordsOf(query) {
  const found = [...query.matchAll(/"([^"]+)"|([^\s"]+)/g)].map(([, quoted, plain]) => quoted ?? plain);
  return found.sort((a, b) => b.length - a.length);
}

/** @param {Element} element @param {RegExp} pattern @returns {Range[]} */
function rangesIn(element, pattern) {
  const texts = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  /** @type {Range[]} */
  const ranges = [];
  while (texts.nextNode() && ranges.length < MAX_MARKS) {
    const node = /** @type {Text} */ (texts.currentNode);
    for (const match of node.data.matchAll(pattern)) {
      const range = new Range();
      range.setStart(node, match.index);
      range.setEnd(node, match.index + match[0].length);
      ranges.push(range);
    }
  }
  return ranges;
}
