/**
 * What stands below a text that travelled as its head: how much of it is shown, and a button that fetches the rest.
 *
 * A text that is still small enough to be drawn at once gets its own form back (Markdown, a diff, fields). A greater one
 * is added page by page as plain text, so that nothing freezes however great it is.
 *
 * @typedef {{key: string, field: string}} Place a row's text: the row's key, and a JSON pointer into the row
 * @typedef {{text: string, bytes?: number}} Head
 * @typedef {{whole: (text: string) => void, great: (element: HTMLElement) => void}} Show
 * @typedef {{text: string, next_offset: number | null}} Part
 * @typedef {(place: Place, path: string[], offset: number) => Promise<Part>} Fetch
 * @typedef {import("./words.js").Words} Words
 */

import { el, setText } from "./element.js";
import { GreatText } from "./great_text.js";
import { reasonOf } from "./http.js";

/** Up to here a text is drawn in its own form: as much Markdown as a model writes in one answer. */
const DRAWN_WHOLE_BYTES = 256 * 1024;

/** What fetches the rest that a note stands for; false: it could not be loaded. @type {WeakMap<Element, () => Promise<boolean>>} */
const LOADERS = new WeakMap();

/** Fetches the rest of a text as its button does. @param {Element} note @returns {Promise<boolean>} whether it is shown now */
export async function loadRest(note) {
  return (await LOADERS.get(note)?.()) ?? false;
}

/** @param {Words} words @param {Fetch} fetchPart @returns {import("./page_context.js").PageContext["shortened"]} */
export function shortenedNote(words, fetchPart) {
  return (place, head, show) => {
    const shown = new TextEncoder().encode(head.text).length;
    const whole = head.bytes ?? shown;
    const button = el("button", { type: "button", class: "button small" }, words.show_all);
    const text = words.fill(words.shortened, { shown: words.bytes(shown), whole: words.bytes(whole) });
    const said = el("span", { role: "status" }, text);
    const note = el("div", { class: "shortened" }, said, button);
    /** @type {Promise<boolean> | null} */
    let loading = null;
    const load = async () => {
      button.toggleAttribute("disabled", true);
      try {
        await showAll(note, place, whole, show, fetchPart);
        note.remove();
        return true;
      } catch (problem) {
        setText(said, words.fill(words.load_failed, { reason: reasonOf(problem, words) }));
        button.toggleAttribute("disabled", false);
        loading = null;
        return false;
      }
    };
    LOADERS.set(note, () => (loading ??= load()));
    button.addEventListener("click", () => loadRest(note));
    return note;
  };
}

/** @param {HTMLElement} note @param {Place} place @param {number} bytes @param {Show} show @param {Fetch} fetchPart */
async function showAll(note, place, bytes, show, fetchPart) {
  const path = callsAround(note);
  const great = bytes > DRAWN_WHOLE_BYTES ? new GreatText() : null;
  let text = "";
  /** @type {number | null} */
  let offset = 0;
  while (offset !== null) {
    /** @type {Part} */
    const part = await fetchPart(place, path, offset);
    if (!great) text += part.text;
    else {
      if (offset === 0) show.great(great.element);
      great.append(part.text);
    }
    offset = part.next_offset;
  }
  if (!great) show.whole(text);
}

/** The calls whose delegates a row stands in, outermost first. @param {Element} element inside the row @returns {string[]} */
export function callsAround(element) {
  const calls = [];
  const own = element.closest(".seat");
  for (let seat = own?.parentElement?.closest(".seat"); seat; seat = seat.parentElement?.closest(".seat")) {
    calls.unshift((seat.getAttribute("data-key") ?? "").replace(/^tool:/, ""));
  }
  return calls;
}
