/** Rows of work: a tool call, a command of the host, a search. One line, and all of it in the row's own disclosure. */

import { blocksOf, drawBlock, drawRowJson, plain, textOf } from "../blocks.js";
import { CodeView } from "../code.js";
import { Disclosure, openable, setVisibility } from "../disclosure.js";
import { el, icon, setText } from "../element.js";
import { safeHref } from "../inline.js";
import { withRest } from "../row_texts.js";
import { sameValue } from "../same_value.js";

/** @typedef {import("../types.js").Row} Row */
/** @typedef {import("../page_context.js").PageContext} PageContext */
/** @typedef {import("../page_context.js").RowView} RowView */

/** Longest excerpt of an input on the row's line, in characters; the style sheet cuts it further. */
const EXCERPT_CHARS = 300;

/** @type {Record<string, string>} */
const STATUS_ICONS = { ok: "check", done: "check", completed: "check", error: "cross", failed: "cross", denied: "cross" };

/** The parts that every row of work has. */
class WorkView {
  /** @param {HTMLElement} body @param {PageContext} page */
  constructor(body, page) {
    this.page = page;
    this.mark = el("span", { class: "mark" });
    this.name = el("span", { class: "name" });
    this.excerpt = el("span", { class: "excerpt" });
    this.note = el("span", { class: "note" });
    this.status = "";
    this.disclosure = new Disclosure("work", this.mark, this.name, this.excerpt, this.note);
    body.append(this.disclosure.button, this.disclosure.panel);
  }

  /** @param {string} status */
  setStatus(status) {
    if (status === this.status) return;
    this.status = status;
    this.disclosure.button.dataset.status = status;
    this.mark.replaceChildren(status === "running" || status === "searching" ? el("span", { class: "spinner" }) : icon(STATUS_ICONS[status] ?? "dash"));
    this.mark.title = this.page.words.named(`tool_${status}`, status);
  }

  /** The row's own disclosure, as a presentation opens and closes it. @returns {Pick<RowView, "own" | "detail">} */
  get openable() {
    return openable(this.disclosure);
  }

  /** @param {string} label @param {string} field of the row, as a search hit names it @returns {HTMLElement} */
  section(label, field) {
    const section = el("section", { hidden: true, "data-field": field }, el("h3", {}, label));
    this.disclosure.panel.append(section);
    return section;
  }
}

/** @param {HTMLElement} section @param {Node[]} content empty: the section does not show */
function fill(section, content) {
  section.hidden = content.length === 0;
  while (section.children.length > 1) section.lastChild?.remove();
  section.append(...content);
}

/** The line that tells a call from its neighbours: its title, else the first text of its input. @param {Row} row */
function excerptOf(row) {
  if (row.title) return row.title;
  const { input } = row;
  const first = typeof input === "object" && input !== null ? Object.values(input).find((value) => typeof value === "string") : input;
  const text = typeof first === "string" ? first : input && Object.keys(input).length ? JSON.stringify(input) : "";
  return text.slice(0, EXCERPT_CHARS).replace(/\s+/g, " ");
}

/** The review of a change that a call gave back, if it did: such a row is the file's (C-15). @param {Row} row */
function reviewOf(row) {
  return Array.isArray(row.output) ? row.output.find((block) => block?.type === "diff" && textOf(block.path)) : undefined;
}

/** @param {Row} row @param {PageContext} page @returns {string} */
function noteOf(row, page) {
  const { words } = page;
  if (row.status === "error" && Number.isInteger(row.exit_code)) return words.fill(words.exit_code, { n: Number(row.exit_code) });
  if (row.status && row.status !== "ok" && row.status !== "running") return words.named(`tool_${row.status}`, row.status);
  return typeof row.duration_ms === "number" ? words.duration(row.duration_ms) : "";
}

/** @param {Row} row @param {PageContext} page @returns {Node[]} */
function outputOf(row, page) {
  if (row.output === null || row.output === undefined) return [];
  const { key } = row;
  if (headless(row, "output")) return [drawRowJson(row, "output", page)];
  const blocks = blocksOf(row.output);
  if (!row.truncated && !blocks.some((block) => block.type !== "text" || textOf(block.text).trim())) return [el("div", { class: "none" }, page.words.no_output)];
  if (typeof row.output === "string") return [withRest(page, { key, field: "/output" }, row, row.output, plain)];
  const review = reviewOf(row);
  // The row's title is the file's already, and the review stands right below it.
  const drawn = blocks.map((block, at) => drawBlock(block === review ? { ...block, path: "" } : block, page, { key, field: `/output/${at}` }));
  return review ? [...drawn.splice(blocks.indexOf(review), 1), ...drawn] : drawn;
}

/** Whether heads of a field's JSON are named in the row. @param {Row} row @param {string} field */
function headless(row, field) {
  return row.heads?.some((head) => head.field === `/${field}` || head.field.startsWith(`/${field}/`)) ?? false;
}

/** What a tool has put out so far: it grows, and goes away when the result is there. */
class LiveOutput {
  /** @param {HTMLElement} section */
  constructor(section) {
    this.section = section;
    /** @type {CodeView | null} */
    this.code = null;
  }

  /** @param {string | undefined} text */
  set(text) {
    this.code = null;
    fill(this.section, []);
    if (text) this.append(text);
  }

  /** @param {string} text */
  append(text) {
    if (!this.code) {
      this.code = new CodeView("");
      fill(this.section, [this.code.element]);
    }
    const lines = (this.code.partial.data + text).split("\n");
    const last = /** @type {string} */ (lines.pop());
    for (const line of lines) this.code.addLine(line);
    this.code.setPartial(last);
  }
}

/** What there is of a running call's output beyond its head. @param {Row} row @param {PageContext} page @param {LiveOutput} live */
function restOfProgress(row, page, live) {
  return page.shortened({ key: row.key, field: "/progress" }, { text: row.progress ?? "", bytes: row.bytes }, {
    whole: (text) => live.set(text),
    great: (element) => fill(live.section, [element]),
  });
}

/** @param {HTMLElement} body @param {PageContext} page @returns {RowView} */
export function toolRow(body, page) {
  const { words } = page;
  const work = new WorkView(body, page);
  const input = work.section(words.input, "input");
  const live = new LiveOutput(work.section(words.output_live, "output"));
  const output = work.section(words.output, "output");
  const error = work.section(words.error, "error");
  /** @type {HTMLElement | null} */
  let rest = null;
  /** @type {Row | null} */
  let shown = null;
  /** @type {HTMLElement | null} */
  let delegate = null;
  /** What holds the delegate's transcript, below the row. */
  const below = el("div", { class: "below" });

  return {
    own: work.disclosure,
    detail: (detail) => {
      work.openable.detail?.(detail);
      setVisibility(below, !detail || detail.open ? "shown" : "folded");
    },
    update: (row) => {
      work.setStatus(textOf(row.status));
      const review = reviewOf(row);
      setText(work.name, review ? textOf(review.path) : textOf(row.name));
      setText(work.excerpt, review ? "" : excerptOf(row));
      setText(work.note, noteOf(row, page));
      for (const part of [work.disclosure.button, work.disclosure.panel]) part.toggleAttribute("data-review", review !== undefined);
      const sameHeads = sameValue(shown?.heads, row.heads);
      const sameReview = Boolean(review) === Boolean(shown && reviewOf(shown));
      if (!shown || !sameHeads || !sameReview || !sameValue(shown.input, row.input)) {
        // What a reviewed call was given is what the review shows.
        fill(input, review || isEmpty(row.input) ? [] : [drawRowJson(row, "input", page)]);
      }
      if (!shown || !sameHeads || !sameValue(shown.output, row.output)) fill(output, outputOf(row, page));
      if (shown?.progress !== row.progress) live.set(row.progress);
      if (row.progress === undefined || shown?.bytes !== row.bytes) rest?.remove();
      if (row.progress !== undefined && row.truncated && shown?.bytes !== row.bytes) {
        rest = live.section.appendChild(restOfProgress(row, page, live));
      }
      fill(error, row.error ? [drawRowJson(row, "error", page)] : []);
      shown = row;
    },
    output: (text) => {
      live.append(text);
      if (shown) shown = { ...shown, progress: (shown.progress ?? "") + text };
    },
    thread: () => {
      if (delegate) return delegate;
      const disclosure = new Disclosure("delegate", el("span", { class: "label" }, words.delegate));
      delegate = el("div", { class: "thread nested" });
      disclosure.panel.append(delegate);
      // Always open at first, whenever the page came: the delegate's own turns fold themselves.
      disclosure.set(true);
      below.append(disclosure.button, disclosure.panel);
      body.append(below);
      return delegate;
    },
  };
}

/** @param {unknown} input */
function isEmpty(input) {
  if (input === null || input === undefined || input === "") return true;
  return typeof input === "object" && Object.keys(input).length === 0;
}

/** @param {HTMLElement} body @param {PageContext} page @returns {RowView} */
export function commandRow(body, page) {
  const work = new WorkView(body, page);
  const input = work.section(page.words.input, "input");
  const output = work.section(page.words.output, "output");
  return {
    ...work.openable,
    update: (row) => {
      work.setStatus(textOf(row.status));
      setText(work.name, textOf(row.name));
      setText(work.excerpt, excerptOf(row));
      fill(input, isEmpty(row.input) ? [] : [drawRowJson(row, "input", page)]);
      fill(output, outputOf(row, page));
    },
  };
}

/** @param {HTMLElement} body @param {PageContext} page @returns {RowView} */
export function searchRow(body, page) {
  const { words } = page;
  const work = new WorkView(body, page);
  const sources = el("ul", { class: "sources" });
  work.disclosure.panel.append(sources);
  return {
    ...work.openable,
    update: (row) => {
      work.setStatus(textOf(row.status));
      setText(work.name, row.status === "searching" ? words.searching : words.search);
      setText(work.excerpt, row.query || textOf(row.url));
      setText(work.note, row.status === "failed" ? words.tool_error : "");
      const found = Array.isArray(row.sources) ? row.sources : [];
      sources.replaceChildren(...[row.url, ...found].filter(Boolean).map((source) => el("li", {}, sourceLink(source))));
    },
  };
}

/** @param {unknown} source a URL, or an object with `url` and `title` @returns {Node} */
function sourceLink(source) {
  const { url, title } = typeof source === "object" && source !== null ? /** @type {any} */ (source) : { url: source, title: "" };
  const text = textOf(title) || textOf(url) || textOf(source);
  const href = safeHref(textOf(url));
  return href ? el("a", { href, target: "_blank", rel: "noopener noreferrer nofollow" }, text) : el("span", {}, text);
}
