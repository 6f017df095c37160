import assert from "node:assert/strict";
import test from "node:test";
import { isYesOrNo, optionsOf } from "../src/interaction_options.js";
import { viewQuery } from "../src/session_calls.js";
import { commandOf } from "../src/shortcuts.js";
import { wordsOf } from "../src/word_marks.js";

test("options are read in the forms that producers send", () => {
  const option = (outcome, label = outcome, note = "") => ({ outcome, label, note });
  assert.deepEqual(optionsOf({ options: ["a", "b"] }), [option("a"), option("b")]);
  assert.deepEqual(optionsOf({ options: [{ id: "x", label: "The x", description: "why" }] }), [option("x", "The x", "why")]);
  assert.deepEqual(optionsOf({ options: [{ optionId: "once", name: "Allow once", kind: "allow_once" }] }), [option("once", "Allow once")]);
  assert.deepEqual(optionsOf({ questions: [{ question: "?", options: [{ label: "Yes" }] }] }), [option("Yes")]);
});

test("what is no option, or no list of them, is none", () => {
  for (const payload of [null, undefined, 5, "x", [], { options: "a" }, { options: [null, 5, {}, [], { id: 7 }, "x".repeat(300)] }, { questions: [{}, {}] }]) {
    assert.deepEqual(optionsOf(payload), [], JSON.stringify(payload));
  }
  assert.equal(optionsOf({ options: Array.from({ length: 500 }, (_, at) => `o${at}`) }).length, 24);
  assert.deepEqual(["permission", "plan", "question", undefined].map(isYesOrNo), [true, true, false, false]);
});

test("a view is asked for with what it says of itself", () => {
  assert.deepEqual(viewQuery({ kind: "web", mode: "compact", locale: "en" }), { view: "web", mode: "compact", locale: "en" });
  assert.deepEqual(viewQuery({ kind: "desktop", thinking: false, mode: undefined }), { view: "desktop", thinking: "false" });
});

test("a key is a command only where nobody types and no other key is held", () => {
  const press = (key, more = {}) => commandOf({ key, altKey: false, ctrlKey: false, metaKey: false, isTyping: false, ...more });
  assert.deepEqual([press("/"), press("?"), press("x")], ["find", "help", null]);
  assert.deepEqual([press("/", { isTyping: true }), press("?", { ctrlKey: true }), press("/", { metaKey: true })], [null, null, null]);
  assert.deepEqual([press("ArrowDown", { altKey: true }), press("ArrowUp", { altKey: true }), press("/", { altKey: true })], ["next_turn", "previous_turn", null]);
  assert.equal(press("ArrowUp", { altKey: true, isTyping: true }), "previous_turn");
});

test("the words of a query, the longest first", () => {
  assert.deepEqual(wordsOf('a "two words" bcd'), ["two words", "bcd", "a"]);
  assert.deepEqual(wordsOf('  "" '), []);
});
