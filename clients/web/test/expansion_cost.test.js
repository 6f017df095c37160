/** What the desktop reducers look at when one entry of a turn changed. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { desktopShown } from "../src/expansion/desktop.js";
import { reduce } from "../src/expansion/reducer.js";
import { NOTHING_CHOSEN, paneOf } from "../src/expansion/state.js";

/** An entry of one group, and how often its disclosure was looked at. @param {string} id @param {boolean} open */
function watched(id, open) {
  const items = [{ ref: `tool:${id}1`, default_open: false }, { ref: `tool:${id}2`, default_open: false }];
  const entry = { id, answer: [], outside: [], boundary: null, disclosure: { default_open: open, items: [{ group: `tool:${id}1`, default_open: open, items }] } };
  const looks = { count: 0 };
  const seen = new Proxy(entry, {
    get: (target, name) => {
      if (name === "disclosure") looks.count += 1;
      return Reflect.get(target, name);
    },
  });
  return { entry: seen, looks };
}

/** @param {...object} entries @returns {any} */
function turnOf(...entries) {
  return { presentation: { entries } };
}

/** @param {any} turn @param {any[]} attention @returns {any} */
function settle(turn, attention) {
  return { type: "desktop/settle", session: "s", turn, attention };
}

test("an entry that a delta left alone is not looked at again", () => {
  const steady = watched("a", true);
  const attention = [{ kind: "item", id: "tool:a1" }, { kind: "item", id: "tool:b1" }];
  const first = reduce(NOTHING_CHOSEN, settle(turnOf(steady.entry, watched("b", true).entry), attention));
  assert.ok(steady.looks.count > 0);
  steady.looks.count = 0;
  const changed = turnOf(steady.entry, watched("b", false).entry);
  const after = reduce(first, settle(changed, attention));
  assert.deepEqual(desktopShown(paneOf(after, "s"), changed).hidden, []);
  assert.notEqual(after, first, "the group of the changed entry was held open");
  assert.equal(steady.looks.count, 0);
});

test("a group that a delta left alone is not looked at again in an entry that changed", () => {
  const looks = { count: 0 };
  const group = { group: "tool:a1", default_open: false, items: [{ ref: "tool:a1", default_open: false }, { ref: "tool:a2", default_open: false }] };
  const steady = new Proxy(group, {
    get: (target, name) => {
      if (name === "items") looks.count += 1;
      return Reflect.get(target, name);
    },
  });
  /** @param {object[]} items @returns {any} */
  const turnWith = (items) => turnOf({ id: "a", answer: [], outside: [], boundary: null, disclosure: { default_open: true, items } });
  const attention = [{ kind: "item", id: "tool:a1" }];
  const first = reduce(NOTHING_CHOSEN, settle(turnWith([steady]), attention));
  assert.equal(looks.count, 1);
  const grown = turnWith([steady, { ref: "tool:b", default_open: false }]);
  assert.equal(reduce(first, settle(grown, attention)), first);
  assert.equal(desktopShown(paneOf(first, "s"), grown).open.length, 2);
  assert.equal(looks.count, 1);
});

test("a settle looks at no entry while nothing of the transcript is in use", () => {
  const one = watched("a", false);
  assert.equal(reduce(NOTHING_CHOSEN, settle(turnOf(one.entry), [])), NOTHING_CHOSEN);
  assert.equal(one.looks.count, 0);
});

test("a value that stands in two transcripts has levels of its own in each", () => {
  const { entry } = watched("a", false);
  const own = turnOf(entry);
  const inner = { ...turnOf(entry), path: ["call"] };
  assert.deepEqual(desktopShown(paneOf(NOTHING_CHOSEN, "s"), own).hidden.map((at) => at.path), [[], [], []]);
  assert.deepEqual(desktopShown(paneOf(NOTHING_CHOSEN, "s"), inner).hidden.map((at) => at.path), [["call"], ["call"], ["call"]]);
});
