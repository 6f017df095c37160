/** Reveals (E-10), as far as both views share them: each request counts once, and a later choice wins over it. */

import { keyOf } from "./state.js";

/** @typedef {import("./state.js").Pane} Pane */
/** @typedef {import("./state.js").Target} Target */

/** Whether a request was not seen before; the client numbers them upwards. @param {Pane} pane @param {number} request */
export function isNew(pane, request) {
  return pane.request === null || request > pane.request;
}

/** Notes a new request; it waits until its target is held. @param {Pane} pane @param {number} request @param {Target} target @returns {Pane} */
export function awaiting(pane, request, target) {
  return { ...pane, request, waiting: { target, kept: new Map() } };
}

/** Notes that the request has had its effect. @param {Pane} pane @returns {Pane} */
export function arrived(pane) {
  return { ...pane, waiting: null };
}

/** Notes a choice that a waiting request must not override. @param {Pane} pane @param {import("./state.js").Address} at @returns {Pane} */
export function keeping(pane, at) {
  if (!pane.waiting) return pane;
  return { ...pane, waiting: { ...pane.waiting, kept: new Map(pane.waiting.kept).set(keyOf(at), at) } };
}

/** The row of a ref: `step:1:2` of `step:1:2#0`; a step's blocks alone have refs of their own. @param {string} ref */
export function rowOf(ref) {
  return ref.startsWith("step:") ? ref.split("#", 1)[0] : ref;
}

/** Whether a part is the target, or a block of the target's row. @param {Target} target @param {string} ref */
export function leadsTo(target, ref) {
  return ref === target.ref || rowOf(ref) === target.ref;
}
