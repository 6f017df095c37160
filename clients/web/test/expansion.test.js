import assert from "node:assert/strict";
import { test } from "node:test";

import { isOpen, nothingOpened, reduce } from "../src/expansion.js";

/** @param {"open" | "close" | "toggle"} type @param {string} generation @param {object} [fields] @returns {any} */
function action(type, generation, fields = {}) {
  return { type, session: "s", turn: "1", generation, ...fields };
}

test("without an entry a group is closed", () => {
  assert.equal(isOpen(nothingOpened, "s", "1", "1|2"), false);
});

test("a toggle opens and closes, and closing deletes the entry", () => {
  const open = reduce(nothingOpened, action("toggle", "1|2"));
  assert.equal(isOpen(open, "s", "1", "1|2"), true);
  assert.deepEqual(reduce(open, action("toggle", "1|2")), nothingOpened);
});

test("another generation starts closed, and the old one is open again when it comes back", () => {
  const open = reduce(nothingOpened, action("open", "1|2"));
  assert.equal(isOpen(open, "s", "1", "1|3"), false);
  assert.equal(isOpen(open, "s", "1", "1|2"), true);
});

test("a turn has one entry: opening a newer generation forgets the older", () => {
  const state = reduce(reduce(nothingOpened, action("open", "1|2")), action("open", "1|3"));
  assert.equal(isOpen(state, "s", "1", "1|2"), false);
  assert.equal(isOpen(state, "s", "1", "1|3"), true);
});

test("turns and sessions are independent", () => {
  const state = reduce(nothingOpened, action("open", "1|2"));
  assert.equal(isOpen(state, "s", "2", "1|2"), false);
  assert.equal(isOpen(state, "other", "1", "1|2"), false);
});

test("eviction frees one session", () => {
  const one = reduce(nothingOpened, action("open", "1|2"));
  const both = reduce(one, action("open", "1|2", { session: "other" }));
  assert.deepEqual(reduce(both, { type: "evict", session: "other" }), one);
});

test("an action that changes nothing returns the same state", () => {
  const open = reduce(nothingOpened, action("open", "1|2"));
  assert.equal(reduce(open, action("open", "1|2")), open);
  assert.equal(reduce(open, action("close", "1|3")), open);
  assert.equal(reduce(open, { type: "evict", session: "other" }), open);
});

test("a session may have the name of anything that objects have", () => {
  for (const session of ["__proto__", "constructor", "toString"]) {
    assert.equal(isOpen(nothingOpened, session, "1", "1|2"), false);
    const open = reduce(nothingOpened, action("open", "1|2", { session }));
    assert.equal(isOpen(open, session, "1", "1|2"), true);
  }
});
