import assert from "node:assert/strict";
import { mock, test } from "node:test";

import { ServiceClient } from "../src/service_client.js";
import { TranscriptFollower } from "../src/transcript_follower.js";
import { network, settled } from "./fake_socket.js";
import { delta, row, snapshot, turn } from "./frames.js";

/** @param {(net: ReturnType<typeof network>, follower: TranscriptFollower) => Promise<void>} body */
function timed(body) {
  return async () => {
    mock.timers.enable({ apis: ["setTimeout", "setInterval", "Date"] });
    const net = network();
    const service = new ServiceClient("http://service.test/", { WebSocket: net.WebSocket });
    try {
      await body(net, new TranscriptFollower(service, "s", { locale: "zh-CN" }));
    } finally {
      service.close();
      mock.timers.reset();
    }
  };
}

/** @param {ReturnType<typeof network>} net */
async function connected(net) {
  mock.timers.tick(0);
  await settled();
  net.last().welcome();
}

/** @param {ReturnType<typeof network>} net @param {string} type @param {object} fields */
function say(net, type, fields) {
  const asked = net.last().sentOf("subscribe");
  net.last().say({ type, sub: asked[asked.length - 1].sub, view_rev: 1, ...fields });
}

const held = () => ({ ...snapshot([turn([row("a")])]), part: 0, last: true });

test("it follows while somebody listens, and no sooner", timed(async (net, follower) => {
  const empty = follower.getSnapshot();
  assert.equal(empty.position, null);
  assert.equal(follower.getSnapshot(), empty);
  mock.timers.tick(60_000);
  await settled();
  assert.equal(net.sockets.length, 0);
  const told = [0];
  const end = follower.subscribe(() => told.push(told.length));
  await connected(net);
  const [asked] = net.last().sentOf("subscribe");
  assert.equal(asked.session, "s");
  assert.equal(asked.view.locale, "zh-CN");
  say(net, "snapshot", held());
  const first = follower.getSnapshot();
  assert.equal(first.phase, "live");
  assert.equal(first.turns[0].rows[0].key, "a");
  assert.equal(follower.getSnapshot(), first, "stable");
  const before = told.length;
  say(net, "delta", delta([]));
  assert.equal(told.length, before + 1, "the position moved");
  assert.equal(follower.getSnapshot().turns, first.turns);
  end();
  end();
  assert.equal(net.last().sentOf("unsubscribe").length, 1);
}));

test("the turns carry the presentation that is asked for", timed(async (net, follower) => {
  const desktop = new TranscriptFollower(follower.service, "s", { view: "desktop" });
  desktop.subscribe(() => undefined);
  await connected(net);
  assert.deepEqual(net.last().sentOf("subscribe").map((one) => one.view), [{ kind: "desktop", locale: "en" }]);
}));

test("two listeners are one subscription, and a listener twice is two", timed(async (net, follower) => {
  const listener = () => undefined;
  const ends = [follower.subscribe(listener), follower.subscribe(listener)];
  await connected(net);
  assert.equal(net.last().sentOf("subscribe").length, 1);
  ends[0]();
  assert.equal(net.last().sentOf("unsubscribe").length, 0);
  ends[1]();
  assert.equal(net.last().sentOf("unsubscribe").length, 1);
}));

test("who listens again resumes by position, with what is held in sight", timed(async (net, follower) => {
  const end = follower.subscribe(() => undefined);
  await connected(net);
  say(net, "snapshot", held());
  const shown = follower.getSnapshot();
  end();
  follower.subscribe(() => undefined);
  const asked = net.last().sentOf("subscribe");
  assert.equal(asked.length, 2);
  assert.deepEqual(asked[1].position, { epoch: "e", version: 1 });
  assert.equal(follower.getSnapshot().turns, shown.turns);
}));

test("a lost connection shows beside what is held, and changes nothing of it", timed(async (net, follower) => {
  follower.subscribe(() => undefined);
  await connected(net);
  say(net, "snapshot", held());
  const shown = follower.getSnapshot();
  net.last().end(1006);
  const lost = follower.getSnapshot();
  assert.equal(lost.link.name, "waiting");
  assert.equal(lost.turns, shown.turns);
}));

test("a session that cannot be shown just now is asked for again; one that is gone is not", timed(async (net, follower) => {
  follower.subscribe(() => undefined);
  await connected(net);
  say(net, "error", { code: "unavailable", retry: true, message: "later" });
  assert.equal(follower.getSnapshot().phase, "retrying");
  mock.timers.tick(3_000);
  assert.equal(net.last().sentOf("subscribe").length, 2);
  say(net, "error", { code: "gone", retry: false, message: "deleted" });
  mock.timers.tick(60_000);
  assert.equal(follower.getSnapshot().phase, "gone");
  assert.equal(net.last().sentOf("subscribe").length, 2);
}));

test("earlier turns are asked for once, and said to be on their way", timed(async (net, follower) => {
  follower.subscribe(() => undefined);
  await connected(net);
  say(net, "snapshot", { ...held(), history_complete: false });
  const { loadEarlier } = follower.getSnapshot();
  assert.equal(loadEarlier(), true);
  assert.equal(loadEarlier(), false);
  assert.equal(follower.getSnapshot().loading_earlier, true);
  say(net, "earlier", snapshot([turn([row("o")], { turn: 0 })]));
  assert.deepEqual(follower.getSnapshot().turns.map((one) => one.turn), [0, 1]);
  assert.equal(follower.getSnapshot().loading_earlier, false);
}));
