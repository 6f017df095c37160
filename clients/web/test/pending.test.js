import assert from "node:assert/strict";
import { test } from "node:test";

import { Pending } from "../src/pending.js";

const place = { path: [], turn: 1, key: "s" };

test("fragments of one block are joined until the next frame", () => {
  const pending = new Pending();
  pending.add([{ what: "append", ...place, block: 0, text: "a" }, { what: "append", ...place, block: 0, text: "b" }]);
  const [thread] = pending.outermostFirst();
  assert.deepEqual(thread.turns.get(1)?.rows.get("s"), { whole: false, appends: [{ block: 0, text: "ab" }], output: "" });
});

test("a row that is replaced is drawn as a whole, whatever streamed before", () => {
  const pending = new Pending();
  pending.add([{ what: "append", ...place, block: 0, text: "a" }, { what: "row", ...place }]);
  assert.equal(pending.outermostFirst()[0].turns.get(1)?.rows.get("s")?.whole, true);
});

test("another window makes all else void", () => {
  const pending = new Pending();
  pending.add([{ what: "row", ...place }, { what: "window" }, { what: "row", ...place }]);
  assert.equal(pending.window, true);
  assert.deepEqual(pending.outermostFirst(), []);
});

test("outer transcripts come before inner ones", () => {
  const pending = new Pending();
  pending.add([{ what: "row", ...place, path: ["a", "b"] }, { what: "row", ...place }, { what: "row", ...place, path: ["a"] }]);
  assert.deepEqual(pending.outermostFirst().map((thread) => thread.path.length), [0, 1, 2]);
});
