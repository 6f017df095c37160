/** Rows of words: what the human wrote, the system prompt, injected context. */

import { blocksOf, drawBlock, textOf } from "../blocks.js";
import { Disclosure } from "../disclosure.js";
import { el } from "../element.js";
import { MarkdownView } from "../markdown.js";

/** @typedef {import("../types.js").Row} Row */
/** @typedef {import("../page_context.js").PageContext} PageContext */
/** @typedef {import("../page_context.js").RowView} RowView */

/** @param {HTMLElement} body @param {unknown} content @param {PageContext} page @param {boolean} markdown */
function drawContent(body, content, page, markdown) {
  body.replaceChildren();
  for (const block of blocksOf(content)) {
    if (block.type !== "text") body.append(drawBlock(block, page));
    else if (markdown) new MarkdownView(body.appendChild(el("div", { class: "prose" }))).set(textOf(block.text));
    else body.append(el("div", { class: "words" }, textOf(block.text)));
  }
}

/** @param {HTMLElement} body @param {PageContext} page @returns {RowView} */
export function userRow(body, page) {
  const bubble = el("div", { class: "bubble" });
  body.append(el("h3", { class: "sr-only" }, page.words.you), bubble);
  return { update: (row) => drawContent(bubble, row.content, page, false) };
}

/** @param {HTMLElement} body @param {PageContext} page @returns {RowView} */
export function steeringRow(body, page) {
  const bubble = el("div", { class: "bubble" });
  body.append(el("div", { class: "eyebrow" }, page.words.steering), bubble);
  return { update: (row) => drawContent(bubble, row.content, page, false) };
}

/** @param {HTMLElement} body @param {PageContext} page @returns {RowView} */
export function systemPromptRow(body, page) {
  const disclosure = new Disclosure("quiet", el("span", { class: "label" }, page.words.system_prompt));
  const text = el("div", { class: "words boxed" });
  disclosure.panel.append(text);
  body.append(disclosure.button, disclosure.panel);
  return {
    update: (row) => {
      text.textContent = textOf(row.text);
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
    update: (row) => {
      title.textContent = row.title || textOf(row.source);
      drawContent(content, row.content, page, true);
    },
  };
}
