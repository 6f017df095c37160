/**
 * Draws Markdown that streams. The cost of a chunk follows the unit that it ends in, not the text before it (E-14).
 *
 * All content goes through text nodes; no markup of a session is ever parsed. Links open elsewhere and tell no referrer.
 */

import { el } from "./element.js";
import { parseInline } from "./inline.js";
import { CodeView } from "./code.js";
import { GreatText } from "./great_text.js";
import { visible } from "./visible.js";
import { FENCE, HEADING, ITEM, MAX_PARAGRAPH_CHARS, MAX_UNIT_CHARS, QUOTE, closesFence, isTable, itemIndent, piecesOf, unitsOf } from "./markdown_units.js";

/** @typedef {import("./inline.js").Span} Span */
/** @typedef {import("./markdown_units.js").Unit} Unit */

/** Deeper nesting is drawn as plain text. */
const MAX_DEPTH = 10;
/** As much Markdown as a model writes in one answer; what comes beyond is shown as it is, and costs next to nothing. */
const MAX_MARKDOWN_CHARS = 256 * 1_024;

/** One text that grows. */
export class MarkdownView {
  /** @param {HTMLElement} root its element, empty */
  constructor(root) {
    this.root = root;
    this.source = "";
    /** What is beyond all Markdown. @type {GreatText | null} */
    this.great = null;
    this.#reset();
  }

  /** Shows `text`; what it has in common with the text shown stays as it is. @param {string} text */
  set(text) {
    if (text === this.source) return;
    if (text.startsWith(this.source)) {
      this.append(text.slice(this.source.length));
      return;
    }
    this.root.replaceChildren();
    this.#reset();
    this.append(text);
  }

  /** @param {string} text */
  append(text) {
    const room = MAX_MARKDOWN_CHARS - this.source.length;
    this.source += text;
    if (text.length <= room) this.#parse(text);
    else {
      if (room > 0) this.#parse(text.slice(0, room));
      this.#beyond(room > 0 ? text.slice(room) : text);
    }
  }

  /** @param {string} text what is too much to be Markdown */
  #beyond(text) {
    if (!this.great) {
      this.great = new GreatText();
      this.root.append(this.great.element);
    }
    this.great.append(text);
  }

  /** @param {string} text */
  #parse(text) {
    if (this.fence) this.#feedFence(text);
    else this.#feed(this.tail + text);
  }

  #reset() {
    this.source = "";
    /** The source of the unit that may go on. */
    this.tail = "";
    /** What is drawn for it. @type {HTMLElement | null} */
    this.tailNode = null;
    /** The paragraph that a cut one goes on in. @type {HTMLElement | null} */
    this.paragraph = null;
    /** The open fenced code. @type {{mark: string, line: string, code: CodeView} | null} */
    this.fence = null;
    this.great = null;
  }

  /** @param {string} source from the start of the open unit on */
  #feed(source) {
    this.#unmountTail();
    const units = unitsOf(source);
    const last = units.pop();
    for (const unit of units) this.#mount(unit);
    if (!last) this.tail = "";
    else if (last.kind === "fence" && last.source.includes("\n")) this.#openFence(last.source);
    else if (last.kind === "paragraph" && last.source.length > MAX_PARAGRAPH_CHARS && !isTable(last.source)) this.#cut(last.source);
    else if (last.source.length > MAX_UNIT_CHARS) this.#close(last);
    else this.#mountTail(last);
  }

  #unmountTail() {
    const parent = this.tailNode?.parentElement;
    this.tailNode?.remove();
    if (parent && parent !== this.root && parent !== this.paragraph && !parent.firstChild) parent.remove();
    this.tailNode = null;
  }

  /** @param {Unit} unit */
  #mountTail(unit) {
    this.tail = unit.source;
    this.tailNode = this.#mount(unit);
  }

  /** @param {Unit} unit @returns {HTMLElement | null} */
  #mount(unit) {
    if (unit.kind !== "paragraph") this.paragraph = null;
    if (this.paragraph) {
      const rest = el("span");
      drawInline(rest, unit.source);
      this.paragraph.append(rest);
      return rest;
    }
    return drawUnit(this.root, unit, 0);
  }

  /** @param {string} source a paragraph that grew too long to be drawn again with each chunk */
  #cut(source) {
    const pieces = piecesOf(source);
    const last = /** @type {string} */ (pieces.pop());
    for (const piece of pieces) {
      const node = this.#mount({ kind: "paragraph", source: piece });
      this.paragraph ??= node;
    }
    this.#mountTail({ kind: "paragraph", source: last });
  }

  /** @param {Unit} unit one that grew too long to be drawn again with each chunk */
  #close(unit) {
    this.#mount(unit);
    this.tail = "";
    this.paragraph = null;
  }

  /** @param {string} source the fence's first line, and what came of its code */
  #openFence(source) {
    this.tail = "";
    this.paragraph = null;
    const end = source.indexOf("\n");
    const [, mark, language] = FENCE.exec(source.slice(0, end)) ?? ["", "```", ""];
    const code = new CodeView(language.trim());
    this.root.append(code.element);
    this.fence = { mark, line: "", code };
    this.#feedFence(source.slice(end + 1));
  }

  /** @param {string} text */
  #feedFence(text) {
    const fence = /** @type {{mark: string, line: string, code: CodeView}} */ (this.fence);
    let rest = fence.line + text;
    for (let end = rest.indexOf("\n"); end >= 0; end = rest.indexOf("\n")) {
      const line = rest.slice(0, end);
      rest = rest.slice(end + 1);
      if (closesFence(line, fence.mark)) {
        fence.code.end();
        this.fence = null;
        this.#feed(rest);
        return;
      }
      fence.code.addLine(line);
    }
    fence.line = rest;
    // What may be the closing mark shows only once it turns out to be code.
    fence.code.setPartial(mayClose(rest, fence.mark) ? "" : rest);
  }
}

/** @param {string} line @param {string} mark */
function mayClose(line, mark) {
  const trimmed = line.trim();
  return trimmed === mark[0].repeat(trimmed.length);
}

/** Draws a whole text at once. @param {HTMLElement} parent @param {string} source @param {number} depth */
function drawAll(parent, source, depth) {
  if (depth > MAX_DEPTH) {
    parent.append(el("p", {}, source));
    return;
  }
  for (const unit of unitsOf(source)) drawUnit(parent, unit, depth);
}

/** @param {HTMLElement} parent @param {Unit} unit @param {number} depth @returns {HTMLElement | null} what was drawn */
function drawUnit(parent, unit, depth) {
  switch (unit.kind) {
    case "blank":
      return null;
    case "item":
      return drawItem(parent, unit.source, depth);
    case "quote":
      return drawQuote(parent, unit.source, depth);
    case "fence":
      return drawFence(parent, unit.source);
    case "rule":
      return put(parent, el("hr"));
    case "heading":
      return drawHeading(parent, unit.source);
    default:
      return drawParagraph(parent, unit.source);
  }
}

/** @param {HTMLElement} parent @param {HTMLElement} child @returns {HTMLElement} */
function put(parent, child) {
  parent.append(child);
  return child;
}

/** @param {HTMLElement} parent @param {string} source */
function drawHeading(parent, source) {
  const [, marks, text] = HEADING.exec(source.replace(/\n$/, "")) ?? ["", "#", source];
  // A transcript is no document of its own: its headings stand below the page's.
  const heading = el(`h${Math.min(6, marks.length + 2)}`, { class: `h${marks.length}` });
  drawInline(heading, text ?? "");
  return put(parent, heading);
}

/** @param {HTMLElement} parent @param {string} source */
function drawParagraph(parent, source) {
  const lines = source.replace(/\n$/, "").split("\n");
  if (isTable(source)) return drawTable(parent, lines);
  const paragraph = el("p");
  drawInline(paragraph, lines.map((line) => line.trimStart()).join("\n"));
  return put(parent, paragraph);
}

/** @param {HTMLElement} parent @param {string[]} lines */
function drawTable(parent, lines) {
  const aligns = cells(lines[1]).map((cell) => (cell.endsWith(":") ? (cell.startsWith(":") ? "center" : "end") : "start"));
  const body = el("tbody");
  for (const line of lines.slice(2)) body.append(tableRow("td", line, aligns));
  const table = el("table", {}, el("thead", {}, tableRow("th", lines[0], aligns)), body);
  return put(parent, el("div", { class: "table", tabindex: "0", role: "group" }, table));
}

/** @param {string} tag @param {string} line @param {string[]} aligns */
function tableRow(tag, line, aligns) {
  const texts = cells(line);
  const row = el("tr");
  aligns.forEach((align, at) => {
    const cell = el(tag, { class: `align-${align}` });
    drawInline(cell, texts[at] ?? "");
    row.append(cell);
  });
  return row;
}

/** @param {string} line @returns {string[]} */
function cells(line) {
  const inner = line.trim().replace(/^\|/, "").replace(/(?<!\\)\|$/, "");
  return inner.split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll("\\|", "|"));
}

/** @param {HTMLElement} parent @param {string} source @param {number} depth */
function drawQuote(parent, source, depth) {
  const quote = el("blockquote");
  drawAll(quote, source.split("\n").map((line) => line.replace(QUOTE, "")).join("\n"), depth + 1);
  return put(parent, quote);
}

/** @param {HTMLElement} parent @param {string} source */
function drawFence(parent, source) {
  const lines = source.replace(/\n$/, "").split("\n");
  const [, mark, language] = FENCE.exec(lines[0]) ?? ["", "```", ""];
  const closed = lines.length > 1 && closesFence(lines[lines.length - 1], mark);
  const code = new CodeView(language.trim());
  for (const line of lines.slice(1, closed ? -1 : undefined)) code.addLine(line);
  code.end();
  return put(parent, code.element);
}

/** @param {HTMLElement} parent @param {string} source @param {number} depth */
function drawItem(parent, source, depth) {
  const lines = source.split("\n");
  const [, , mark] = ITEM.exec(lines[0]) ?? ["", "", "-"];
  const ordered = /\d/.test(mark);
  const item = el("li");
  const indent = itemIndent(lines[0]);
  const first = lines[0].replace(ITEM, "");
  const inner = [first, ...lines.slice(1).map((line) => unindented(line, indent))].join("\n");
  drawAll(item, taskMark(item, inner), depth + 1);
  listFor(parent, ordered, mark).append(item);
  return item;
}

/** @param {string} line @param {number} indent */
function unindented(line, indent) {
  const own = /^ */.exec(line.replaceAll("\t", "    "))?.[0].length ?? 0;
  return line.replaceAll("\t", "    ").slice(Math.min(own, indent));
}

/** @param {HTMLElement} item @param {string} text @returns {string} the text without the mark of a task */
function taskMark(item, text) {
  const match = /^\[([ xX])\] /.exec(text);
  if (!match) return text;
  item.classList.add("task");
  item.append(el("span", { class: "task-mark", "aria-hidden": "true" }, match[1] === " " ? "☐" : "☑"));
  return text.slice(match[0].length);
}

/** @param {HTMLElement} parent @param {boolean} ordered @param {string} mark @returns {HTMLElement} the list to go on in */
function listFor(parent, ordered, mark) {
  const tag = ordered ? "ol" : "ul";
  const last = parent.lastElementChild;
  if (last instanceof HTMLElement && last.localName === tag) return last;
  const start = parseInt(mark, 10);
  return put(parent, el(tag, { start: ordered && start !== 1 ? String(start) : null }));
}

/** @param {HTMLElement} parent @param {string} source */
function drawInline(parent, source) {
  const [first, ...rest] = piecesOf(source);
  drawSpans(parent, parseInline(first));
  for (const piece of rest) {
    const span = el("span");
    drawSpans(span, parseInline(piece));
    parent.append(span);
  }
}

/** @param {HTMLElement} parent @param {Span[]} spans */
function drawSpans(parent, spans) {
  for (const span of spans) {
    if (span.kind === "text") parent.append(visible(span.text));
    else if (span.kind === "break") parent.append(el("br"));
    else if ("spans" in span) drawNested(parent, span);
    else parent.append(el("code", {}, span.text));
  }
}

/** @param {HTMLElement} parent @param {Extract<Span, {spans: Span[]}>} span */
function drawNested(parent, span) {
  const child =
    span.kind === "link"
      ? el("a", { href: span.href, target: "_blank", rel: "noopener noreferrer nofollow", title: span.href })
      : el(span.kind);
  drawSpans(child, span.spans);
  parent.append(child);
}
