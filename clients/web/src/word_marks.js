/** Finds words in text that is shown, and marks them with the browser's highlights: the text itself is left alone. */

const NAME = "turnfold-find";
/** A row may hold thousands of matches; those that a reader sees first are enough. */
const MAX_MARKS = 200;
/** What stands in a row and is none of its words: another row, a button, what only names a part. */
const NOT_ITS_WORDS = ".seat, .level, .row-actions, .copy-code, .shortened, .sr-only, section > h3";

/** Marks nothing where the browser has no highlights. @param {Element} element @param {string} query as it was typed: words, or words together in quotes @param {Range | null} [place] marked in any case */
export function markWords(element, query, place = null) {
  const highlights = globalThis.CSS?.highlights;
  if (!highlights || wordsOf(query).length === 0) return;
  const marked = place ? [place] : [];
  for (const range of rangesIn(element, patternOf(wordsOf(query)))) {
    if (marked.length === MAX_MARKS) break;
    marked.push(range);
  }
  highlights.set(NAME, new Highlight(...marked));
}

export function unmark() {
  globalThis.CSS?.highlights?.delete(NAME);
}

/** @param {string} query @returns {string[]} the longest first, so that a mark is never only the beginning of another */
export function wordsOf(query) {
  const found = [...query.matchAll(/"([^"]+)"|([^\s"]+)/g)].map(([, quoted, plain]) => quoted ?? plain);
  return found.sort((a, b) => b.length - a.length);
}

/** Where the first of the words stands in a part that has all of them; null: it lacks one. @param {Element} part @param {string} query @returns {Range | null} */
export function placeOfWords(part, query) {
  const words = wordsOf(query);
  const whole = textsIn(part).map(({ data }) => data).join("");
  if (words.length === 0 || !words.every((word) => patternOf([word]).test(whole))) return null;
  return rangesIn(part, patternOf(words)).next().value ?? null;
}

/** @param {string[]} words */
function patternOf(words) {
  return new RegExp(words.map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")).join("|"), "giu");
}

/** The texts of an element that are its own words. @param {Element} element @returns {Text[]} */
function textsIn(element) {
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT, (node) =>
    node instanceof Element && node.matches(NOT_ITS_WORDS) ? NodeFilter.FILTER_REJECT : NodeFilter.FILTER_ACCEPT,
  );
  const found = [];
  while (walker.nextNode()) if (walker.currentNode instanceof Text) found.push(walker.currentNode);
  return found;
}

/** Matches in reading order. @param {Element} element @param {RegExp} pattern @returns {Generator<Range>} */
function* rangesIn(element, pattern) {
  for (const node of textsIn(element)) {
    for (const match of node.data.matchAll(pattern)) {
      const range = new Range();
      range.setStart(node, match.index);
      range.setEnd(node, match.index + match[0].length);
      yield range;
    }
  }
}
