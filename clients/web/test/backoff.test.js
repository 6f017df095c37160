import assert from "node:assert/strict";
import { test } from "node:test";

import { BASE_MS, CAP_MS, backoffMs } from "../src/backoff.js";

test("the wait is anything from nothing to a bound that doubles and is capped", () => {
  const almost = () => 0.999999;
  assert.equal(backoffMs(0, () => 0), 0);
  assert.equal(backoffMs(0, almost), BASE_MS - 1);
  assert.equal(backoffMs(1, almost), 2 * BASE_MS - 1);
  assert.equal(backoffMs(1_000, almost), CAP_MS - 1);
});
