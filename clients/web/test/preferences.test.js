/** The reader's preferences as the page holds them: B-1, C-4. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { DEFAULTS, PreferenceKeeper, offered, preferencesOf } from "../src/preferences.js";

/** A keeper whose saves are answered by hand. */
function keeper() {
  const saves = [];
  const heard = [];
  const made = new PreferenceKeeper(
    (change) => new Promise((answer, fail) => saves.push({ change, answer, fail })),
    (failed) => heard.push(failed),
  );
  return { keeper: made, saves, heard };
}

test("what is missing or not valid reads as its default", () => {
  const raw = { transcript_view: "wide", show_thinking: "no", transcript_display_mode: "flat", language: 7, colour: "red" };
  assert.deepEqual(preferencesOf(raw), { ...DEFAULTS, transcript_display_mode: "flat" });
  for (const damaged of [null, undefined, 3, "compact", []]) assert.deepEqual(preferencesOf(damaged), DEFAULTS);
  assert.deepEqual(preferencesOf(Object.create({ show_thinking: false })), DEFAULTS);
});

test("a change shows before it is answered", async () => {
  const { keeper: one, saves, heard } = keeper();
  const done = one.change({ transcript_view: "normal" });
  assert.equal(one.held.transcript_view, "normal");
  assert.deepEqual(saves[0].change, { transcript_view: "normal" });
  saves[0].answer({ ...DEFAULTS, transcript_view: "normal" });
  await done;
  assert.deepEqual(heard, [false]);
});

test("a change that cannot be saved is taken back, and that is told", async () => {
  const { keeper: one, saves, heard } = keeper();
  const done = one.change({ show_thinking: false });
  saves[0].fail(new Error("away"));
  await done;
  assert.equal(one.held.show_thinking, true);
  assert.deepEqual(heard, [false, true]);
});

test("a frame of the service never undoes a change that is on its way", async () => {
  const { keeper: one, saves } = keeper();
  const done = one.change({ show_thinking: false });
  one.receive({ ...DEFAULTS, transcript_view: "normal" });
  assert.deepEqual(one.held, { ...DEFAULTS, transcript_view: "normal", show_thinking: false });
  saves[0].answer({ ...DEFAULTS, transcript_view: "normal", show_thinking: false });
  await done;
  one.receive(DEFAULTS);
  assert.deepEqual(one.held, DEFAULTS);
});

test("of two changes of one field the newer one shows, whichever is answered first", async () => {
  const { keeper: one, saves } = keeper();
  const first = one.change({ transcript_display_mode: "flat" });
  const second = one.change({ transcript_display_mode: "command-first" });
  saves[0].answer({ ...DEFAULTS, transcript_display_mode: "flat" });
  await first;
  assert.equal(one.held.transcript_display_mode, "command-first");
  saves[1].answer({ ...DEFAULTS, transcript_display_mode: "command-first" });
  await second;
  assert.equal(one.held.transcript_display_mode, "command-first");
});

test("an older answer that comes last takes nothing back", async () => {
  const { keeper: one, saves, heard } = keeper();
  const first = one.change({ show_thinking: false });
  const second = one.change({ transcript_display_mode: "flat" });
  const third = one.change({ transcript_display_mode: "command-first" });
  saves[2].answer({ ...DEFAULTS, show_thinking: false, transcript_display_mode: "command-first" });
  await third;
  assert.equal(one.held.transcript_display_mode, "command-first");
  saves[0].answer({ ...DEFAULTS, show_thinking: false });
  saves[1].answer({ ...DEFAULTS, show_thinking: false, transcript_display_mode: "flat" });
  await Promise.all([first, second]);
  assert.deepEqual(one.held, { ...DEFAULTS, show_thinking: false, transcript_display_mode: "command-first" });
  assert.deepEqual(heard, [false, false, false]);
});

test("the answer before a change that failed counts", async () => {
  const { keeper: one, saves } = keeper();
  const first = one.change({ show_thinking: false });
  const second = one.change({ transcript_display_mode: "flat" });
  saves[1].fail(new Error("away"));
  await second;
  saves[0].answer({ ...DEFAULTS, show_thinking: false });
  await first;
  assert.deepEqual(one.held, { ...DEFAULTS, show_thinking: false });
});

test("equal preferences are kept as they are and told to nobody", () => {
  const { keeper: one, heard } = keeper();
  const { held } = one;
  one.receive({ ...DEFAULTS });
  assert.equal(one.held, held);
  assert.equal(one.known, true);
  assert.deepEqual(heard, []);
});

test("a switch is offered only while its setting leaves it an effect", () => {
  assert.deepEqual(offered(DEFAULTS), { auto_collapse_thinking: true, auto_collapse_settled_groups: true });
  assert.deepEqual(offered({ ...DEFAULTS, show_thinking: false, transcript_display_mode: "flat" }), {
    auto_collapse_thinking: false,
    auto_collapse_settled_groups: false,
  });
});
