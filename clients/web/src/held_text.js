/** A text that is on the page whole already, though the wire now sends its head: what a reader has is not taken away. */

/** @typedef {import("./types.js").Block} Block */
/** @typedef {import("./markdown.js").MarkdownView} MarkdownView */

/**
 * Whether the page holds the whole text that a block is the head of: it streamed, or the reader fetched it.
 *
 * @param {string} held @param {Block} block @returns {boolean}
 */
export function isHeldWhole(held, block) {
  if (!block.truncated || held.length <= (block.text ?? "").length || !held.startsWith(block.text ?? "")) return false;
  return new TextEncoder().encode(held).length === block.bytes;
}

/** @param {MarkdownView} markdown @returns {import("./shortened.js").Show} */
export function showIn(markdown) {
  return {
    whole: (text) => markdown.set(text),
    great: (element) => {
      markdown.set("");
      markdown.root.replaceChildren(element);
    },
  };
}
