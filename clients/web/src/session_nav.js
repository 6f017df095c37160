import { el, setText } from "./element.js";
import { changedAtMs, stateOf } from "./session_list.js";

/** @typedef {import("./types.js").Summary} Summary */
/** @typedef {import("./words.js").Words} Words */

/** @param {string} session @returns {string} the part of the address that chooses it */
export function hashOf(session) {
  return `#${encodeURIComponent(session)}`;
}

/** Draws the list of sessions; an entry keeps its element, so that the focus stays while the order changes. */
export class SessionNav {
  /** @param {HTMLElement} element @param {Words} words */
  constructor(element, words) {
    this.element = element;
    this.words = words;
    /** @type {Map<string, Entry>} */
    this.entries = new Map();
    this.empty = el("div", { class: "nav-empty" }, el("strong", {}, words.no_sessions), el("p", {}, words.no_sessions_hint));
  }

  /** @param {Summary[]} summaries @param {string | null} chosen @param {number} nowMs */
  draw(summaries, chosen, nowMs) {
    const held = new Set(summaries.map((summary) => summary.session));
    for (const [session, entry] of this.entries) {
      if (held.has(session)) continue;
      entry.element.remove();
      this.entries.delete(session);
    }
    this.empty.remove();
    if (summaries.length === 0) this.element.append(this.empty);
    let at = this.element.firstElementChild;
    for (const summary of summaries) {
      const entry = this.#entry(summary.session);
      entry.draw(summary, summary.session === chosen, nowMs);
      if (entry.element === at) at = at.nextElementSibling;
      else this.element.insertBefore(entry.element, at);
    }
  }

  /** @param {string} session */
  #entry(session) {
    const entry = this.entries.get(session) ?? new Entry(session, this.words);
    this.entries.set(session, entry);
    return entry;
  }
}

class Entry {
  /** @param {string} session @param {Words} words */
  constructor(session, words) {
    this.words = words;
    this.title = el("span", { class: "nav-title" });
    this.dot = el("span", { class: "dot" });
    this.state = el("span", { class: "nav-state" });
    this.time = el("time", { class: "nav-time" });
    this.link = el(
      "a",
      { class: "nav-link", href: hashOf(session), "data-session": session },
      this.title,
      el("span", { class: "nav-line" }, this.dot, this.state, this.time),
    );
    this.element = el("li", {}, this.link);
  }

  /** @param {Summary} summary @param {boolean} chosen @param {number} nowMs */
  draw(summary, chosen, nowMs) {
    const state = stateOf(summary);
    this.link.dataset.state = state;
    if (chosen) this.link.setAttribute("aria-current", "page");
    else this.link.removeAttribute("aria-current");
    setText(this.title, summary.title || summary.session);
    const count = (summary.waiting ?? 0) > 1 ? ` (${summary.waiting})` : "";
    setText(this.state, this.words.named(`state_${state}`, state) + count);
    const changed = changedAtMs(summary);
    setText(this.time, changed ? this.words.ago(changed, nowMs) : "");
  }
}
