/**
 * The state as plain JSON, for a store of one's own and for the vectors. It is not for keeping: a reload frees it.
 *
 * A state that is damaged anywhere is no state: all is as if nothing had been chosen. Unknown fields are ignored.
 *
 * @typedef {import("./state.js").Address} Address
 * @typedef {import("./state.js").Opened} Opened
 * @typedef {import("./state.js").Pane} Pane
 *
 * @typedef {{opened?: Opened[], choices?: (Address & {open: boolean})[], request?: number | null,
 *   waiting?: {target: import("./state.js").Target, kept?: Address[]} | null}} PaneValue
 * @typedef {{sessions: Record<string, PaneValue>}} ExpansionValue
 */

import { ADDRESS, TARGET } from "./actions.js";
import { boolean, integer, list, maybe, nullable, object, oneOf, record, text } from "./shape.js";
import { NOTHING_CHOSEN, holding, keyOf, pathOf, turnKeyOf } from "./state.js";

const { id, path } = ADDRESS.fields;
const CHOICE = object({ kind: oneOf("entry", "group", "topology", "item"), id, open: boolean, path });
const PANE = object({
  opened: maybe(list(object({ turn: integer, generation: text, path }))),
  choices: maybe(list(CHOICE)),
  request: nullable(integer),
  waiting: nullable(object({ target: TARGET, kept: maybe(list(ADDRESS)) })),
});
const EXPANSION = object({ sessions: record(PANE) });

/** @param {import("./state.js").Expansion} state @returns {ExpansionValue} */
export function toValue(state) {
  return { sessions: Object.fromEntries([...state].map(([session, pane]) => [session, written(pane)])) };
}

/** @param {unknown} raw @returns {import("./state.js").Expansion} `NOTHING_CHOSEN` if it is damaged */
export function fromValue(raw) {
  if (!EXPANSION.fits(raw)) return NOTHING_CHOSEN;
  const { sessions } = /** @type {ExpansionValue} */ (raw);
  let state = NOTHING_CHOSEN;
  for (const [session, value] of Object.entries(sessions)) {
    const pane = read(value);
    if (!pane) return NOTHING_CHOSEN;
    state = holding(state, session, pane);
  }
  return state;
}

/** @param {Pane} pane @returns {PaneValue} */
function written(pane) {
  const { request, waiting } = pane;
  return {
    opened: [...pane.opened.values()],
    choices: [...pane.choices.values()].map(({ at, open }) => ({ ...at, open })),
    request,
    waiting: waiting && { target: waiting.target, kept: [...waiting.kept.values()] },
  };
}

/** @param {PaneValue} value @returns {Pane | null} null if it says two things about one */
function read({ opened = [], choices = [], request = null, waiting = null }) {
  const pane = {
    opened: new Map(opened.map(({ turn, generation, ...rest }) => [turnKeyOf({ turn, ...rest }), { turn, generation, path: pathOf(rest) }])),
    choices: new Map(choices.map(({ open, ...at }) => [keyOf(at), { at: addressOf(at), open }])),
    request,
    waiting: waiting && { target: waiting.target, kept: new Map((waiting.kept ?? []).map((at) => [keyOf(at), addressOf(at)])) },
  };
  return pane.opened.size < opened.length || pane.choices.size < choices.length ? null : pane;
}

/** @param {Address} at @returns {Address} without what is not ours */
function addressOf(at) {
  return { kind: at.kind, id: at.id, path: pathOf(at) };
}
