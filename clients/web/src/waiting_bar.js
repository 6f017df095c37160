/** Says that something waits for the reader, wherever the reader is and whatever is closed, and leads there (E-16). */

import { el, setText } from "./element.js";

/** @typedef {import("./transcript.js").Transcript} Transcript */
/** @typedef {import("./transcript.js").Thread} Thread */
/** @typedef {import("./row_list.js").RowNode} RowNode */
/** @typedef {{key: string, in: string[]}} Place */

export class WaitingBar {
  #places = /** @type {Place[]} */ ([]);
  #seen = "";
  #next = 0;

  /** @param {import("./words.js").Words} words @param {(place: Place) => void} onShow */
  constructor(words, onShow) {
    this.words = words;
    this.text = el("span", { class: "waiting-text" });
    const button = el("button", { type: "button", class: "button small" }, words.waiting_show);
    button.addEventListener("click", () => {
      const place = this.#places[this.#next % this.#places.length];
      this.#next += 1;
      if (place) onShow(place);
    });
    this.element = el("div", { class: "waiting-bar", hidden: true }, this.text, button);
  }

  /** @param {Transcript} transcript */
  draw(transcript) {
    const state = stateOf(transcript.root);
    if (state === this.#seen) return;
    this.#seen = state;
    this.#places = state ? [...pendingIn(transcript.root, [])] : [];
    this.#next = 0;
    this.element.hidden = this.#places.length === 0;
    setText(this.text, this.words.fill(this.words.waiting_bar, { n: this.#places.length }));
  }
}

/** What changes when something comes to wait, or waits no more; empty where nothing does. @param {Thread} root */
function stateOf(root) {
  const turns = [...root.turns.values()].filter(({ facts }) => facts.status !== "closed" && facts.waiting);
  const loose = [...root.loose].filter(isPending).map(({ row }) => row.key);
  return [...turns.map(({ turn, facts, rows }) => `${turn}:${facts.waiting}:${rows.size}`), ...loose].join(" ");
}

/** @param {RowNode} node */
function isPending({ row }) {
  return row.kind === "interaction" && row.status === "pending";
}

/** @param {Thread} thread @param {string[]} path @returns {Generator<Place>} in the order of the transcript */
function* pendingIn(thread, path) {
  for (const { facts, rows } of thread.turns.values()) if (facts.status !== "closed") yield* pendingOf(rows, path);
  yield* pendingOf(thread.loose, path);
}

/** @param {Iterable<RowNode>} rows @param {string[]} path @returns {Generator<Place>} */
function* pendingOf(rows, path) {
  for (const node of rows) {
    if (isPending(node)) yield { key: node.row.key, in: path };
    if (node.thread) yield* pendingIn(node.thread, [...path, String(node.row.call_id)]);
  }
}
