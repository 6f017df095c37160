import assert from "node:assert/strict";
import { test } from "node:test";

import { ROWS_PER_FRAME, Slices } from "../src/slices.js";

/** @param {number} count @param {number[]} finished */
function rows(count, finished) {
  return Array.from({ length: count }, (_, at) => ({ finish: () => finished.push(at) }));
}

test("what fits into a frame is drawn in it", () => {
  const slices = new Slices();
  slices.begin(true);
  assert.ok(rows(ROWS_PER_FRAME, []).every((row) => !slices.defers(row)));
  assert.equal(slices.empty, true);
});

test("the rest follows, the newest first, each once", () => {
  const slices = new Slices();
  /** @type {number[]} */
  const finished = [];
  slices.begin(true);
  const all = rows(3 * ROWS_PER_FRAME, finished);
  const deferred = all.filter((row) => slices.defers(row));
  assert.equal(deferred.length, 2 * ROWS_PER_FRAME);
  slices.begin(true);
  slices.next();
  assert.equal(finished.length, ROWS_PER_FRAME);
  assert.equal(finished[0], 3 * ROWS_PER_FRAME - 1);
  slices.begin(true);
  slices.next();
  assert.equal(slices.empty, true);
  assert.deepEqual(finished.toSorted((a, b) => b - a), finished);
  assert.equal(new Set(finished).size, 2 * ROWS_PER_FRAME);
});

test("a reader who left the tail gets all of them at once", () => {
  const slices = new Slices();
  /** @type {number[]} */
  const finished = [];
  slices.begin(true);
  const all = rows(5 * ROWS_PER_FRAME, finished);
  for (const row of all) slices.defers(row);
  slices.begin(false);
  assert.equal(slices.defers(all[0]), false);
  slices.next();
  assert.equal(slices.empty, true);
  assert.equal(finished.length, 4 * ROWS_PER_FRAME);
});
