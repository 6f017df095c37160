/**
 * Inline Markdown as a tree of values. Pure: the text of a session in, spans out, never markup.
 *
 * Links lead to http, https and mailto alone; any other target leaves the source as text. An image is a link to it:
 * nothing remote is loaded without the reader's click.
 *
 * @typedef {{kind: "text" | "code", text: string} | {kind: "break"}
 *   | {kind: "strong" | "em" | "del", spans: Span[]}
 *   | {kind: "link", href: string, spans: Span[]}} Span
 */

const PUNCTUATION = /[!-/:-@[-`{-~]/;
const SPECIAL = /[\\`*_~[!<&\n]|https?:\/\//g;
const ENTITIES = /** @type {Record<string, string>} */ ({
  "&amp;": "&",
  "&lt;": "<",
  "&gt;": ">",
  "&quot;": '"',
  "&#39;": "'",
  "&nbsp;": "\u00a0",
});
/** Deeper nesting is text: no reader needs it, and it keeps the parser's cost and stack small. */
const MAX_DEPTH = 8;

/** @param {string} source @param {number} [depth] @returns {Span[]} */
export function parseInline(source, depth = 0) {
  /** @type {Span[]} */
  const spans = [];
  let text = "";
  let at = 0;
  const flush = () => {
    if (text) spans.push({ kind: "text", text });
    text = "";
  };
  while (at < source.length) {
    SPECIAL.lastIndex = at;
    const special = SPECIAL.exec(source);
    const start = special ? special.index : source.length;
    text += source.slice(at, start);
    at = start;
    if (!special) break;
    const found = spanAt(source, at, depth);
    if (!found) {
      text += source[at];
      at += 1;
    } else if (typeof found.span === "string") {
      text += found.span;
      at = found.end;
    } else {
      flush();
      spans.push(found.span);
      at = found.end;
    }
  }
  flush();
  return spans;
}

/** @typedef {{span: Span | string, end: number} | null} Found a string is plain text */

/** @param {string} source @param {number} at @param {number} depth @returns {Found} */
function spanAt(source, at, depth) {
  switch (source[at]) {
    case "\\":
      return escaped(source, at);
    case "`":
      return code(source, at);
    case "\n":
      return lineEnd(source, at);
    case "&":
      return entity(source, at);
    case "<":
      return autolink(source, at);
    case "h":
      return bareLink(source, at);
    default:
      return depth < MAX_DEPTH ? nesting(source, at, depth) : null;
  }
}

/** @param {string} source @param {number} at @param {number} depth @returns {Found} */
function nesting(source, at, depth) {
  if (source[at] === "[") return link(source, at, at, depth);
  if (source[at] === "!") return source[at + 1] === "[" ? link(source, at + 1, at, depth) : null;
  return emphasis(source, at, depth);
}

/** @param {string} source @param {number} at @returns {Found} */
function escaped(source, at) {
  const next = source[at + 1];
  if (next === "\n") return { span: { kind: "break" }, end: at + 2 };
  return next && PUNCTUATION.test(next) ? { span: next, end: at + 2 } : null;
}

/** @param {string} source @param {number} at @returns {number} the length of the run of the character at `at` */
function runLength(source, at) {
  let end = at + 1;
  while (source[end] === source[at]) end += 1;
  return end - at;
}

/** @param {string} source @param {number} at @returns {Found} */
function code(source, at) {
  const ticks = runLength(source, at);
  const close = codeEnd(source, at + ticks, ticks);
  if (close < 0) return { span: source.slice(at, at + ticks), end: at + ticks };
  const body = source.slice(at + ticks, close).replaceAll("\n", " ");
  const padded = body.length > 2 && body.startsWith(" ") && body.endsWith(" ") && body.trim() !== "";
  return { span: { kind: "code", text: padded ? body.slice(1, -1) : body }, end: close + ticks };
}

/** @param {string} source @param {number} from @param {number} ticks @returns {number} -1: it is not closed */
function codeEnd(source, from, ticks) {
  let at = source.indexOf("`", from);
  while (at >= 0) {
    const run = runLength(source, at);
    if (run === ticks) return at;
    at = source.indexOf("`", at + run);
  }
  return -1;
}

/** @param {string} source @param {number} at @returns {Found} */
function lineEnd(source, at) {
  return { span: source.slice(at - 2, at) === "  " ? { kind: "break" } : "\n", end: at + 1 };
}

/** @param {string} source @param {number} at @returns {Found} */
function entity(source, at) {
  const end = source.indexOf(";", at);
  const name = end > 0 && end - at < 8 ? source.slice(at, end + 1) : "";
  return Object.hasOwn(ENTITIES, name) ? { span: ENTITIES[name], end: end + 1 } : null;
}

/** @param {string} source @param {number} at @returns {Found} */
function autolink(source, at) {
  const match = /^<((?:https?:\/\/|mailto:)[^\s<>]+)>/.exec(source.slice(at, at + 2_000));
  const href = match && safeHref(match[1]);
  if (!match || !href) return null;
  return { span: { kind: "link", href, spans: [{ kind: "text", text: match[1] }] }, end: at + match[0].length };
}

/** @param {string} source @param {number} at @returns {Found} */
function bareLink(source, at) {
  const match = /^https?:\/\/[^\s<>"'`]+/.exec(source.slice(at, at + 2_000));
  const text = match?.[0].replace(/[.,;:!?*_~)\]}。，；：！？）】」]+$/u, "");
  const href = text && safeHref(text);
  if (!text || !href) return null;
  return { span: { kind: "link", href, spans: [{ kind: "text", text }] }, end: at + text.length };
}

/** @param {string} source @param {number} open the bracket @param {number} at the start, with `!` @param {number} depth @returns {Found} */
function link(source, open, at, depth) {
  const close = closingBracket(source, open);
  if (close < 0 || source[close + 1] !== "(") return null;
  const target = /^\(\s*(?:<([^<>\n]*)>|([^\s()]*(?:\([^\s()]*\)[^\s()]*)*))(?:\s+(?:"[^"]*"|'[^']*'))?\s*\)/.exec(
    source.slice(close + 1, close + 4_000),
  );
  const href = target && safeHref(target[1] ?? target[2]);
  if (!target || !href) return null;
  const spans = parseInline(source.slice(open + 1, close), depth + 1).flatMap(unlinked);
  const shown = spans.length ? spans : [{ kind: /** @type {const} */ ("text"), text: href }];
  return { span: { kind: "link", href, spans: shown }, end: close + 1 + target[0].length };
}

/** A link holds no other. @param {Span} span @returns {Span[]} */
function unlinked(span) {
  return span.kind === "link" ? span.spans : [span];
}

/** @param {string} source @param {number} open @returns {number} */
function closingBracket(source, open) {
  let depth = 0;
  for (let at = open; at < source.length && at < open + 1_000; at += 1) {
    if (source[at] === "\\") at += 1;
    else if (source[at] === "[") depth += 1;
    else if (source[at] === "]" && (depth -= 1) === 0) return at;
  }
  return -1;
}

/**
 * The target of a link, or null if it must not be one.
 *
 * @param {string} target
 * @returns {string | null}
 */
export function safeHref(target) {
  if (!/^(?:https?:\/\/|mailto:)/i.test(target)) return null;
  return URL.canParse(target) ? target : null;
}

/** @param {string} source @param {number} at @param {number} depth @returns {Found} */
function emphasis(source, at, depth) {
  const mark = source[at];
  const run = runLength(source, at);
  const width = mark === "~" ? 2 : run >= 2 ? 2 : 1;
  if (run < width || run > 3) return { span: source.slice(at, at + run), end: at + run };
  const open = at + width;
  if (!canOpen(source, at, run)) return { span: source.slice(at, at + run), end: at + run };
  const close = emphasisEnd(source, at + run, mark, width);
  if (close < 0) return { span: source.slice(at, at + width), end: at + width };
  const kind = mark === "~" ? "del" : width === 2 ? "strong" : "em";
  return { span: { kind, spans: parseInline(source.slice(open, close), depth + 1) }, end: close + width };
}


/** @param {string} source @param {number} at @param {number} run @returns {boolean} */
function canOpen(source, at, run) {
  const next = source[at + run];
  if (next === undefined || /\s/.test(next)) return false;
  return source[at] !== "_" || !/[\p{L}\p{N}]/u.test(source[at - 1] ?? " ");
}

/** @param {string} source @param {number} from @param {string} mark @param {number} width @returns {number} -1: none */
function emphasisEnd(source, from, mark, width) {
  for (let at = from; at < source.length; at += 1) {
    const here = source[at];
    if (here === "\\") at += 1;
    else if (here === "`") at = pastCode(source, at) - 1;
    else if (here === mark) {
      const run = runLength(source, at);
      const fits = width === 2 ? run >= 2 : run !== 2;
      if (fits && canClose(source, at, run)) return at + run - width;
      at += run - 1;
    }
  }
  return -1;
}

/** @param {string} source @param {number} at @returns {number} */
function pastCode(source, at) {
  const ticks = runLength(source, at);
  const close = codeEnd(source, at + ticks, ticks);
  return close < 0 ? at + ticks : close + ticks;
}

/** @param {string} source @param {number} at @param {number} run @returns {boolean} */
function canClose(source, at, run) {
  if (/\s/.test(source[at - 1] ?? " ")) return false;
  return source[at] !== "_" || !/[\p{L}\p{N}]/u.test(source[at + run] ?? " ");
}
