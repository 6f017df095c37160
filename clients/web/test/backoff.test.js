import assert from "node:assert/strict";
import { test } from "node:test";

import { BASE_MS, CAP_MS, backoffMs, mayReconnect } from "../src/backoff.js";

test("the wait is anything from nothing to a bound that doubles and is capped", () => {
  const almost = () => 0.999999;
  assert.equal(backoffMs(0, () => 0), 0);
  assert.equal(backoffMs(0, almost), BASE_MS - 1);
  assert.equal(backoffMs(1, almost), 2 * BASE_MS - 1);
  assert.equal(backoffMs(1_000, almost), CAP_MS - 1);
});

test("close codes from 4500 to 4999 are final, and no others", () => {
  for (const code of [1000, 1006, 1012, 4000, 4499, 5000]) assert.equal(mayReconnect(code), true, String(code));
  for (const code of [4500, 4999]) assert.equal(mayReconnect(code), false, String(code));
});
