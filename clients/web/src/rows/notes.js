/** Rows that say what happened: retries, compaction, notices, and how a turn ended. */

import { drawJson, drawRowJson, textOf } from "../blocks.js";
import { ownText } from "../row_texts.js";
import { Disclosure, openable } from "../disclosure.js";
import { el, icon, setText } from "../element.js";
import { MarkdownView } from "../markdown.js";

/** @typedef {import("../types.js").Row} Row */
/** @typedef {import("../page_context.js").PageContext} PageContext */
/** @typedef {import("../page_context.js").RowView} RowView */

/** @param {HTMLElement} body @param {PageContext} page @returns {RowView} */
export function retryRow(body, page) {
  const { words } = page;
  const text = el("span", { class: "label" });
  const reason = el("span", { class: "excerpt" });
  body.append(el("div", { class: "line" }, el("span", { class: "tag" }), text, reason));
  const tag = /** @type {HTMLElement} */ (body.querySelector(".tag"));
  return {
    update: (row) => {
      setText(tag, words.fill(words.retry, { n: Number(row.retry ?? 1) }));
      const waits = row.status === "waiting" && typeof row.delay_ms === "number";
      setText(text, waits ? words.fill(words.retry_waiting, { t: words.duration(Number(row.delay_ms)) }) : words.retry_soon);
      setText(reason, messageOf(row.failure));
    },
  };
}

/** @param {unknown} failure a text, or an object that holds one @returns {string} */
function messageOf(failure) {
  if (typeof failure !== "object" || failure === null) return textOf(failure);
  const { message, code } = /** @type {any} */ (failure);
  return textOf(message ?? code ?? failure);
}

/** @param {HTMLElement} body @param {PageContext} page @returns {RowView} */
export function compactionRow(body, page) {
  const label = el("span", { class: "label" });
  const disclosure = new Disclosure("divider", label);
  const summary = el("div", { class: "boxed" });
  disclosure.panel.append(summary);
  /** @param {string} text */
  const drawSummary = (text) => {
    const prose = el("div", { class: "prose" });
    new MarkdownView(prose).set(text);
    return prose;
  };
  const line = el("div", { class: "divider-line" });
  body.append(line, disclosure.panel);
  return {
    update: (row) => {
      setText(label, row.status === "failed" ? page.words.compaction_failed : page.words.compaction);
      line.replaceChildren(row.summary ? disclosure.button : label.cloneNode(true));
      if (row.summary) disclosure.button.prepend(label);
      summary.replaceChildren(...ownText(row, "summary", page, drawSummary));
    },
  };
}

/** @param {HTMLElement} body @param {PageContext} page @returns {RowView} */
export function noticeRow(body, page) {
  const text = el("div", { class: "words" });
  const box = body.appendChild(el("div", { class: "notice" }));
  return {
    update: (row) => {
      box.dataset.level = textOf(row.level);
      box.replaceChildren(icon(row.level === "info" ? "info" : "alert"), text);
      text.replaceChildren(...ownText(row, "text", page, (whole) => el("div", {}, whole)));
    },
  };
}

/** @param {HTMLElement} body @param {PageContext} page @returns {RowView} */
export function errorRow(body, page) {
  const code = el("code");
  const message = el("div", { class: "words" });
  const heading = el("div", { class: "title" }, page.words.turn_error, " ", code);
  body.append(el("div", { class: "failure", role: "note" }, icon("alert"), el("div", {}, heading, message)));
  return {
    update: (row) => {
      setText(code, textOf(row.code));
      code.hidden = !textOf(row.code);
      message.replaceChildren(...ownText(row, "message", page, (whole) => el("div", {}, whole)));
      message.hidden = !textOf(row.message);
    },
  };
}

/** @param {HTMLElement} body @param {PageContext} page @returns {RowView} */
export function maxTokensRow(body, page) {
  body.append(el("div", { class: "notice", "data-level": "warning" }, icon("alert"), el("div", { class: "words" }, page.words.max_tokens)));
  return { update: () => undefined };
}

/** @param {HTMLElement} body @param {PageContext} page @returns {RowView} */
export function tailRow(body, page) {
  const text = el("span");
  const tail = body.appendChild(el("div", { class: "tail" }, text));
  return {
    update: (row) => {
      const outcome = textOf(row.outcome);
      tail.dataset.outcome = outcome;
      setText(text, page.words.named(`outcome_${outcome}`, outcome));
    },
  };
}

/** A row of a kind that is not ours: named, and whole in its disclosure. @param {HTMLElement} body @param {PageContext} page @returns {RowView} */
export function customRow(body, page) {
  const name = el("span", { class: "label" });
  const title = el("span", { class: "excerpt" });
  const disclosure = new Disclosure("quiet", name, title);
  body.append(disclosure.button, disclosure.panel);
  return {
    ...openable(disclosure),
    update: (row) => {
      setText(name, row.name || row.kind);
      setText(title, textOf(row.title));
      disclosure.panel.replaceChildren(el("div", { class: "boxed" }, row.payload === undefined ? drawJson(row) : drawRowJson(row, "payload", page)));
    },
  };
}
