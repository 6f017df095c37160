import { el, icon, setText } from "../element.js";

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

  /** @param {string} label @param {boolean} open @param {string[]} ids of what it shows and hides */
  show(label, open, ids) {
    setText(this.label, label);
    this.button.setAttribute("aria-expanded", String(open));
    this.button.setAttribute("aria-controls", ids.join(" "));
  }
}
