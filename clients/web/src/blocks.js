/** Draws the blocks that are not prose: images, reviews of changes, text as it is, and whatever is unknown. */

import { el } from "./element.js";
import { reasonOf } from "./http.js";
import { withRest } from "./row_texts.js";

/** @typedef {import("./types.js").Block} Block */
/** @typedef {import("./types.js").Row} Row */
/** @typedef {import("./words.js").Words} Words */
/** @typedef {import("./shortened.js").Place} Place */
/** @typedef {import("./page_context.js").PageContext} PageContext */

/** A digest as the service makes it; a producer may send any text in its place, which leads to nothing. */
const DIGEST = /^[0-9a-f]{64}$/;
const INLINE_IMAGE = /^image\/(?:png|jpeg|gif|webp|avif|bmp)$/;

/** @param {unknown} value @returns {string} */
export function textOf(value) {
  if (value === null || value === undefined) return "";
  return typeof value === "string" ? value : JSON.stringify(value, null, 2);
}

/** @param {unknown} content @returns {Block[]} blocks, also where a text stands in their place */
export function blocksOf(content) {
  if (Array.isArray(content)) return content.filter((block) => typeof block === "object" && block !== null);
  const text = textOf(content);
  return text ? [{ type: "text", text }] : [];
}

/** @param {string} text @returns {HTMLElement} */
export function plain(text) {
  return el("pre", { class: "plain", tabindex: "0" }, text);
}

/**
 * @param {Block} block
 * @param {PageContext} page
 * @param {Place} place of the block: its row, and where it stands there
 * @returns {HTMLElement}
 */
export function drawBlock(block, page, place) {
  /** @param {string} field @returns {Place} */
  const inside = (field) => ({ ...place, field: `${place.field}/${field}` });
  switch (block.type) {
    case "text":
    case "reasoning":
      return withRest(page, inside("text"), block, textOf(block.text), plain);
    case "image":
      return image(block, page);
    case "diff":
      return withRest(page, inside("unified"), block, textOf(block.unified), (unified) => diff(textOf(block.path), unified));
    default:
      return other(block, page, place);
  }
}

/** A block of a type that is not ours: named, with all that it holds. @param {Block} block @param {PageContext} page @param {Place} place */
function other(block, page, place) {
  const text = block.truncated ? textOf(block.text) : textOf(block);
  const type = el("div", { class: "unknown-type" }, textOf(block.type));
  return el("div", { class: "unknown" }, type, fileLink(block, page), withRest(page, place, block, text, plain));
}

/** @param {Block} block @param {PageContext} page @returns {HTMLElement | null} null: it holds no file */
function fileLink(block, page) {
  if (!DIGEST.test(block.blob ?? "") || typeof block.bytes !== "number") return null;
  const digest = /** @type {string} */ (block.blob);
  const link = el("a", { class: "image-note", download: textOf(block.name) || "file" }, textOf(block.name) || page.words.bytes(block.bytes));
  page.loadBlob(digest, (url) => link.setAttribute("href", url), (problem) => link.after(notLoaded(problem, page.words)));
  return link;
}

/** @param {Block} block @param {PageContext} page */
function image(block, page) {
  if (block.blob && DIGEST.test(block.blob)) {
    const shown = imageElement(block, page.words, null);
    page.loadBlob(block.blob, (url) => shown.setAttribute("src", url), (problem) => shown.replaceWith(notLoaded(problem, page.words)));
    return shown;
  }
  const source = imageSource(block);
  return source ? imageElement(block, page.words, source) : remoteImage(block, page.words);
}

/** Stands where a picture or a file would. @param {unknown} problem @param {Words} words */
function notLoaded(problem, words) {
  return el("span", { class: "image-note" }, words.fill(words.load_failed, { reason: reasonOf(problem, words) }));
}

/** @param {Block} block @param {Words} words @param {string | null} source */
function imageElement(block, words, source) {
  const { width, height } = block;
  return el("img", {
    class: "image",
    src: source,
    alt: words.image,
    loading: "lazy",
    width: Number.isInteger(width) ? String(width) : null,
    height: Number.isInteger(height) ? String(height) : null,
  });
}

/** @param {Block} block @returns {string | null} null: it is not shown by itself */
function imageSource(block) {
  if (typeof block.data === "string" && INLINE_IMAGE.test(block.mime ?? "")) {
    return block.data.startsWith("data:") ? block.data : `data:${block.mime};base64,${block.data}`;
  }
  const inline = /^data:([a-z/]+)[;,]/.exec(block.url ?? "");
  return inline && INLINE_IMAGE.test(inline[1]) ? /** @type {string} */ (block.url) : null;
}

/** Nothing is loaded from elsewhere without a click. @param {Block} block @param {Words} words */
function remoteImage(block, words) {
  const url = typeof block.url === "string" && /^https?:/i.test(block.url) && URL.canParse(block.url) ? new URL(block.url) : null;
  if (!url) return el("span", { class: "image-note" }, words.image);
  const text = words.fill(words.image_remote, { host: url.host });
  return el("a", { class: "image-note", href: url.href, target: "_blank", rel: "noopener noreferrer nofollow" }, text);
}

/** @param {string} path @param {string} unified */
function diff(path, unified) {
  const lines = unified.replace(/\n$/, "").split("\n");
  const code = el("code");
  for (const line of lines) code.append(el("span", { class: `line ${lineKind(line)}` }, `${line}\n`));
  return el("figure", { class: "code diff" }, path ? el("figcaption", {}, path) : null, el("pre", { tabindex: "0" }, code));
}

/** @param {string} line */
function lineKind(line) {
  if (line.startsWith("+++") || line.startsWith("---") || line.startsWith("diff ")) return "file";
  if (line.startsWith("@@")) return "hunk";
  if (line.startsWith("+")) return "added";
  return line.startsWith("-") ? "removed" : "same";
}

/**
 * An object field by field, so that a text of many lines reads as it is; anything else as JSON.
 *
 * @param {unknown} value
 * @param {(name: string, field: unknown) => HTMLElement} [drawField]
 * @returns {HTMLElement}
 */
export function drawJson(value, drawField = (_name, field) => plain(textOf(field))) {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return plain(textOf(value));
  const list = el("dl", { class: "fields" });
  for (const [name, field] of Object.entries(value)) {
    list.append(el("dt", {}, name), el("dd", {}, drawField(name, field)));
  }
  return list;
}

/** The JSON of a row, with what is left out of it. @param {Row} row @param {string} name of the field @param {PageContext} page */
export function drawRowJson(row, name, page) {
  const value = /** @type {any} */ (row)[name];
  const whole = headAt(row, `/${name}`);
  if (whole) return withRest(page, { key: row.key, field: whole.field }, { ...whole, truncated: true }, textOf(value), drawJsonText);
  return drawJson(value, (member, field) => {
    const head = headAt(row, `/${name}/${member.replaceAll("~", "~0").replaceAll("/", "~1")}`);
    if (!head) return plain(textOf(field));
    return withRest(page, { key: row.key, field: head.field }, { ...head, truncated: true }, textOf(field), plain);
  });
}

/** @param {string} text JSON, or the beginning of it @returns {HTMLElement} */
function drawJsonText(text) {
  try {
    return drawJson(JSON.parse(text));
  } catch {
    return plain(text);
  }
}

/** @param {Row} row @param {string} field */
function headAt(row, field) {
  return row.heads?.find((head) => head.field === field);
}
