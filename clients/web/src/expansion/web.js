/**
 * The web view (E-3 to E-5, E-10): which turns' processes the reader opened, each by its generation.
 *
 * 1. One entry a turn: the generation that was opened. None, or one of another generation, is closed; closing deletes it.
 * 2. The mode and the history's completeness decide what shows, never what is remembered.
 * 3. *Settle*: a process that would hide the focus is opened instead, as if the reader had done it (E-4).
 *
 * @typedef {import("./state.js").Pane} Pane
 * @typedef {import("./state.js").Target} Target
 * @typedef {import("./actions.js").WebTurn} WebTurn
 * @typedef {import("./actions.js").WebAction} WebAction
 * @typedef {import("./actions.js").Window} Window
 *
 * What of a turn shows (B-6 to B-9): whether the control does, the rows that the closed process hides, and whether the
 * answer stands 8 px below the control rather than 16.
 * @typedef {Readonly<{control: boolean, open: boolean, hidden: readonly string[], reasoning_hidden: boolean,
 *   compact_answer: boolean}>} WebShown
 */

import { arrived, awaiting, isNew, rowOf } from "./reveals.js";
import { isAround, pathOf, turnKeyOf } from "./state.js";

/** @type {readonly string[]} */
const NONE = Object.freeze([]);

/** @type {WebShown} */
export const ALL_SHOWN = Object.freeze({ control: false, open: false, hidden: NONE, reasoning_hidden: false, compact_answer: false });

/** @type {WebShown} */
const OPENED = Object.freeze({ ...ALL_SHOWN, control: true, open: true });

/** Whether the client holds every row that the turn's presentation names (E-5). @param {WebTurn} turn */
export function isWhole(turn) {
  const { presentation, rows } = turn;
  if (!presentation) return true;
  const { answer, members } = presentation;
  return (!answer || rows.has(answer)) && members.every((key) => rows.has(key));
}

/** Derives what shows. Costs the turn's members where an incomplete history is folded, else nothing. @param {Pane} pane @param {WebTurn} turn @param {Window} window @returns {WebShown} */
export function webShown(pane, turn, window) {
  const { presentation } = turn;
  if (!presentation?.foldable || !presentation.answer) return ALL_SHOWN;
  if (window.mode !== "compact" || turn.status !== "closed") return ALL_SHOWN;
  if (!window.history_complete && !(window.fold_partial && isWhole(turn))) return ALL_SHOWN;
  if (isOpen(pane, turn)) return OPENED;
  return {
    control: true,
    open: false,
    hidden: presentation.members,
    reasoning_hidden: presentation.reasoning_hidden_when_closed,
    compact_answer: presentation.compact_answer_when_closed,
  };
}

/** Whether the reader opened this generation of the turn's process. @param {Pane} pane @param {WebTurn} turn @returns {boolean} */
export function isOpen(pane, turn) {
  return Boolean(turn.presentation) && pane.opened.get(turnKeyOf(turn))?.generation === turn.presentation?.generation;
}

/** @param {Pane} pane @param {WebAction} action @returns {Pane} this very pane if nothing changed */
export function reduceWeb(pane, action) {
  switch (action.type) {
    case "web/toggle":
      return isOpen(pane, action.turn) ? close(pane, action.turn) : open(pane, action.turn);
    case "web/open":
      return open(pane, action.turn);
    case "web/close":
      return close(pane, action.turn);
    case "web/settle": {
      const settled = pane.waiting ? openTarget(pane, action.turn, action.outer ?? []) : pane;
      const hides = hidesFocus(webShown(settled, action.turn, action.window), action.turn, action.focus ?? null);
      return hides ? open(settled, action.turn) : settled;
    }
    case "web/reveal": {
      if (!isNew(pane, action.request)) return pane;
      const waiting = awaiting(pane, action.request, action.target);
      return action.turn ? openTarget(waiting, action.turn, action.outer ?? []) : waiting;
    }
  }
}

/** The control that takes the focus before a manual close hides anything (E-4). @param {Pane} pane @param {WebAction} action @returns {import("./state.js").Address | null} */
export function controlToFocus(pane, action) {
  if (action.type !== "web/toggle" && action.type !== "web/close") return null;
  const { turn } = action;
  return isOpen(pane, turn) ? { kind: "control", id: `process:${turn.turn}`, path: pathOf(turn) } : null;
}

/** @param {Pane} pane @param {WebTurn} turn @returns {Pane} */
function open(pane, turn) {
  const { presentation } = turn;
  if (!presentation?.foldable || isOpen(pane, turn)) return pane;
  const entry = { turn: turn.turn, generation: presentation.generation, path: pathOf(turn) };
  return { ...pane, opened: new Map(pane.opened).set(turnKeyOf(turn), entry) };
}

/** @param {Pane} pane @param {WebTurn} turn @returns {Pane} */
function close(pane, turn) {
  if (!isOpen(pane, turn)) return pane;
  const opened = new Map(pane.opened);
  opened.delete(turnKeyOf(turn));
  return { ...pane, opened };
}

/** Whether what holds the focus would be hidden. @param {WebShown} view @param {WebTurn} turn @param {import("./actions.js").RowFocus | null} focus */
function hidesFocus(view, turn, focus) {
  if (!focus) return false;
  const isAnswers = focus.reasoning === true && focus.row === turn.presentation?.answer;
  return view.hidden.includes(focus.row) || (view.reasoning_hidden && isAnswers);
}

/** Lets a waiting request have its effect if the turn holds its target. @param {Pane} pane @param {WebTurn} turn @param {readonly WebTurn[]} outer @returns {Pane} */
function openTarget(pane, turn, outer) {
  const target = pane.waiting?.target;
  const path = pathOf(turn);
  if (!target || JSON.stringify(path) !== JSON.stringify(pathOf(target)) || !turn.rows.has(rowOf(target.ref))) return pane;
  const holders = outer.filter((holder) => isAround(pathOf(holder), path));
  const opened = holders.reduce((one, holder) => openFor(one, holder, { ref: `tool:${path[pathOf(holder).length]}` }), arrived(pane));
  return openFor(opened, turn, target);
}

/** Opens the process that hides a row of the turn when it is closed. @param {Pane} pane @param {WebTurn} turn @param {Target} target @returns {Pane} */
function openFor(pane, turn, target) {
  const { presentation } = turn;
  if (!presentation) return pane;
  const row = rowOf(target.ref);
  const isReasoning = target.reasoning === true && row === presentation.answer && presentation.reasoning_hidden_when_closed;
  return presentation.members.includes(row) || isReasoning ? open(pane, turn) : pane;
}
