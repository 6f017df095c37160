/**
 * The desktop view (E-8 to E-10): choices by entry, group, topology and row over the service's defaults.
 *
 * 1. *Toggle* changes one level. *Touch* changes none. Both store the present state of all that stands above (E-9).
 * 2. *Settle*: what no choice holds open, and what would hide the focus, a selection or a row that the reader opened,
 *    gets an *open* of its own. Nothing else is ever stored without the reader.
 * 3. *Reveal* stores *open* for what stands above the target, once a request; the target itself is not opened (C-16).
 *
 * @typedef {import("./state.js").Address} Address
 * @typedef {import("./state.js").Pane} Pane
 * @typedef {import("./levels.js").Level} Level
 * @typedef {import("./actions.js").DesktopTurn} DesktopTurn
 * @typedef {import("./actions.js").DesktopAction} DesktopAction
 * @typedef {import("./actions.js").DesktopGesture} DesktopGesture
 * @typedef {import("./actions.js").DesktopSettle} DesktopSettle
 * @typedef {import("./actions.js").DesktopReveal} DesktopReveal
 *
 * What of a turn's processes shows: the levels that are open by themselves, though one above may hide them, and those
 * that stand in a closed one, both in transcript order.
 * @typedef {Readonly<{open: readonly Address[], hidden: readonly Address[]}>} DesktopShown
 */

import { around, callItem, find, isOpen, levels, needed } from "./levels.js";
import { arrived, awaiting, isNew, keeping } from "./reveals.js";
import { choosing, hasChoice, isAround, keyOf, pathOf } from "./state.js";

/** Derives what shows: a level does while all above it are open. Costs the turn's rows. @param {Pane} pane @param {DesktopTurn} turn @returns {DesktopShown} */
export function desktopShown(pane, turn) {
  const found = [...levels(turn)];
  return {
    open: found.filter((one) => one.default_open !== null && isOpen(pane, one)).map((one) => one.at),
    hidden: found.filter((one) => !one.above.every((above) => isOpen(pane, above))).map((one) => one.at),
  };
}

/** @param {Pane} pane @param {DesktopAction} action @returns {Pane} this very pane if nothing changed */
export function reduceDesktop(pane, action) {
  switch (action.type) {
    case "desktop/toggle":
      return toggle(pane, action);
    case "desktop/touch": {
      const level = find(action.turn, action.at);
      return level ? claim(pane, level, action) : pane;
    }
    case "desktop/settle":
      return guard(arrive(pane, action), action);
    case "desktop/reveal":
      return reveal(pane, action);
  }
}

/** The header that takes the focus before a manual close hides anything (E-4). @param {Pane} pane @param {DesktopAction} action @returns {Address | null} */
export function headerToFocus(pane, action) {
  if (action.type !== "desktop/toggle") return null;
  const level = openable(action);
  return level && isOpen(pane, level) ? level.at : null;
}

/** @param {DesktopGesture} action @returns {Level | null} */
function openable(action) {
  const level = find(action.turn, action.at);
  return level && level.default_open !== null ? level : null;
}

/** @param {Pane} pane @param {DesktopGesture} action @returns {Pane} */
function toggle(pane, action) {
  const level = openable(action);
  if (!level) return pane;
  const chosen = choosing(pane, level.at, !isOpen(pane, level));
  return keeping(claim(chosen, level, action), level.at);
}

/** Stores the present state of all above, so that a later default moves none of it (E-9). @param {Pane} pane @param {Level} level @param {DesktopGesture} action @returns {Pane} */
function claim(pane, level, action) {
  for (const above of [...around(action.turn, action.outer ?? []), ...level.above]) {
    if (above.default_open !== null) pane = choosing(pane, above.at, isOpen(pane, above));
  }
  // An item that stands by itself shows; so will its group, once there is one.
  if (level.single && !hasChoice(pane, level.single)) pane = choosing(pane, level.single, true);
  return pane;
}

/** Opens what would hide something that the reader uses. @param {Pane} pane @param {DesktopSettle} action @returns {Pane} */
function guard(pane, action) {
  const used = usedIn(pane, action);
  if (used.size === 0) return pane;
  for (const level of levels(action.turn)) {
    const inside = used.get(level.key);
    if (inside === undefined) continue;
    pane = openUnchosen(pane, inside && level.default_open !== null ? [...level.above, level] : level.above);
  }
  return pane;
}

/**
 * What the reader uses in a transcript, and whether in what its header opens. What is used inside a delegate's
 * transcript is inside its call.
 *
 * @param {Pane} pane
 * @param {DesktopSettle} action
 * @returns {Map<string, boolean>}
 */
function usedIn(pane, action) {
  const path = pathOf(action.turn);
  const own = JSON.stringify(path);
  /** @type {Map<string, boolean>} */
  const used = new Map();
  for (const point of action.attention ?? []) {
    const key = keyOf(/** @type {Address} */ (point));
    if (JSON.stringify(pathOf(point)) === own) used.set(key, used.get(key) || point.inside === true);
    else if (isAround(path, pathOf(point))) used.set(keyOf(callItem(pathOf(point), path.length)), true);
  }
  for (const { at, open } of pane.choices.values()) {
    if (!open || at.kind !== "item") continue;
    const isOwn = JSON.stringify(pathOf(at)) === own;
    if (!isOwn && !isAround(path, pathOf(at))) continue;
    const key = keyOf(isOwn ? at : callItem(pathOf(at), path.length));
    if (!used.has(key)) used.set(key, false);
  }
  return used;
}

/** @param {Pane} pane @param {readonly Level[]} held @returns {Pane} */
function openUnchosen(pane, held) {
  for (const level of held) {
    if (!level.default_open && !hasChoice(pane, level.at)) pane = choosing(pane, level.at, true);
  }
  return pane;
}

/** @param {Pane} pane @param {DesktopReveal} action @returns {Pane} */
function reveal(pane, action) {
  if (!isNew(pane, action.request)) return pane;
  const waiting = awaiting(pane, action.request, action.target);
  if (action.ancestors) return arrived(openAll(waiting, action.ancestors));
  return action.turn ? openTarget(waiting, action.turn, action.outer ?? []) : waiting;
}

/** @param {Pane} pane @param {DesktopSettle} action @returns {Pane} */
function arrive(pane, action) {
  return pane.waiting ? openTarget(pane, action.turn, action.outer ?? []) : pane;
}

/** Lets a waiting request have its effect if the turn shows its target. @param {Pane} pane @param {DesktopTurn} turn @param {readonly DesktopTurn[]} outer @returns {Pane} */
function openTarget(pane, turn, outer) {
  const { waiting } = pane;
  const found = waiting && needed(turn, waiting.target);
  if (!found) return pane;
  const openable = [...around(turn, outer), ...found].filter((one) => one.default_open !== null).map((one) => one.at);
  return arrived(openAll(pane, openable.filter((at) => !waiting.kept.has(keyOf(at)))));
}

/** @param {Pane} pane @param {readonly Address[]} addresses @returns {Pane} */
function openAll(pane, addresses) {
  return addresses.reduce((one, at) => choosing(one, at, true), pane);
}
