/** What can be answered, by the vectors that the terminal client runs too (E-16). */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { optionsOf } from "../src/interaction_options.js";

const vectors = JSON.parse(readFileSync(new URL("../../../tests/vectors/answers/options.json", import.meta.url), "utf8"));

test("there are vectors", () => assert.ok(vectors.cases.length > 10));

for (const { says, payload, options } of vectors.cases) {
  test(says, () => {
    assert.deepEqual(optionsOf(payload).map(({ outcome, label, note }) => [outcome, label, note]), options);
  });
}

test("an outcome has 256 characters at most, and a list 24 options", () => {
  assert.deepEqual(optionsOf({ options: ["a".repeat(257), "b".repeat(256)] }).map(({ outcome }) => outcome.length), [256]);
  assert.equal(optionsOf({ options: Array.from({ length: 500 }, (_, at) => `o${at}`) }).length, 24);
});
