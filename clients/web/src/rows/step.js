/** One step of the assistant: its blocks in their order. A streamed text grows in place. */

import { drawBlock, textOf } from "../blocks.js";
import { setHidden } from "../disclosure.js";
import { el } from "../element.js";
import { MarkdownView } from "../markdown.js";
import { isHeldWhole, showIn } from "../held_text.js";
import { sameValue } from "../same_value.js";
import { ThinkingView } from "./thinking.js";

/** @typedef {import("../types.js").Block} Block */
/** @typedef {import("../types.js").Row} Row */
/** @typedef {import("../page_context.js").PageContext} PageContext */
/** @typedef {import("../page_context.js").RowView} RowView */

/**
 * @typedef {{type: string, element: HTMLElement, set: (block: Block, live: boolean) => void,
 *   append?: (text: string) => void, own?: import("../disclosure.js").Openable,
 *   detail?: (detail: import("../page_context.js").RowDetail | null) => void}} BlockView
 */

/** @param {PageContext} page @param {import("../shortened.js").Place} place @returns {BlockView} */
function textView(page, place) {
  const element = el("div", { class: "block prose" });
  const prose = element.appendChild(el("div"));
  const markdown = new MarkdownView(prose);
  /** @type {HTMLElement | null} */
  let rest = null;
  /** The block as it was last set; null once text was added. @type {Block | null} */
  let shown = null;
  return {
    type: "text",
    element,
    set: (block) => {
      const text = textOf(block.text);
      element.classList.toggle("blank", text.trim() === "" && !block.truncated);
      if (isHeldWhole(markdown.source, block) || sameValue(shown, block)) return;
      shown = block;
      rest?.remove();
      rest = null;
      markdown.set(text);
      if (block.truncated) rest = element.appendChild(page.shortened(place, { text, bytes: block.bytes }, showIn(markdown)));
    },
    append: (text) => {
      if (text.trim() !== "") element.classList.remove("blank");
      shown = null;
      markdown.append(text);
    },
  };
}

/** @param {PageContext} page @param {import("../shortened.js").Place} place @returns {BlockView} */
function otherView(page, place) {
  const element = el("div", { class: "block" });
  /** @type {Block | null} */
  let shown = null;
  return {
    type: "other",
    element,
    set: (block) => {
      // The call itself is a row of its own.
      const isCall = block.type === "tool_call";
      element.classList.toggle("blank", isCall);
      if (isCall || sameValue(shown, block)) return;
      shown = block;
      element.replaceChildren(drawBlock(block, page, place));
    },
  };
}

/** @param {string | undefined} type */
function viewType(type) {
  return type === "text" || type === "reasoning" ? type : "other";
}

/** @param {HTMLElement} body @param {PageContext} page @param {Row} first @returns {RowView} */
export function stepRow(body, page, first) {
  /** @type {BlockView[]} */
  const views = [];
  const blocks = body.appendChild(el("div", { class: "blocks" }));
  const cut = body.appendChild(el("div", { class: "cut blank" }, page.words.interrupted));
  let reasoningHidden = false;

  /** @param {string} type @param {number} at @returns {BlockView} */
  function make(type, at) {
    const place = { key: first.key, field: `/blocks/${at}` };
    const text = { ...place, field: `${place.field}/text` };
    if (type === "text") return textView(page, text);
    return type === "reasoning" ? new ThinkingView(page, text) : otherView(page, place);
  }

  /** @param {number} at @param {Block} block */
  function shapeBlock(at, block) {
    const type = viewType(block.type);
    if (views[at]?.type !== type) {
      const made = make(type, at);
      if (views[at]) views[at].element.replaceWith(made.element);
      else blocks.append(made.element);
      views[at] = made;
      if (type === "reasoning" && reasoningHidden) setHidden(made.element, true);
    }
  }

  /** @param {Row} row */
  const blocksIn = (row) => (Array.isArray(row.blocks) ? row.blocks : []);

  return {
    shape: (row) => blocksIn(row).forEach((block, at) => shapeBlock(at, block)),
    parts: () => views,
    cut,
    update: (row) => {
      const held = blocksIn(row);
      held.forEach((block, at) => {
        shapeBlock(at, block);
        views[at].set(block, row.status === "running" && at === held.length - 1);
      });
      for (const view of views.splice(held.length)) view.element.remove();
      cut.classList.toggle("blank", row.status !== "interrupted");
    },
    append: (at, text) => views[at]?.append?.(text),
    hideReasoning: (hidden) => {
      reasoningHidden = hidden;
      for (const view of views) if (view.type === "reasoning") setHidden(view.element, hidden);
    },
  };
}
