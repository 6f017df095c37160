/**
 * Cuts Markdown into *units*: pieces of source that are drawn each by itself. Pure.
 *
 * A unit is a paragraph (or a table), a heading, a rule, a quotation, one item of a list with all that it holds, or a
 * fenced code. Only the last unit of a text that streams can still change, so a chunk costs what that unit costs.
 *
 * @typedef {"blank" | "paragraph" | "heading" | "rule" | "quote" | "item" | "fence"} UnitKind
 * @typedef {{kind: UnitKind, source: string}} Unit
 */

export const FENCE = /^ {0,3}(`{3,}|~{3,})\s*([^`]*)$/;
export const HEADING = /^ {0,3}(#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*$/;
export const RULE = /^ {0,3}([-*_])(?:[ \t]*\1){2,}[ \t]*$/;
export const QUOTE = /^ {0,3}> ?/;
export const ITEM = /^( {0,3})([-*+]|\d{1,9}[.)])(?:([ \t]{1,4})(?=\S)|[ \t]*$|[ \t]+)/;
export const TABLE_RULE = /^ {0,3}\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$/;

/** A paragraph that grows past this is cut at a space: what stands before is drawn once and for all. */
export const MAX_PARAGRAPH_CHARS = 4_096;
/** Another open unit that grows past this is drawn once and for all, and what follows begins anew. */
export const MAX_UNIT_CHARS = 64 * 1_024;
/** Headings, rules and fences are lines that somebody reads; a longer one is text, and costs no search through it. */
const MAX_MARK_LINE_CHARS = 1_024;
/** A line beyond this is text, whatever it begins with. */
const MAX_LINE_CHARS = 16 * 1_024;

/** @param {string} line @returns {UnitKind} of a line that begins a unit */
export function kindOf(line) {
  if (line.length > MAX_LINE_CHARS) return "paragraph";
  if (line.trim() === "") return "blank";
  if (line.length <= MAX_MARK_LINE_CHARS) {
    if (FENCE.test(line)) return "fence";
    if (HEADING.test(line)) return "heading";
    if (RULE.test(line)) return "rule";
  }
  if (QUOTE.test(line)) return "quote";
  return ITEM.test(line) ? "item" : "paragraph";
}

/** @param {string} line @returns {number} the column at which an item's own text stands */
export function itemIndent(line) {
  const match = ITEM.exec(line);
  if (!match) return 0;
  return match[1].length + match[2].length + Math.max(1, (match[3] ?? " ").length);
}

/** @param {string} line @param {string} mark the fence that is open @returns {boolean} */
export function closesFence(line, mark) {
  const trimmed = line.trim();
  return trimmed.length >= mark.length && /^ {0,3}\S/.test(line) && trimmed === mark[0].repeat(trimmed.length);
}

/**
 * Cuts `source`; the last unit is the one that may go on. Joined, the units are the source again.
 *
 * @param {string} source
 * @returns {Unit[]}
 */
export function unitsOf(source) {
  /** @type {Unit[]} */
  const units = [];
  /** @type {{kind: UnitKind, lines: string[]} | null} */
  let open = null;
  for (const line of linesOf(source)) {
    const bare = line.replace(/\n$/, "");
    if (open && goesOn(open, bare)) {
      open.lines.push(line);
      continue;
    }
    if (open) units.push({ kind: open.kind, source: open.lines.join("") });
    open = { kind: kindOf(bare), lines: [line] };
  }
  if (open) units.push({ kind: open.kind, source: open.lines.join("") });
  return units;
}

/** @param {string} source @returns {string[]} each with its line break */
function linesOf(source) {
  return source.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

/** @param {{kind: UnitKind, lines: string[]}} open @param {string} line @returns {boolean} */
function goesOn(open, line) {
  switch (open.kind) {
    case "fence":
      return fenceGoesOn(open.lines);
    case "paragraph":
      return paragraphGoesOn(line);
    case "quote":
      return QUOTE.test(line) || (kindOf(line) === "paragraph" && !/>\s*$/.test(open.lines[open.lines.length - 1]));
    case "item":
      return itemGoesOn(open.lines, line);
    default:
      return false;
  }
}

/** @param {string[]} lines */
function fenceGoesOn(lines) {
  const mark = FENCE.exec(lines[0].replace(/\n$/, ""))?.[1] ?? "```";
  return lines.length < 2 || !closesFence(lines[lines.length - 1].replace(/\n$/, ""), mark);
}

/** @param {string} line */
function paragraphGoesOn(line) {
  const kind = kindOf(line);
  // A number in running text begins a line by chance ("in 1987."): only 1 starts a list inside a paragraph.
  if (kind === "item") return /^ {0,3}\d/.test(line) && !/^ {0,3}1[.)]/.test(line);
  return kind === "paragraph";
}

/** @param {string[]} lines @param {string} line */
function itemGoesOn(lines, line) {
  if (line.trim() === "") return true;
  const indent = /^[ \t]*/.exec(line.replaceAll("\t", "    "))?.[0].length ?? 0;
  if (indent >= Math.min(itemIndent(lines[0].replace(/\n$/, "")), 4)) return true;
  const afterBlank = lines[lines.length - 1].trim() === "";
  if (afterBlank || kindOf(line) !== "paragraph") return indent >= 2 && kindOf(line.trimStart()) === "item" && indent > markIndent(lines[0]);
  return true;
}

/** @param {string} line @returns {number} */
function markIndent(line) {
  return /^ */.exec(line)?.[0].length ?? 0;
}

/**
 * Cuts a long text of one paragraph into pieces that are drawn each by itself: what is inside of a piece costs what the
 * piece costs, however long the whole is. The cuts follow from the text alone, so that what streamed is what a reload shows.
 *
 * @param {string} source
 * @returns {string[]} joined, the source; the last may go on
 */
export function piecesOf(source) {
  const pieces = [];
  let at = 0;
  while (source.length - at > MAX_PARAGRAPH_CHARS) {
    const end = at + cutIn(source.slice(at, at + MAX_PARAGRAPH_CHARS));
    pieces.push(source.slice(at, end));
    at = end;
  }
  return [...pieces, source.slice(at)];
}

/** @param {string} text @returns {number} where to cut it: in its second half before a letter, else at its end */
function cutIn(text) {
  const half = text.length >> 1;
  // Before a letter: the rest must not begin like a list or a heading.
  const gap = /\s(?=\p{L})/u.exec(text.slice(half));
  if (gap) return half + gap.index + 1;
  return /[\ud800-\udbff]$/.test(text) ? text.length - 1 : text.length;
}

/** Whether a paragraph is a table. @param {string} source */
export function isTable(source) {
  const [first = "", second = ""] = source.slice(0, MAX_LINE_CHARS).split("\n", 2);
  return first.includes("|") && second.includes("-") && TABLE_RULE.test(second);
}
