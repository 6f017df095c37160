/**
 * The reducer of what the reader opened and closed by hand: a state and an action give the next state. Pure.
 *
 * 1. State and action alone decide; an action carries the turn that it was made in, nothing of the transcript is kept.
 * 2. An action that changes nothing, one that names nothing that is there, and a value that is no action at all give
 *    back the very same state.
 * 3. `settle` may run after every change, any number of times.
 *
 * @typedef {import("./state.js").Expansion} Expansion
 * @typedef {import("./actions.js").Action} Action
 * @typedef {import("./actions.js").WebAction} WebAction
 * @typedef {import("./actions.js").DesktopAction} DesktopAction
 */

import { isAction } from "./actions.js";
import { headerToFocus, reduceDesktop } from "./desktop.js";
import { EMPTY_PANE, holding, paneOf } from "./state.js";
import { controlToFocus, reduceWeb } from "./web.js";

/** @param {Expansion} state @param {Action} action @returns {Expansion} */
export function reduce(state, action) {
  if (!isAction(action)) return state;
  const pane = paneOf(state, action.session);
  const after = action.type === "forget" ? EMPTY_PANE : isWeb(action) ? reduceWeb(pane, action) : reduceDesktop(pane, action);
  return after === pane ? state : holding(state, action.session, after);
}

/** What has to take the focus before the action is applied; null: the focus stays (E-4). @param {Expansion} state @param {Action} action @returns {import("./state.js").Address | null} */
export function focusFirst(state, action) {
  if (!isAction(action) || action.type === "forget") return null;
  const pane = paneOf(state, action.session);
  return isWeb(action) ? controlToFocus(pane, action) : headerToFocus(pane, action);
}

/** @param {WebAction | DesktopAction} action @returns {action is WebAction} */
function isWeb(action) {
  return action.type.startsWith("web/");
}
