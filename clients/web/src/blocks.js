/** Draws the blocks that are not prose: images, reviews of changes, text as it is, and whatever is unknown. */

import { el } from "./element.js";

/** @typedef {import("./types.js").Block} Block */
/** @typedef {import("./words.js").Words} Words */

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
 * @param {{words: Words, blobUrl: (sha: string) => string}} page
 * @returns {HTMLElement}
 */
export function drawBlock(block, page) {
  switch (block.type) {
    case "text":
    case "reasoning":
      return plain(textOf(block.text));
    case "image":
      return image(block, page);
    case "diff":
      return diff(block);
    default:
      return el("div", { class: "unknown" }, el("div", { class: "unknown-type" }, textOf(block.type)), plain(textOf(block)));
  }
}

/** @param {Block} block @param {{words: Words, blobUrl: (sha: string) => string}} page */
function image(block, page) {
  const source = imageSource(block, page.blobUrl);
  if (!source) return remoteImage(block, page.words);
  const { width, height } = block;
  return el("img", {
    class: "image",
    src: source,
    alt: page.words.image,
    loading: "lazy",
    width: Number.isInteger(width) ? String(width) : null,
    height: Number.isInteger(height) ? String(height) : null,
  });
}

/** @param {Block} block @param {(sha: string) => string} blobUrl @returns {string | null} null: it is not shown by itself */
function imageSource(block, blobUrl) {
  if (typeof block.blob === "string") return blobUrl(block.blob);
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

/** @param {Block} block */
function diff(block) {
  const lines = textOf(block.unified).replace(/\n$/, "").split("\n");
  const code = el("code");
  for (const line of lines) code.append(el("span", { class: `line ${lineKind(line)}` }, `${line}\n`));
  const path = textOf(block.path);
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
 * @returns {HTMLElement}
 */
export function drawJson(value) {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return plain(textOf(value));
  const list = el("dl", { class: "fields" });
  for (const [name, field] of Object.entries(value)) {
    list.append(el("dt", {}, name), el("dd", {}, plain(textOf(field))));
  }
  return list;
}
