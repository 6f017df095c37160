/**
 * The reader's preferences (B-1, C-4), as the service keeps them. Pure: what goes over the network is handed in.
 *
 * 1. The service's word is what counts: `welcome` and `preferences` frames, and the answer to a change.
 * 2. A change shows at once, before its answer; if it cannot be saved, it is taken back and whoever listens is told.
 * 3. What is missing or not valid reads as its default, so that an older service is no trouble.
 *
 * @typedef {Readonly<{
 *   presentation: "web" | "desktop",
 *   transcript_view: "compact" | "normal",
 *   transcript_display_mode: "flat" | "command-first" | "fully-folded",
 *   show_thinking: boolean,
 *   auto_collapse_settled_groups: boolean,
 *   auto_collapse_thinking: boolean,
 *   language: string,
 * }>} Preferences
 * @typedef {keyof Preferences} PreferenceName
 * @typedef {(change: Partial<Preferences>) => Promise<unknown>} Save answers with all preferences, or throws
 */

/** @type {Preferences} */
export const DEFAULTS = Object.freeze({
  presentation: "web",
  transcript_view: "compact",
  transcript_display_mode: "fully-folded",
  show_thinking: true,
  auto_collapse_settled_groups: true,
  auto_collapse_thinking: true,
  language: "auto",
});

/** @type {Partial<Record<PreferenceName, readonly string[]>>} */
export const CHOICES = Object.freeze({
  presentation: ["web", "desktop"],
  transcript_view: ["compact", "normal"],
  transcript_display_mode: ["flat", "command-first", "fully-folded"],
});

/** @param {unknown} raw as a frame or an answer holds it @returns {Preferences} */
export function preferencesOf(raw) {
  const given = /** @type {Record<string, unknown>} */ (typeof raw === "object" && raw !== null ? raw : {});
  const valid = Object.entries(DEFAULTS).map(([name, fallback]) => {
    const value = Object.hasOwn(given, name) ? given[name] : undefined;
    return [name, isValid(/** @type {PreferenceName} */ (name), value) ? value : fallback];
  });
  return Object.freeze(Object.fromEntries(valid));
}

/** @param {PreferenceName} name @param {unknown} value */
function isValid(name, value) {
  const choices = CHOICES[name];
  return choices ? choices.includes(/** @type {string} */ (value)) : typeof value === typeof DEFAULTS[name];
}

/**
 * What a settings page offers now (C-4): a switch is a child of its setting, and none while that leaves it without
 * effect. A child that is not offered writes nothing, so it keeps its value.
 *
 * @param {Preferences} held
 * @returns {{auto_collapse_thinking: boolean, auto_collapse_settled_groups: boolean}}
 */
export function offered(held) {
  return { auto_collapse_thinking: held.show_thinking, auto_collapse_settled_groups: held.transcript_display_mode !== "flat" };
}

export class PreferenceKeeper {
  /** @param {Save} save @param {(failed: boolean) => void} onChange what is in effect changed, or could not be saved */
  constructor(save, onChange) {
    this.save = save;
    this.onChange = onChange;
    /** False until the service told them. */
    this.known = false;
    /** The service's word. */
    this.told = DEFAULTS;
    /**
     * Changes that are not answered yet, the newest last; one that was answered before an older one stays until that is
     * answered too, since answers may overtake each other and the newer choice counts.
     * @type {Set<{change: Partial<Preferences>, isSaved: boolean}>}
     */
    this.asked = new Set();
    /** What is in effect. */
    this.held = DEFAULTS;
  }

  /** The service told them. @param {unknown} raw */
  receive(raw) {
    this.known = true;
    this.told = preferencesOf(raw);
    this.#renew(false);
  }

  /** The reader changes some; resolves when the service has answered. @param {Partial<Preferences>} change */
  async change(change) {
    const asked = { change, isSaved: false };
    this.asked.add(asked);
    this.#renew(false);
    try {
      const told = preferencesOf(await this.save(change));
      const all = [...this.asked];
      const isOvertaken = all.slice(all.indexOf(asked) + 1).some((newer) => newer.isSaved);
      if (!isOvertaken) this.told = told;
      asked.isSaved = true;
      this.#settle();
      this.#renew(false);
    } catch {
      this.asked.delete(asked);
      this.#settle();
      this.#renew(true);
    }
  }

  #settle() {
    for (const asked of this.asked) {
      if (!asked.isSaved) return;
      this.asked.delete(asked);
    }
  }

  /** @param {boolean} failed */
  #renew(failed) {
    const changes = Array.from(this.asked, ({ change }) => change);
    const held = Object.freeze(Object.assign({}, this.told, ...changes));
    const same = Object.keys(DEFAULTS).every((name) => held[name] === this.held[/** @type {PreferenceName} */ (name)]);
    if (!same) this.held = held;
    if (!same || failed) this.onChange(failed);
  }
}
