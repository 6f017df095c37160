/** Small snapshots and deltas for the tests, in the wire's shape. */

/** @param {string} key @param {object} [fields] */
export function row(key, fields = {}) {
  return { key, kind: "notice", turn: 1, step: null, anchor: 0, text: key, ...fields };
}

/** @param {object[]} rows @param {object} [fields] */
export function turn(rows, fields = {}) {
  return { turn: 1, status: "open", outcome: null, waiting: 0, queued: [], spec: null, presentation: null, rows, ...fields };
}

/** @param {object[]} turns @param {object} [fields] @returns {any} */
export function snapshot(turns, fields = {}) {
  return { position: { epoch: "e", version: 1 }, history_complete: true, before: null, session_rows: [], turns, ...fields };
}

/** @param {object[]} ops @param {object} [fields] @returns {any} */
export function delta(ops, fields = {}) {
  return { epoch: "e", from: 1, to: 2, ops, ...fields };
}

/** @param {object} [fields] @returns {any} */
export function presentation(fields = {}) {
  return {
    generation: "1|2",
    foldable: true,
    has_external_process: true,
    compact_answer_when_closed: true,
    answer: "step:1:2",
    members: ["step:1:1", "tool:c"],
    reasoning_hidden_when_closed: true,
    label: { segments: [], text: "1 tool call" },
    ...fields,
  };
}
