import { CLOSES, UNAUTHENTICATED } from "./close_codes.js";
import { el, setText } from "./element.js";

/** @typedef {import("./connection.js").Link} Link */
/** @typedef {import("./words.js").Words} Words */

/** A first attempt, and a quick one, needs no banner: it would only flicker. */
const QUIET_MS = 600;

/** Says that the connection is lost, what that means for what is shown, and what the reader can do. */
export class LinkBanner {
  /** @param {Words} words @param {() => void} onTry @param {(token: string) => void} [onToken] without it no token is asked for */
  constructor(words, onTry, onToken) {
    this.words = words;
    this.asks = onToken !== undefined;
    /** @type {Link} */
    this.link = { name: "connecting" };
    this.lost = false;
    this.sinceMs = Date.now();
    this.text = el("span", { class: "banner-text" });
    this.button = el("button", { type: "button", class: "button small" }, words.try_now);
    this.button.addEventListener("click", onTry);
    this.token = /** @type {HTMLInputElement} */ (
      el("input", { type: "password", autocomplete: "off", "aria-label": words.token, placeholder: words.token })
    );
    this.form = el("form", { hidden: true }, this.token, el("button", { class: "button small" }, words.sign_in));
    this.form.addEventListener("submit", (event) => {
      event.preventDefault();
      onToken?.(this.token.value);
    });
    this.element = el("div", { class: "banner", role: "status", hidden: true }, this.text, this.button, this.form);
  }

  /** @param {Link} link */
  show(link) {
    if (link.name === "open" || link.name === "closed") this.lost = false;
    else if (!this.lost && link.name !== "connecting") {
      this.lost = true;
      this.sinceMs = Date.now();
    }
    this.link = link;
    this.tick();
    if (this.lost) setTimeout(() => this.tick(), QUIET_MS);
  }

  tick() {
    const { link } = this;
    const ended = link.name === "ended";
    this.element.hidden = !ended && (!this.lost || Date.now() - this.sinceMs < QUIET_MS);
    if (this.element.hidden) return;
    this.button.hidden = ended || link.name === "connecting";
    this.form.hidden = !this.asks || !ended || link.code !== UNAUTHENTICATED;
    setText(this.text, this.#words());
  }

  #words() {
    const { link, words } = this;
    if (link.name === "ended") {
      const reason = link.reason || CLOSES[link.code] || String(link.code);
      return link.code === UNAUTHENTICATED ? words.unauthenticated : words.fill(words.ended_link, { reason });
    }
    if (link.name === "offline") return words.offline;
    const seconds = link.name === "waiting" ? Math.ceil((link.untilMs - Date.now()) / 1_000) : 0;
    return seconds > 0 ? words.fill(words.waiting_link, { n: seconds }) : words.retrying_link;
  }
}
