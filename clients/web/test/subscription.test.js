import assert from "node:assert/strict";
import { test } from "node:test";

import { Subscription } from "../src/subscription.js";
import { delta, row, snapshot, turn } from "./frames.js";

/** @param {Subscription} subscription @param {string} type @param {object} [fields] @returns {any} */
function frame(subscription, type, fields = {}) {
  return { type, sub: subscription.sub, view_rev: 1, ...fields };
}

/** @param {Subscription} subscription @param {object[]} turns */
function start(subscription, turns) {
  subscription.subscribe();
  subscription.receive(frame(subscription, "snapshot", { ...snapshot(turns), part: 0, last: true }));
}

test("the first subscribing names no position, and the next one resumes by position", () => {
  const subscription = new Subscription("s", "en");
  const first = /** @type {any} */ (subscription.subscribe());
  assert.equal(first.position, undefined);
  subscription.receive(frame(subscription, "snapshot", { ...snapshot([turn([], { turn: 3 })]), part: 0, last: true }));
  const again = /** @type {any} */ (subscription.subscribe());
  assert.deepEqual(again.position, { epoch: "e", version: 1 });
  assert.equal(again.from_turn, 3);
  assert.notEqual(again.sub, first.sub);
});

test("a snapshot of several parts is applied with the last", () => {
  const subscription = new Subscription("s", "en");
  subscription.subscribe();
  const part = (/** @type {number} */ at, /** @type {boolean} */ last) =>
    frame(subscription, "snapshot", { ...snapshot([turn([row(`r${at}`)], { turn: at })]), part: at, last });
  assert.deepEqual(subscription.receive(part(0, false)), { patches: [], send: [] });
  assert.equal(subscription.transcript.position, null);
  subscription.receive(part(1, true));
  assert.deepEqual([...subscription.transcript.root.turns.keys()], [0, 1]);
  assert.equal(subscription.phase, "live");
});

test("an unknown op is answered by subscribing again without a position", () => {
  const subscription = new Subscription("s", "en");
  start(subscription, [turn([row("a")])]);
  const old = subscription.sub;
  const answer = subscription.receive(frame(subscription, "delta", delta([{ op: "fly" }])));
  const [stop, again] = /** @type {any[]} */ (answer?.send);
  assert.deepEqual(stop, { type: "unsubscribe", sub: old });
  assert.equal(again.type, "subscribe");
  assert.equal(again.position, undefined);
  assert.equal(subscription.transcript.root.turns.size, 1, "what was shown stays until the snapshot is in");
});

test("a gap is answered by subscribing again", () => {
  const subscription = new Subscription("s", "en");
  start(subscription, [turn([])]);
  const answer = subscription.receive(frame(subscription, "delta", delta([], { from: 5, to: 6 })));
  assert.equal(answer?.send.length, 2);
});

test("frames of another subscription or an older view are void", () => {
  const subscription = new Subscription("s", "en");
  start(subscription, [turn([])]);
  subscription.receive(frame(subscription, "caught_up", { view_rev: 2 }));
  assert.equal(subscription.receive(frame(subscription, "delta", delta([]))), null);
  assert.equal(subscription.receive({ ...frame(subscription, "delta", delta([])), sub: "other" }), null);
});

test("a deleted session, one that is refused, and one that may come back are told apart", () => {
  for (const [code, retry, phase] of /** @type {const} */ ([
    ["gone", false, "gone"],
    ["forbidden", false, "refused"],
    ["unavailable", true, "retrying"],
  ])) {
    const subscription = new Subscription("s", "en");
    subscription.subscribe();
    subscription.receive(frame(subscription, "error", { code, retry, message: "why" }));
    assert.equal(subscription.phase, phase);
  }
});

test("earlier turns are asked for once at a time, and never when there are none", () => {
  const subscription = new Subscription("s", "en");
  start(subscription, [turn([], { turn: 2 })]);
  assert.equal(subscription.loadEarlier(), null);
  subscription.transcript.historyComplete = false;
  assert.equal(/** @type {any} */ (subscription.loadEarlier()).type, "load_earlier");
  assert.equal(subscription.loadEarlier(), null);
  subscription.receive(frame(subscription, "earlier", snapshot([turn([])])));
  assert.deepEqual([...subscription.transcript.root.turns.keys()], [1, 2]);
});

test("an older turn that comes in parts is put in with the last, its facts from the first", () => {
  const subscription = new Subscription("s", "en");
  start(subscription, [turn([], { turn: 2 })]);
  subscription.transcript.historyComplete = false;
  subscription.loadEarlier();
  const part = (/** @type {number} */ at, /** @type {object} */ facts) =>
    frame(subscription, "earlier", { ...snapshot([turn([row(`r${at}`)], facts)]), part: at, last: at === 1 });
  subscription.receive(part(0, { presentation: { label: "held" } }));
  assert.deepEqual([...subscription.transcript.root.turns.keys()], [2]);
  assert.equal(subscription.loadingEarlier, true);
  subscription.receive(part(1, { presentation: null }));
  const [first] = subscription.transcript.toValue().turns;
  assert.deepEqual(first.rows.map((one) => one.key), ["r0", "r1"]);
  assert.deepEqual(first.presentation, { label: "held" });
  assert.equal(subscription.loadingEarlier, false);
});
