/** The JavaScript reducers against the vectors that the Python ones run too (`clients.md` E-3 to E-5, E-8 to E-10). */

import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

import { desktopShown } from "../src/expansion/desktop.js";
import { fromValue, toValue } from "../src/expansion/plain.js";
import { focusFirst, reduce } from "../src/expansion/reducer.js";
import { NOTHING_CHOSEN, paneOf } from "../src/expansion/state.js";
import { webShown } from "../src/expansion/web.js";

/** pytest has other folders run too, to compare the two implementations. */
const VECTORS = process.env.EXPANSION_VECTORS ?? fileURLToPath(new URL("../../../tests/vectors/expansion", import.meta.url));

/** The session whose turns the steps look at. */
const SESSION = "s";

/** Reads all vectors; a folder without any is a fault, not a pass. @param {string} directory @returns {any[]} */
function loadVectors(directory) {
  const names = readdirSync(directory).filter((name) => name.endsWith(".json")).sort();
  if (names.length === 0) throw new Error(`no vectors in ${directory}`);
  return names.map((name) => JSON.parse(readFileSync(join(directory, name), "utf8")));
}

/** A turn as the store holds it. @param {any} turn */
function held(turn) {
  return turn.rows ? { ...turn, rows: new Set(turn.rows) } : turn;
}

/** The action with the turns that it names in their places. @param {any} action @param {Record<string, any>} turns @returns {any} */
function resolved(action, turns) {
  if (typeof action !== "object" || action === null || Array.isArray(action)) return action;
  const found = { ...action };
  if (typeof found.turn === "string") found.turn = turns[found.turn];
  if (Array.isArray(found.outer)) found.outer = found.outer.map((/** @type {string} */ name) => turns[name]);
  return found;
}

/**
 * Without what says nothing (nulls, empty lists, a false `reasoning`) and without the order of a state's lists.
 *
 * @param {any} value
 * @returns {any}
 */
function canonical(value) {
  if (Array.isArray(value)) {
    if (value.every((one) => typeof one === "string")) return value;
    return value.map(canonical).sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
  }
  if (typeof value !== "object" || value === null) return value;
  const named = Object.entries(value)
    .filter(([name, one]) => one !== null && !(Array.isArray(one) && one.length === 0) && !(name === "reasoning" && !one))
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(named.map(([name, one]) => [name, canonical(one)]));
}

for (const vector of loadVectors(VECTORS)) {
  test(vector.name, () => {
    const turns = Object.fromEntries(Object.entries(vector.turns).map(([name, turn]) => [name, held(turn)]));
    let state = Object.hasOwn(vector, "state") ? fromValue(vector.state) : NOTHING_CHOSEN;
    for (const [at, step] of vector.steps.entries()) {
      const where = `step ${at + 1}: ${vector.why}`;
      if (Object.hasOwn(step, "action")) {
        const action = resolved(step.action, turns);
        if (Object.hasOwn(step, "focus")) assert.deepEqual(canonical(focusFirst(state, action)), canonical(step.focus), where);
        const after = reduce(state, action);
        assert.equal(after === state, step.same === true, where);
        state = after;
      }
      if (step.state) assert.deepEqual(canonical(toValue(state)), canonical(step.state), where);
      const pane = paneOf(state, SESSION);
      if (step.web) assert.deepEqual(webShown(pane, turns[step.web.turn], step.web.window), step.web.shown, where);
      if (step.desktop) {
        const shown = desktopShown(pane, turns[step.desktop.turn]);
        assert.deepEqual(shown.open.map(canonical), step.desktop.open, where);
        assert.deepEqual(shown.hidden.map(canonical), step.desktop.hidden, where);
      }
    }
  });
}

test("a folder without vectors fails", () => {
  const empty = mkdtempSync(join(tmpdir(), "turnfold-vectors-"));
  try {
    assert.throws(() => loadVectors(empty), /no vectors/);
  } finally {
    rmSync(empty, { recursive: true });
  }
});
