import { visible } from "./visible.js";

/**
 * Makes one element. Content is text or nodes, never markup: nothing that a session holds is ever parsed as HTML.
 * What a text holds of unseen characters shows as signs.
 *
 * @param {string} tag
 * @param {Record<string, string | boolean | null | undefined>} [attributes] true: empty; false, null, undefined: none
 * @param {...(Node | string | null | undefined)} children
 * @returns {HTMLElement}
 */
export function el(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === true) element.setAttribute(name, "");
    else if (typeof value === "string") element.setAttribute(name, value);
  }
  for (const child of children) {
    if (child !== null && child !== undefined) element.append(typeof child === "string" ? visible(child) : child);
  }
  return element;
}

/** Sets a text only if it differs: an equal write would end a selection. @param {Element} element @param {string} text */
export function setText(element, text) {
  const shown = visible(text);
  if (element.textContent !== shown) element.textContent = shown;
}

/** What has the focus, as the tree that an element stands in tells it. @param {Element} element @returns {Element | null} */
export function activeIn(element) {
  return /** @type {Document | ShadowRoot} */ (element.getRootNode()).activeElement ?? null;
}

const SVG = "http://www.w3.org/2000/svg";

/** Outlines on a 16 × 16 grid, drawn for this page. @type {Record<string, string>} */
const OUTLINES = {
  chevron: "M6 3.5 10.5 8 6 12.5",
  back: "M10 3.5 5.5 8l4.5 4.5",
  down: "M8 3v10M3.8 8.8 8 13l4.2-4.2",
  up: "M8 13V3M3.8 7.2 8 3l4.2 4.2",
  search: "M7 2.8a4.2 4.2 0 1 1 0 8.4 4.2 4.2 0 0 1 0-8.4M10.2 10.2l3.3 3.3",
  copy: "M5.5 5.5v-2h7v7h-2M3.5 5.5h7v7h-7z",
  link: "M6.8 9.2a2.2 2.2 0 0 0 3.1 0l2-2a2.2 2.2 0 0 0-3.1-3.1l-.6.6M9.2 6.8a2.2 2.2 0 0 0-3.1 0l-2 2a2.2 2.2 0 0 0 3.1 3.1l.6-.6",
  export: "M8 10V2.8M5 5.6 8 2.6l3 3M3 9.5v3.7h10V9.5",
  keys: "M2 4.5h12v7H2zM4.5 7h.2M7 7h.2M9.5 7h.2M11.8 7h.2M5 9.3h6",
  check: "M3.5 8.5 6.7 11.5 12.5 5",
  cross: "M4.5 4.5l7 7M11.5 4.5l-7 7",
  dash: "M4.5 8h7",
  info: "M8 7.2v4M8 4.6v.2",
  alert: "M8 4.4v4.2M8 11.2v.2",
  settings: "M2.5 5h4.2M10.3 5h3.2M8.5 3.2a1.8 1.8 0 1 1 0 3.6 1.8 1.8 0 0 1 0-3.6M2.5 11h1.7M7.8 11h5.7M6 9.2a1.8 1.8 0 1 1 0 3.6 1.8 1.8 0 0 1 0-3.6",
  hand: "M8 4.2v4.1l2.6 1.7",
};

/** @param {string} name @returns {SVGElement} a decorative icon */
export function icon(name) {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("viewBox", "0 0 16 16");
  svg.setAttribute("aria-hidden", "true");
  svg.setAttribute("class", `icon icon-${name}`);
  const path = document.createElementNS(SVG, "path");
  path.setAttribute("d", OUTLINES[name] ?? OUTLINES.dash);
  svg.append(path);
  return svg;
}
