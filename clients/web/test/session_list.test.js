import assert from "node:assert/strict";
import { test } from "node:test";

import { SessionList, stateOf } from "../src/session_list.js";
import { wordsFor } from "../src/words.js";

test("sessions stand newest first, and a change moves one to the top", () => {
  const list = new SessionList();
  list.receive({ whole: true, sessions: [{ session: "a", updated_at_ms: 1 }, { session: "b", updated_at_ms: 2 }] });
  assert.deepEqual(list.newestFirst().map((one) => one.session), ["b", "a"]);
  list.receive({ whole: false, sessions: [{ session: "a", updated_at_ms: 3 }] });
  assert.deepEqual(list.newestFirst().map((one) => one.session), ["a", "b"]);
});

test("a session that is gone leaves the list and is named, by a change and by another whole list", () => {
  const list = new SessionList();
  list.receive({ whole: true, sessions: [{ session: "a" }, { session: "b" }, { session: "c" }] });
  assert.deepEqual(list.receive({ whole: false, gone: ["b", "never there"] }), ["b"]);
  assert.deepEqual([...list.summaries.keys()], ["a", "c"]);
  assert.deepEqual(list.receive({ whole: true, sessions: [{ session: "a" }] }), ["c"]);
});

test("what waits for the reader outranks what runs", () => {
  const open = { turn: 1, status: "open", outcome: null };
  assert.equal(stateOf({ session: "a", turn: open, waiting: 1 }), "waiting");
  assert.equal(stateOf({ session: "a", turn: open, waiting: 0 }), "running");
  assert.equal(stateOf({ session: "a", turn: { turn: 1, status: "closed", outcome: "failed" } }), "failed");
  assert.equal(stateOf({ session: "a", turn: { turn: 1, status: "closed", outcome: "aborted" } }), "stopped");
  assert.equal(stateOf({ session: "a", turn: null }), "empty");
});

test("the page speaks the reader's language, and English where it knows none", () => {
  assert.equal(wordsFor(["zh-Hans-CN"]).sessions, "会话");
  assert.equal(wordsFor(["fr"]).sessions, "Sessions");
  assert.equal(wordsFor([]).duration(125_000), "2 min 5 sec");
  assert.equal(wordsFor(["en"]).named("constructor", "as it came"), "as it came");
});
