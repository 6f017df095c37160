/** What waits for the reader, or waited: its question, and where the deployment forwards answers, the means to answer it (E-16). */

import { drawRowJson, textOf } from "../blocks.js";
import { Disclosure, openable } from "../disclosure.js";
import { activeIn, el, icon, setText } from "../element.js";
import { reasonOf } from "../http.js";
import { isYesOrNo, optionsOf } from "../interaction_options.js";
import { callsAround } from "../shortened.js";

/** @typedef {import("../types.js").Row} Row */
/** @typedef {import("../page_context.js").PageContext} PageContext */
/** @typedef {import("../page_context.js").RowView} RowView */
/** @typedef {import("../session_calls.js").Answer} Answer */

/** @param {HTMLElement} body @param {PageContext} page @returns {RowView} */
export function interactionRow(body, page) {
  const { words } = page;
  const kind = el("span", { class: "eyebrow" });
  const title = el("div", { class: "words title" });
  const hint = el("div", { class: "hint" });
  const form = new AnswerForm(page, body);
  const disclosure = new Disclosure("quiet", el("span", { class: "label" }, words.details));
  const text = el("div", { class: "request-text" }, kind, title, form.element, form.unsent, hint, disclosure.button, disclosure.panel);
  const box = body.appendChild(el("div", { class: "request" }, icon("hand"), text));
  return {
    ...openable(disclosure),
    update: (row) => {
      const status = textOf(row.status);
      box.dataset.status = status;
      const name = words.named(textOf(row.interaction), textOf(row.interaction));
      const state = row.status === "resolved" && row.outcome ? row.outcome : words.named(status, status);
      setText(kind, `${name} · ${state}`);
      setText(title, textOf(row.title));
      const waits = status === "pending";
      const canAnswer = waits && page.answers.taken();
      if (!waits) form.end(row);
      form.draw(canAnswer ? row : null);
      hint.hidden = !waits || canAnswer;
      setText(hint, hint.hidden ? "" : words.pending_hint);
      disclosure.button.hidden = row.payload === undefined || row.payload === null;
      disclosure.panel.replaceChildren(drawRowJson(row, "payload", page));
    },
  };
}

/** The choices, or a field for a text. What was sent stays said until the session itself goes on. */
class AnswerForm {
  /** @param {PageContext} page @param {HTMLElement} body of the row */
  constructor(page, body) {
    this.page = page;
    this.body = body;
    this.said = el("div", { class: "hint", role: "status" });
    this.element = el("form", { class: "answer-form", hidden: true });
    /** What was typed and not sent when somebody else answered. */
    this.unsent = el("div", { class: "hint unsent", tabindex: "-1", hidden: true });
    this.drawn = "";
    /** @type {HTMLTextAreaElement | null} */
    this.field = null;
    this.element.addEventListener("submit", (event) => event.preventDefault());
    // Somebody who types on writes into nothing; no letter of it is a shortcut of the page.
    this.unsent.addEventListener("keydown", (event) => event.key.length === 1 && event.stopPropagation());
  }

  /** @param {Row | null} row null: there is nothing to answer */
  draw(row) {
    this.element.hidden = row === null;
    const state = row === null ? "" : JSON.stringify([row.id, row.interaction, row.payload]);
    // What the reader typed stays while the row says the same.
    if (state === this.drawn) return;
    this.drawn = state;
    setText(this.said, "");
    this.element.replaceChildren(...(row === null ? [] : [...this.#fields(row), this.said]));
  }

  /** It waits no more: words that were typed and not sent stay, to be read and copied. @param {Row} row */
  end(row) {
    if (!this.drawn || !this.field) return;
    const words = this.field.disabled ? "" : this.field.value.trim();
    const hadFocus = this.element.contains(activeIn(this.element));
    this.#draft(row, "");
    this.field = null;
    this.unsent.hidden = words === "";
    setText(this.unsent, words && this.page.words.fill(this.page.words.answer_unsent, { text: words }));
    if (words && hadFocus) this.unsent.focus();
  }

  /** @param {Row} row @returns {HTMLElement[]} */
  #fields(row) {
    const { words } = this.page;
    const options = optionsOf(row.payload);
    if (options.length > 0) return options.map(({ outcome, label, note }) => this.#choice(row, { outcome }, label, note));
    if (isYesOrNo(row.interaction)) {
      return [this.#choice(row, { outcome: "allow" }, words.answer_allow), this.#choice(row, { outcome: "deny" }, words.answer_deny)];
    }
    const field = /** @type {HTMLTextAreaElement} */ (el("textarea", { rows: "2", "aria-label": words.answer_text, placeholder: words.answer_text }));
    field.addEventListener("input", () => this.#draft(row, field.value));
    // Its place among delegates is known once all that is drawn now is in the page.
    queueMicrotask(() => (field.value ||= this.page.drafts.get(textOf(row.id), callsAround(this.body))));
    const send = el("button", { type: "submit", class: "button" }, words.answer_send);
    this.field = field;
    this.element.onsubmit = () => {
      if (field.value.trim()) this.#send(row, { outcome: "answered", payload: { text: field.value } });
    };
    return [field, send];
  }

  /** @param {Row} row @param {string} text that is typed and not sent */
  #draft(row, text) {
    this.page.drafts.set(textOf(row.id), callsAround(this.body), text);
  }

  /** @param {Row} row @param {Answer} answer @param {string} label @param {string} [note] */
  #choice(row, answer, label, note = "") {
    const button = el("button", { type: "button", class: "button choice" }, el("bdi", {}, label), note ? el("bdi", { class: "choice-note" }, note) : null);
    button.addEventListener("click", () => this.#send(row, answer));
    return button;
  }

  /** @param {Row} row @param {Answer} answer */
  async #send(row, answer) {
    const { words, answers } = this.page;
    this.#disable(true);
    setText(this.said, words.answer_sending);
    try {
      await answers.send(textOf(row.id), callsAround(this.body), answer);
      this.#draft(row, "");
      setText(this.said, words.answer_sent);
    } catch (problem) {
      setText(this.said, words.fill(words.answer_failed, { reason: reasonOf(problem, words) }));
      this.#disable(false);
    }
  }

  /** @param {boolean} disabled */
  #disable(disabled) {
    for (const control of this.element.querySelectorAll("button, textarea")) control.toggleAttribute("disabled", disabled);
  }
}
