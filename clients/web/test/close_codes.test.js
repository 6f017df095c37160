import assert from "node:assert/strict";
import { test } from "node:test";

import { CLOSES, UNAUTHENTICATED, mayReconnect } from "../src/close_codes.js";

test("close codes from 4500 to 4999 are final, and no others", () => {
  for (const code of [1000, 1006, 1012, 4000, 4499, 5000]) assert.equal(mayReconnect(code), true, String(code));
  for (const code of [4500, 4999]) assert.equal(mayReconnect(code), false, String(code));
});

test("a refused token is final, and in the table", () => {
  assert.ok(CLOSES[UNAUTHENTICATED]);
  assert.equal(mayReconnect(UNAUTHENTICATED), false);
});
