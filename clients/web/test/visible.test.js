import assert from "node:assert/strict";
import { test } from "node:test";

import { visible } from "../src/visible.js";

test("what a reader cannot see becomes a sign", () => {
  assert.equal(visible("a\u0000b\u001b[31m\u007f\u0085"), "a\u2400b\u241b[31m\u2421\u2426");
  assert.equal(visible("user\u202e\u2066 // admin\u2069"), "user⟨RLO⟩⟨LRI⟩ // admin⟨PDI⟩");
});

test("lines, tabs and every script stay as they are", () => {
  const text = "a\tb\r\nשלום مرحبا 中文 👩‍👩‍👧 e\u0301\u200f";
  assert.equal(visible(text), text);
});

test("parts of a text show what the whole shows", () => {
  const text = "\u0001x\u202e\u0002";
  assert.equal([...text].map(visible).join(""), visible(text));
});
