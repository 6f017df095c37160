/** Rows of words: what the human wrote, the system prompt, injected context. */

import { blocksOf, drawBlock, textOf } from "../blocks.js";
import { ownText, withRest } from "../row_texts.js";
import { Disclosure, openable } from "../disclosure.js";
import { el, setText } from "../element.js";
import { MarkdownView } from "../markdown.js";

/** @typedef {import("../types.js").Row} Row */
/** @typedef {import("../page_context.js").PageContext} PageContext */
/** @typedef {import("../page_context.js").RowView} RowView */

/** @param {HTMLElement} body @param {Row} row @param {PageContext} page @param {boolean} markdown */
function drawContent(body, row, page, markdown) {
  /** @param {string} text */
  const drawWords = (text) => {
    const words = el("div", { class: markdown ? "prose" : "words" }, markdown ? null : text);
    if (markdown) new MarkdownView(words).set(text);
    return words;
  };
  body.replaceChildren();
  blocksOf(row.content).forEach((block, at) => {
    const place = { key: row.key, field: `/content/${at}` };
    if (block.type !== "text") body.append(drawBlock(block, page, place));
    else body.append(withRest(page, { ...place, field: `${place.field}/text` }, block, textOf(block.text), drawWords));
  });
}

/** @param {HTMLElement} body @param {PageContext} page @returns {RowView} */
export function userRow(body, page) {
  const bubble = el("div", { class: "bubble" });
  body.append(el("h2", { class: "sr-only" }, page.words.you), bubble);
  return { update: (row) => drawContent(bubble, row, page, false) };
}

/** @param {HTMLElement} body @param {PageContext} page @returns {RowView} */
export function steeringRow(body, page) {
  const bubble = el("div", { class: "bubble" });
  body.append(el("div", { class: "eyebrow" }, page.words.steering), bubble);
  return { update: (row) => drawContent(bubble, row, page, false) };
}

/** @param {HTMLElement} body @param {PageContext} page @returns {RowView} */
export function systemPromptRow(body, page) {
  const disclosure = new Disclosure("quiet", el("span", { class: "label" }, page.words.system_prompt));
  const text = el("div", { class: "words boxed" });
  disclosure.panel.append(text);
  body.append(disclosure.button, disclosure.panel);
  return {
    update: (row) => {
      text.replaceChildren(...ownText(row, "text", page, (whole) => el("div", {}, whole)));
    },
  };
}

/** @param {HTMLElement} body @param {PageContext} page @returns {RowView} */
export function contextRow(body, page) {
  const title = el("span", { class: "excerpt" });
  const disclosure = new Disclosure("quiet", el("span", { class: "label" }, page.words.context), title);
  const content = el("div", { class: "boxed" });
  disclosure.panel.append(content);
  body.append(disclosure.button, disclosure.panel);
  return {
    ...openable(disclosure),
    update: (row) => {
      setText(title, row.title || textOf(row.source));
      drawContent(content, row, page, true);
    },
  };
}
