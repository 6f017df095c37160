import { el } from "./element.js";

/** @typedef {import("./words.js").Words} Words */

/**
 * A note below a text that travelled as its head, with a button that fetches the rest.
 *
 * @param {Words} words
 * @param {(key: string) => string} urlOf where a row's whole text is
 * @returns {import("./page_context.js").PageContext["shortened"]}
 */
export function shortenedNote(words, urlOf) {
  return (key, block, show) => {
    const head = block.text ?? "";
    const shown = new TextEncoder().encode(head).length;
    const text = words.fill(words.shortened, { shown: words.bytes(shown), whole: words.bytes(block.bytes ?? shown) });
    const button = el("button", { type: "button", class: "button small" }, words.show_all);
    const note = el("div", { class: "shortened" }, el("span", {}, text), button);
    button.addEventListener("click", async () => {
      try {
        const answer = await fetch(`${urlOf(key)}?offset=${shown}`);
        if (!answer.ok) throw new Error(String(answer.status));
        const { text: rest } = await answer.json();
        show(head + String(rest ?? ""));
        note.remove();
      } catch {
        button.textContent = words.load_failed;
      }
    });
    return note;
  };
}
