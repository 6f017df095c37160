/** What was typed and not sent is kept by its place, and nothing else. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { Drafts } from "../src/drafts.js";

test("a draft belongs to one interaction of one session, inside its delegate", () => {
  const drafts = new Drafts();
  drafts.of("a").set("i1", [], "outside");
  drafts.of("a").set("i1", ["c1"], "inside");
  assert.equal(drafts.of("a").get("i1", []), "outside");
  assert.equal(drafts.of("a").get("i1", ["c1"]), "inside");
  assert.equal(drafts.of("a").get("c1", ["i1"]), "");
  assert.equal(drafts.of("b").get("i1", []), "");
});

test("an empty text ends it, and a session that is forgotten takes all of its own along", () => {
  const drafts = new Drafts();
  drafts.of("a").set("i1", [], "words");
  drafts.of("a").set("i2", [], "more");
  drafts.of("b").set("i1", [], "others");
  drafts.of("a").set("i1", [], "");
  assert.equal(drafts.of("a").get("i1", []), "");
  assert.equal(drafts.of("a").get("i2", []), "more");
  drafts.forget("a");
  assert.equal(drafts.of("a").get("i2", []), "");
  assert.equal(drafts.of("b").get("i1", []), "others");
});
