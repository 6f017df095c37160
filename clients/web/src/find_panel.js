/**
 * The search of a session: what was typed, the hits in the order of the transcript, and the way from one to the next.
 *
 * 1. The service searches (docs/search.md), all of the session, folded and hidden rows too; nothing is decided here.
 * 2. A hit is revealed where it stands; the focus stays in the panel, so that Enter leads on. Escape closes it and gives the
 *    focus back.
 * 3. Where the presentation leaves a row's detail closed that has the words, the hit offers to open it: a button, and
 *    Control or Command with Enter.
 * 4. The words are marked where they show, with the browser's own highlights: no row is changed for it.
 * 5. A step towards hits that are still on their way is taken once they are there.
 */

import { activeIn, el, icon, setText } from "./element.js";
import { reasonOf } from "./http.js";
import { markWords, unmark } from "./word_marks.js";

/** @typedef {import("./session_calls.js").Hit} Hit */
/** @typedef {import("./session_calls.js").SessionCalls} SessionCalls */
/** @typedef {import("./words.js").Words} Words */

/** As long as a reader pauses between two words. */
const PAUSE_MS = 220;

export class FindPanel {
  #hits = /** @type {Hit[]} */ ([]);
  #cursor = /** @type {string | null} */ (null);
  #at = -1;
  /** What the hits are those of. */
  #asked = "";
  #asking = /** @type {AbortController | null} */ (null);
  /** The steps towards what is being asked for, in their order. */
  #awaited = /** @type {number[]} */ ([]);
  #timer = /** @type {import("./connection.js").Timer} */ (undefined);
  #before = /** @type {Element | null} */ (null);
  #offered = /** @type {(() => void) | null} */ (null);

  /**
   * @param {Words} words
   * @param {SessionCalls} calls
   * @param {() => Record<string, unknown>} view as it is shown now
   * @param {(hit: Hit) => void} onHit
   */
  constructor(words, calls, view, onHit) {
    this.words = words;
    this.calls = calls;
    this.view = view;
    this.onHit = onHit;
    this.input = /** @type {HTMLInputElement} */ (
      el("input", { type: "search", class: "find-input", "aria-label": words.find, placeholder: words.find_placeholder, autocomplete: "off", spellcheck: "false" })
    );
    this.status = el("span", { class: "find-status", role: "status" });
    this.list = el("ol", { class: "find-hits" });
    this.more = el("button", { type: "button", class: "button small", hidden: true }, words.find_more);
    this.inside = el("button", { type: "button", class: "button small find-inside", "aria-keyshortcuts": "Control+Enter" }, words.find_inside);
    this.inside.addEventListener("click", () => this.#accept());
    const bar = el(
      "div",
      { class: "find-bar" },
      this.input,
      this.status,
      this.#button("up", words.find_previous, () => this.#step(-1)),
      this.#button("down", words.find_next, () => this.#step(1)),
      this.#button("cross", words.find_close, () => this.close()),
    );
    this.element = el("div", { class: "find", role: "search", hidden: true }, bar, this.list, this.more);
    this.input.addEventListener("input", () => this.#typed());
    this.more.addEventListener("click", () => this.#load());
    this.element.addEventListener("keydown", (event) => this.#pressed(event));
  }

  get open() {
    return !this.element.hidden;
  }

  show() {
    if (!this.open) this.#before = activeIn(this.element);
    this.element.hidden = false;
    this.input.focus();
    this.input.select();
  }

  close() {
    if (!this.open) return;
    // A browser takes the focus from what is hidden only later; keys until then would be typed into nothing.
    if (this.element.contains(activeIn(this.element))) /** @type {HTMLElement} */ (activeIn(this.element)).blur();
    this.element.hidden = true;
    this.#forget();
    if (this.#before instanceof HTMLElement && this.#before.isConnected) this.#before.focus({ preventScroll: true });
  }

  /** What the hits are those of. */
  get query() {
    return this.#asked;
  }

  /** The words that are looked for are marked in an element that a hit led to. @param {Element} element @param {Range | null} [place] of the first */
  mark(element, place = null) {
    if (this.open) markWords(element, this.query, place);
  }

  /** Offers to open what still hides the words of the present hit. @param {(() => void) | null} open null: nothing does */
  offer(open) {
    this.#offered = open;
    if (open) this.list.children[this.#at]?.append(this.inside);
    else this.inside.remove();
    if (open) this.inside.scrollIntoView({ block: "nearest" });
  }

  #accept() {
    const open = this.#offered;
    const hadFocus = activeIn(this.element) === this.inside;
    this.offer(null);
    if (hadFocus) this.input.focus();
    open?.();
  }

  stop() {
    this.#forget();
  }

  /** @param {string} name @param {string} label @param {() => void} act */
  #button(name, label, act) {
    const button = el("button", { type: "button", class: `icon-button find-${name}`, "aria-label": label, title: label }, icon(name));
    button.addEventListener("click", act);
    return button;
  }

  /** @param {KeyboardEvent} event */
  #pressed(event) {
    if (event.isComposing) return;
    const steps = /** @type {Record<string, number>} */ ({ ArrowDown: 1, ArrowUp: -1, Enter: event.shiftKey ? -1 : 1 });
    if (event.key === "Escape") this.close();
    else if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && this.#offered) this.#accept();
    else if (event.key in steps && event.target === this.input) this.#step(steps[event.key]);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  #typed() {
    clearTimeout(this.#timer);
    this.#awaited = [];
    // What is on its way is not what the reader looks for any more.
    this.#asking?.abort();
    this.#asking = null;
    if (this.#hits.length === 0) this.#asked = "";
    if (this.#hits.length > 0 && this.#asked === this.input.value) this.#say();
    else setText(this.status, "");
    this.#timer = setTimeout(() => this.#asked !== this.input.value && this.#begin(), PAUSE_MS);
  }

  #forget() {
    clearTimeout(this.#timer);
    this.#asking?.abort();
    this.#asking = null;
    this.#awaited = [];
    this.offer(null);
    this.#hits = [];
    this.#cursor = null;
    this.#at = -1;
    this.#asked = "";
    this.list.replaceChildren();
    this.more.hidden = true;
    setText(this.status, "");
    unmark();
  }

  #begin() {
    this.#forget();
    this.#asked = this.input.value;
    if (this.#asked.trim()) this.#load();
  }

  async #load() {
    if (this.#asking) return;
    const asking = new AbortController();
    this.#asking = asking;
    try {
      const page = await this.calls.search(this.#asked, this.view(), this.#cursor, asking.signal);
      if (asking !== this.#asking) return;
      this.#asking = null;
      this.#add(page);
    } catch (problem) {
      if (asking !== this.#asking) return;
      this.#asking = null;
      this.#awaited = [];
      // Enter asks again: for the first hits anew, for further ones from where these end.
      if (this.#hits.length === 0) this.#asked = "";
      setText(this.status, this.words.fill(this.words.find_failed, { reason: reasonOf(problem, this.words) }));
    }
  }

  /** @param {import("./session_calls.js").HitPage} page */
  #add({ hits, cursor }) {
    this.#cursor = cursor;
    this.list.append(...hits.map((hit, at) => this.#draw(hit, this.#hits.length + at)));
    this.#hits.push(...hits);
    this.more.hidden = cursor === null;
    this.#say();
    const steps = this.#awaited;
    this.#awaited = [];
    for (const step of steps) this.#step(step);
  }

  #say() {
    const { words } = this;
    const count = this.#hits.length;
    const text = this.#cursor === null ? words.find_count : words.find_count_more;
    setText(this.status, count === 0 ? words.find_none : words.fill(text, { n: this.#at + 1, count }));
  }

  /** @param {number} by */
  #step(by) {
    // What was typed and is not asked for yet is asked for at once; what has no hits is not asked for again.
    if (this.#asked !== this.input.value) this.#begin();
    const count = this.#hits.length;
    const beyond = by > 0 && this.#at === count - 1;
    const coming = this.#asking !== null && (count === 0 || beyond || this.#awaited.length > 0);
    if (coming || (beyond && this.#cursor !== null)) {
      this.#awaited.push(by);
      this.#load();
    } else if (count > 0) this.#go((this.#at + by + count + (this.#at < 0 && by < 0 ? 1 : 0)) % count);
  }

  /** @param {number} at */
  #go(at) {
    this.list.children[this.#at]?.firstElementChild?.removeAttribute("aria-current");
    this.#at = at;
    const shown = this.list.children[at]?.firstElementChild;
    shown?.setAttribute("aria-current", "true");
    shown?.scrollIntoView({ block: "nearest" });
    this.#say();
    unmark();
    this.offer(null);
    this.onHit(this.#hits[at]);
  }

  /** @param {Hit} hit @param {number} at */
  #draw(hit, at) {
    const { words } = this;
    const turn = hit.turn === null ? null : words.fill(words.turn_number, { n: hit.turn });
    const where = [hit.in.length ? words.hit_in_delegate : turn, this.#kindOf(hit)].filter(Boolean).join(" · ");
    const hidden = hit.hidden_by.map((name) => words.named(`hidden_${name}`, name)).join(", ");
    const button = el(
      "button",
      { type: "button", class: "hit", tabindex: "-1" },
      el("span", { class: "hit-where" }, where),
      el("bdi", { class: "hit-text" }, ...hit.excerpt.map((piece) => (piece.match ? el("mark", {}, piece.text) : piece.text))),
      hidden ? el("span", { class: "hit-hidden" }, words.fill(words.hidden_by, { what: hidden })) : null,
    );
    button.addEventListener("click", () => this.#go(at));
    return el("li", {}, button);
  }

  /** @param {Hit} hit */
  #kindOf({ key, field }) {
    const { words } = this;
    if (field === "reasoning") return words.thought;
    const kind = key.split(":", 1)[0];
    const kinds = /** @type {Record<string, string>} */ ({
      prompt: words.system_prompt, user: words.you, steering: words.steering, context: words.context, step: words.hit_answer,
      tool: words.named(field, words.hit_tool), search: words.search, retry: words.error, command: words.command,
      compaction: words.compaction, interaction: words.other, notice: words.hit_notice, error: words.turn_error,
    });
    return Object.hasOwn(kinds, kind) ? kinds[kind] : words.hit_other;
  }
}
