/**
 * Which processes the reader opened by hand (E-3): a pure reducer, kept as long as the page lives, never stored.
 *
 * 1. One entry a turn: the generation that was opened. No entry, or one of another generation, is closed.
 * 2. Another generation of the turn starts closed; when the old one comes back it is open again, for the entry stays.
 * 3. Closing deletes the entry. The mode and the history's completeness are no actions: they forget nothing.
 * 4. `evict` frees a session: its deletion, or its pane's eviction.
 *
 * `turn` is the turn's place in the session: its number, after the call ids of the delegates that it stands in.
 *
 * @typedef {Readonly<Record<string, Readonly<Record<string, string>>>>} Expansion session -> turn -> generation
 * @typedef {{type: "open" | "close" | "toggle", session: string, turn: string, generation: string}
 *   | {type: "evict", session: string}} ExpansionAction
 */

/** @type {Expansion} */
export const nothingOpened = Object.freeze({});

/** @param {Expansion} state @param {ExpansionAction} action @returns {Expansion} */
export function reduce(state, action) {
  switch (action.type) {
    case "open":
      return opened(state, action.session, action.turn, action.generation);
    case "close":
      return closed(state, action.session, action.turn, action.generation);
    case "toggle":
      return isOpen(state, action.session, action.turn, action.generation)
        ? closed(state, action.session, action.turn, action.generation)
        : opened(state, action.session, action.turn, action.generation);
    case "evict":
      return without(state, action.session);
    default:
      return state;
  }
}

/** @param {Expansion} state @param {string} session @param {string} turn @param {string} generation */
export function isOpen(state, session, turn, generation) {
  return state[session]?.[turn] === generation;
}

/** @param {Expansion} state @param {string} session @param {string} turn @param {string} generation @returns {Expansion} */
function opened(state, session, turn, generation) {
  if (isOpen(state, session, turn, generation)) return state;
  return { ...state, [session]: { ...state[session], [turn]: generation } };
}

/** @param {Expansion} state @param {string} session @param {string} turn @param {string} generation @returns {Expansion} */
function closed(state, session, turn, generation) {
  if (!isOpen(state, session, turn, generation)) return state;
  const turns = without(state[session], turn);
  return Object.keys(turns).length ? { ...state, [session]: turns } : without(state, session);
}

/**
 * @template T
 * @param {Readonly<Record<string, T>>} values
 * @param {string} name
 * @returns {Readonly<Record<string, T>>}
 */
function without(values, name) {
  if (!Object.hasOwn(values, name)) return values;
  const { [name]: _gone, ...rest } = values;
  return rest;
}
