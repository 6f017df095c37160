/**
 * The state: by session, what the reader opened and closed by hand. Values: nobody changes one, an action makes another.
 *
 * The same as `clients/expansion` in Python, module by module; `tests/vectors/expansion` decides what is right, and
 * `docs/clients.md` explains it.
 *
 * `path` is where a transcript hangs: the call ids from the outermost delegate in; absent or empty, the session's own.
 *
 * @typedef {"entry" | "group" | "topology" | "item" | "control"} Kind
 *
 * The name of something with a header of its own: an entry's disclosure, a group, a topology, a row or block by its
 * ref, a web turn's control. A group has the id of its first member, so that the id alone names nothing.
 * @typedef {Readonly<{kind: Kind, id: string, path?: readonly string[]}>} Address
 *
 * A web turn's process that the reader opened: this generation of it alone (B-10, E-3).
 * @typedef {Readonly<{turn: number, generation: string, path?: readonly string[]}>} Opened
 *
 * What a reveal leads to: a row's key, which stands for all its blocks, or one block (`step:1:2#0`); in the web view
 * also whether it is the reasoning of the row.
 * @typedef {Readonly<{ref: string, reasoning?: boolean, path?: readonly string[]}>} Target
 *
 * A reveal whose target is not held yet, and what the reader toggled since: a later choice is never overridden (E-10).
 * @typedef {Readonly<{target: Target, kept: ReadonlyMap<string, Address>}>} Waiting
 *
 * One session's expansion, in both views. `opened` has at most one generation a turn, no entry is closed; an address
 * without a choice has the service's default. `request` is the newest reveal that was seen.
 * @typedef {Readonly<{
 *   opened: ReadonlyMap<string, Opened>,
 *   choices: ReadonlyMap<string, Readonly<{at: Address, open: boolean}>>,
 *   request: number | null,
 *   waiting: Waiting | null,
 * }>} Pane
 *
 * The state of a page: a pane for each session in which the reader chose something.
 * @typedef {ReadonlyMap<string, Pane>} Expansion
 */

/** @type {Pane} */
export const EMPTY_PANE = Object.freeze({ opened: new Map(), choices: new Map(), request: null, waiting: null });

/** @type {Expansion} */
export const NOTHING_CHOSEN = new Map();

/** @type {readonly string[]} */
const OWN = Object.freeze([]);

/** @param {{path?: readonly string[]}} one @returns {readonly string[]} */
export function pathOf(one) {
  return one.path ?? OWN;
}

/** Equal addresses have equal keys, and no others. @param {Address} at @returns {string} */
export function keyOf(at) {
  return JSON.stringify([at.kind, at.id, ...pathOf(at)]);
}

/** @param {{turn: number, path?: readonly string[]}} turn @returns {string} */
export function turnKeyOf(turn) {
  return JSON.stringify([turn.turn, ...pathOf(turn)]);
}

/** @param {Expansion} state @param {string} session @returns {Pane} */
export function paneOf(state, session) {
  return state.get(session) ?? EMPTY_PANE;
}

/** Replaces a session's pane; an empty one leaves nothing behind. @param {Expansion} state @param {string} session @param {Pane} pane @returns {Expansion} */
export function holding(state, session, pane) {
  const others = new Map(state);
  others.delete(session);
  const isEmpty = pane.opened.size + pane.choices.size === 0 && pane.request === null;
  return isEmpty ? others : others.set(session, pane);
}

/** Whether the reader's word on it is stored. @param {Pane} pane @param {Address} at */
export function hasChoice(pane, at) {
  return pane.choices.has(keyOf(at));
}

/** Stores a choice; gives this very pane if it is stored already. @param {Pane} pane @param {Address} at @param {boolean} open @returns {Pane} */
export function choosing(pane, at, open) {
  const key = keyOf(at);
  if (pane.choices.get(key)?.open === open) return pane;
  return { ...pane, choices: new Map(pane.choices).set(key, { at, open }) };
}

/** Whether `outer` is the path of a transcript around that of `inner`. @param {readonly string[]} outer @param {readonly string[]} inner */
export function isAround(outer, inner) {
  return outer.length < inner.length && outer.every((call, at) => call === inner[at]);
}
