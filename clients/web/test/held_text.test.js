import assert from "node:assert/strict";
import { test } from "node:test";

import { isHeldWhole } from "../src/held_text.js";

const head = { type: "reasoning", text: "caf", bytes: 10, truncated: true };

test("a text whose head is told stays if all of it is there", () => {
  assert.equal(isHeldWhole("caf\u00e9 noir", head), true);
});

test("a text that is another one, or not whole, gives way", () => {
  assert.equal(isHeldWhole("caf\u00e9 noi", head), false);
  assert.equal(isHeldWhole("the\u00e9 noir", head), false);
  assert.equal(isHeldWhole("caf", { ...head, bytes: 3 }), false);
  assert.equal(isHeldWhole("caf\u00e9 noir", { type: "reasoning", text: "caf" }), false);
});
