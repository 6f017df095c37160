/**
 * The list of sessions, newest first: a pure store fed by `sessions` frames.
 *
 * @typedef {import("./types.js").Summary} Summary
 */

/** @typedef {{whole?: boolean, sessions?: Summary[], gone?: string[]}} SessionsFrame */

export class SessionList {
  constructor() {
    /** @type {Map<string, Summary>} */
    this.summaries = new Map();
    /** False until the first list came. */
    this.known = false;
  }

  /** @param {SessionsFrame} frame @returns {string[]} the sessions that are gone */
  receive(frame) {
    const held = [...this.summaries.keys()];
    if (frame.whole) this.summaries = new Map();
    for (const summary of frame.sessions ?? []) this.summaries.set(summary.session, summary);
    for (const session of frame.gone ?? []) this.summaries.delete(session);
    this.known = true;
    return held.filter((session) => !this.summaries.has(session));
  }

  /** @returns {Summary[]} newest first; those of the same moment by name, so that they do not swap */
  newestFirst() {
    return [...this.summaries.values()].sort(
      (a, b) => changedAtMs(b) - changedAtMs(a) || (a.session < b.session ? -1 : 1),
    );
  }
}

/** @param {Summary} summary @returns {number} */
export function changedAtMs(summary) {
  return summary.updated_at_ms ?? summary.last_ts_ms ?? 0;
}

/**
 * @param {Summary} summary
 * @returns {"waiting" | "running" | "completed" | "failed" | "stopped" | "empty"} what its last turn is doing
 */
export function stateOf(summary) {
  if (summary.waiting) return "waiting";
  if (!summary.turn) return "empty";
  if (summary.turn.status !== "closed") return "running";
  switch (summary.turn.outcome) {
    case "failed":
    case "blocked":
      return "failed";
    case "aborted":
    case "interrupted":
      return "stopped";
    default:
      return "completed";
  }
}
