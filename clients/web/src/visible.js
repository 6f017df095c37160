/**
 * Text as it can be shown: what a reader cannot see, but what steers a terminal or turns the order of the text around
 * it, becomes a sign. Pure, and character by character: the signs of a text are those of its parts, one after another.
 */

/** Control characters but tab and line ends, and the characters that change a text's direction. */
const UNSEEN = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g;
const ANY_UNSEEN = new RegExp(UNSEEN.source);

/** @type {Record<string, string>} */
const DIRECTIONS = {
  "\u202a": "LRE", "\u202b": "RLE", "\u202c": "PDF", "\u202d": "LRO", "\u202e": "RLO",
  "\u2066": "LRI", "\u2067": "RLI", "\u2068": "FSI", "\u2069": "PDI",
};

/** @param {string} char @returns {string} a control picture, or the name of a direction in brackets */
function signOf(char) {
  const name = DIRECTIONS[char];
  if (name) return `\u27e8${name}\u27e9`;
  const code = char.charCodeAt(0);
  if (code < 0x20) return String.fromCharCode(0x2400 + code);
  return code === 0x7f ? "\u2421" : "\u2426";
}

/** @param {string} text @returns {string} */
export function visible(text) {
  return ANY_UNSEEN.test(text) ? text.replace(UNSEEN, signOf) : text;
}
