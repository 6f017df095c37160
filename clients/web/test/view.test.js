import assert from "node:assert/strict";
import { test } from "node:test";

import { ALL_SHOWN, hidesFocus, viewOf } from "../src/view.js";
import { presentation } from "./frames.js";

const closed = { status: "closed", presentation: presentation() };

/** @param {object} [fields] @returns {any} */
function reader(fields = {}) {
  return { mode: "compact", historyComplete: true, isOpen: () => false, ...fields };
}

test("a closed turn with an answer hides its process behind the control", () => {
  const view = viewOf(closed, reader());
  assert.equal(view.control, true);
  assert.deepEqual([...view.hidden], ["step:1:1", "tool:c"]);
  assert.equal(view.hidden.has("step:1:2"), false, "the answer is never hidden");
  assert.equal(view.reasoningHidden, true);
  assert.equal(view.compactAnswer, true);
});

test("an opened group shows all, and its members stay members", () => {
  const view = viewOf(closed, reader({ isOpen: (/** @type {string} */ name) => name === "1|2" }));
  assert.equal(view.open, true);
  assert.equal(view.hidden.size, 0);
  assert.equal(view.reasoningHidden, false);
  assert.equal(view.compactAnswer, false, "opening restores the ordinary gap");
  assert.deepEqual(view.members, ["step:1:1", "tool:c"]);
});

for (const [why, turn, fields] of /** @type {[string, any, object][]} */ ([
  ["the turn is open", { ...closed, status: "open" }, {}],
  ["older history can still be loaded", closed, { historyComplete: false }],
  ["the mode is normal", closed, { mode: "normal" }],
  ["there is no answer", { status: "closed", presentation: presentation({ answer: null }) }, {}],
  ["there is nothing to fold", { status: "closed", presentation: presentation({ foldable: false }) }, {}],
  ["there is no presentation", { status: "closed", presentation: null }, {}],
])) {
  test(`all rows show and no control while ${why}`, () => {
    assert.equal(viewOf(turn, reader(fields)), ALL_SHOWN);
  });
}

test("the focus guard sees a focus in a member and in the answer's reasoning, and nowhere else", () => {
  const view = viewOf(closed, reader());
  assert.equal(hidesFocus(view, { key: "tool:c", inReasoning: false }), true);
  assert.equal(hidesFocus(view, { key: "step:1:2", inReasoning: true }), true);
  assert.equal(hidesFocus(view, { key: "step:1:2", inReasoning: false }), false);
  assert.equal(hidesFocus(view, { key: "user:1", inReasoning: false }), false);
  assert.equal(hidesFocus(view, null), false);
});
