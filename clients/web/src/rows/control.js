import { el, icon, setText } from "../element.js";

/** @typedef {import("../view.js").TurnView} TurnView */

/** The control of a turn's process: a real button over the whole width, with its divider. */
export class ControlView {
  /** @param {HTMLElement} body @param {() => void} onToggle */
  constructor(body, onToggle) {
    this.label = el("span", { class: "label" });
    this.button = el(
      "button",
      { type: "button", class: "disclosure control", "aria-expanded": "false" },
      this.label,
      icon("chevron"),
    );
    this.button.addEventListener("click", onToggle);
    body.append(this.button);
  }

  /** @param {TurnView} view @param {string[]} ids of what it shows and hides */
  show(view, ids) {
    setText(this.label, view.label?.text ?? "");
    this.button.setAttribute("aria-expanded", String(view.open));
    this.button.setAttribute("aria-controls", ids.join(" "));
  }
}
