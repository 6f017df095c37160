import assert from "node:assert/strict";
import test from "node:test";
import { readAddress, writeAddress } from "../src/address.js";

test("an address leads back to what it was written for", () => {
  const targets = [
    null,
    { turn: 0 },
    { turn: 12 },
    { key: "tool:a/b c#1?%", in: [] },
    { key: "step:1:2", in: ["call/1", "ü", "turn"] },
  ];
  for (const target of targets) {
    const hash = writeAddress("claude:a@b", target);
    assert.deepEqual(readAddress(hash), { session: "claude:a@b", target });
    assert.match(hash, /^#[^\s#?]+$/);
  }
});

test("the form that people see and type", () => {
  assert.equal(writeAddress("s1", { turn: 3 }), "#s1/turn/3");
  assert.equal(writeAddress("s1", { key: "tool:c1", in: ["c0"] }), "#s1/call/c0/row/tool%3Ac1");
  assert.deepEqual(readAddress("#s1/row/tool:c1"), { session: "s1", target: { key: "tool:c1", in: [] } });
});

test("what is damaged or unknown leads to the session, or nowhere", () => {
  for (const hash of ["", "#", "#%", "#/turn/1"]) assert.deepEqual(readAddress(hash), { session: "", target: null });
  for (const rest of ["turn", "turn/", "turn/x", "turn/-1", "turn/1/2", "call/c", "call/c/turn/1", "row", "other/1", "row/a/b"]) {
    assert.deepEqual(readAddress(`#s1/${rest}`), { session: "s1", target: null }, rest);
  }
});
