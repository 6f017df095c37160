import assert from "node:assert/strict";
import { mock, test } from "node:test";

import { ServiceClient, sharedService } from "../src/service_client.js";
import { network, settled } from "./fake_socket.js";
import { presentation } from "./frames.js";

/** @param {(net: ReturnType<typeof network>, service: ServiceClient) => Promise<void>} body */
function timed(body) {
  return async () => {
    mock.timers.enable({ apis: ["setTimeout", "setInterval", "Date"] });
    const net = network();
    const service = new ServiceClient("http://service.test/below", { WebSocket: net.WebSocket });
    try {
      await body(net, service);
    } finally {
      service.close();
      mock.timers.reset();
    }
  };
}

async function nextTask() {
  mock.timers.tick(0);
  await settled();
}

test("addresses are below the service's, with a slash or without", timed(async (_net, service) => {
  assert.equal(service.urlOf("v1/sessions"), "http://service.test/below/v1/sessions");
  assert.equal(service.connection.url, "ws://service.test/below/v1/ws");
  assert.equal(new ServiceClient("https://service.test").connection.url, "wss://service.test/v1/ws");
}));

test("who joins in one task shares one connection", timed(async (net, service) => {
  const told = [""];
  service.join({ opened: () => told.push("a") });
  service.join({ opened: () => told.push("b") });
  assert.equal(net.sockets.length, 0);
  await nextTask();
  assert.equal(net.sockets.length, 1);
  net.last().welcome();
  assert.deepEqual(told, ["", "a", "b"]);
}));

test("a member that leaves and another that comes keep the connection; the last one's leaving ends it", timed(async (net, service) => {
  const leave = service.join({});
  await nextTask();
  net.last().welcome();
  leave();
  leave();
  mock.timers.tick(1_000);
  const again = service.join({});
  await nextTask();
  assert.equal(net.sockets.length, 1);
  assert.equal(net.last().closed, false);
  again();
  mock.timers.tick(2_000);
  assert.equal(net.last().closed, true);
  assert.equal(service.link.name, "closed");
  service.join({});
  await nextTask();
  assert.equal(net.sockets.length, 2);
}));

test("the list is followed only while somebody asks for it", timed(async (net, service) => {
  service.join({});
  await nextTask();
  net.last().welcome();
  assert.deepEqual(net.last().sentOf("subscribe_sessions"), []);
  /** @type {string[][]} */
  const gone = [];
  const leave = service.join({ listed: (sessions) => gone.push(sessions) });
  const [{ sub }] = net.last().sentOf("subscribe_sessions");
  net.last().say({ type: "sessions", sub, whole: true, sessions: [{ session: "a" }, { session: "b" }] });
  net.last().say({ type: "sessions", sub, whole: false, gone: ["b"] });
  assert.deepEqual(gone, [[], ["b"]]);
  assert.deepEqual(service.list.newestFirst().map((one) => one.session), ["a"]);
  leave();
  assert.deepEqual(net.last().sentOf("unsubscribe"), [{ type: "unsubscribe", sub }]);
  service.join({ listed: () => undefined });
  assert.notEqual(net.last().sentOf("subscribe_sessions")[1].sub, sub, "a new name for each subscription");
}));

test("what was opened outlives a closed connection, and goes with its session", timed(async (net, service) => {
  const rows = new Set(["step:1:1", "tool:c", "step:1:2"]);
  const turn = { turn: 1, status: "closed", rows, presentation: presentation() };
  const told = [""];
  const member = { listed: () => undefined, expanded: (/** @type {string} */ session) => told.push(session) };
  const leave = service.join(member);
  service.join({ expanded: () => told.push("another view") });
  service.dispatch({ type: "web/toggle", session: "s", turn }, member);
  assert.deepEqual(told, ["", "another view"], "who did it knows");
  leave();
  service.close();
  assert.equal(service.pane("s").opened.size, 1);
  service.join(member);
  await nextTask();
  net.last().welcome();
  const [{ sub }] = net.last().sentOf("subscribe_sessions");
  net.last().say({ type: "sessions", sub, whole: true, sessions: [{ session: "s" }] });
  assert.equal(service.pane("s").opened.size, 1);
  net.last().say({ type: "sessions", sub, whole: false, gone: ["s"] });
  assert.equal(service.pane("s").opened.size, 0);
}));

test("a member that fails keeps nothing from the others, and is not silent", timed(async (net, service) => {
  const told = [""];
  service.join({
    frame: () => {
      throw new Error("a view's own fault");
    },
  });
  service.join({ frame: (frame) => told.push(frame.type) });
  await nextTask();
  net.last().welcome();
  const uncaught = new Promise((resolve) => process.once("uncaughtException", resolve));
  const before = process.listeners("uncaughtException").slice(0, -1);
  for (const listener of before) process.off("uncaughtException", listener);
  net.last().say({ type: "preferences", preferences: {} });
  assert.match(String(await uncaught), /a view's own fault/);
  for (const listener of before) process.on("uncaughtException", listener);
  assert.deepEqual(told, ["", "preferences"]);
}));

test("time is the service's", timed(async (net, service) => {
  service.join({});
  await nextTask();
  net.last().welcome({ server_time_ms: Date.now() + 5_000 });
  assert.equal(service.nowMs(), Date.now() + 5_000);
}));

test("the same address and the same credential are one client, and no others", () => {
  const url = "http://shared.test/";
  const provider = () => "t";
  assert.equal(sharedService(url), sharedService(url));
  assert.equal(sharedService(url, { token: provider }), sharedService(url, { token: provider }));
  const all = [sharedService(url), sharedService(url, { token: "t" }), sharedService(url, { token: provider }), sharedService(url, { ticket: provider }), sharedService("http://shared.test/x")];
  assert.equal(new Set(all).size, all.length);
});
