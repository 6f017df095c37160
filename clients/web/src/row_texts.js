/** Draws texts that may have travelled as their heads, each with what fetches the rest. */

import { el } from "./element.js";

/** @typedef {import("./types.js").Row} Row */
/** @typedef {import("./page_context.js").PageContext} PageContext */
/** @typedef {import("./shortened.js").Place} Place */

/**
 * @param {PageContext} page
 * @param {Place} place
 * @param {{truncated?: boolean, bytes?: number}} said what the wire says of the text
 * @param {string} text
 * @param {(text: string) => HTMLElement} draw in its own form
 * @returns {HTMLElement}
 */
export function withRest(page, place, said, text, draw) {
  const drawn = draw(text);
  if (!said.truncated) return drawn;
  const holder = el("div", { class: "with-rest" }, drawn);
  const note = page.shortened(place, { text, bytes: said.bytes }, {
    whole: (all) => holder.firstElementChild?.replaceWith(draw(all)),
    great: (element) => holder.firstElementChild?.replaceWith(element),
  });
  holder.append(note);
  return holder;
}

/** The row's own text. @param {Row} row @param {"text" | "summary" | "message"} name @param {PageContext} page @param {(text: string) => HTMLElement} draw */
export function ownText(row, name, page, draw) {
  const text = row[name];
  return text === undefined ? [] : [withRest(page, { key: row.key, field: `/${name}` }, row, text, draw)];
}
