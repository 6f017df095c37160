import assert from "node:assert/strict";
import { mock, test } from "node:test";

import { Connection } from "../src/connection.js";
import { network, settled } from "./fake_socket.js";

/** @param {(net: ReturnType<typeof network>) => Promise<void>} body with a clock of its own */
function timed(body) {
  return async () => {
    mock.timers.enable({ apis: ["setTimeout", "setInterval", "Date"] });
    try {
      await body(network());
    } finally {
      mock.timers.reset();
    }
  };
}

/** @param {ReturnType<typeof network>} net @param {object} [options] */
function connect(net, options = {}) {
  /** @type {string[]} */
  const links = [];
  /** @type {any[]} */
  const frames = [];
  const listener = {
    onOpen: () => links.push("(subscribe)"),
    onFrame: (/** @type {any} */ frame) => frames.push(frame),
    onLink: (/** @type {any} */ link) => links.push(link.name),
  };
  const connection = new Connection("ws://service.test/v1/ws", listener, { WebSocket: net.WebSocket, ...options });
  return { connection, links, frames };
}

test("nothing happens before it is started, and hello is the first thing that is said", timed(async (net) => {
  const { connection, links } = connect(net, { token: "t0k" });
  await settled();
  assert.equal(net.sockets.length, 0);
  connection.start();
  await settled();
  assert.deepEqual(net.last().protocols, ["turnfold.v1.json"]);
  assert.equal(connection.send({ type: "ping" }), false);
  net.last().open();
  assert.deepEqual(net.last().sent, [{ type: "hello", token: "t0k" }]);
  net.last().say({ type: "welcome" });
  assert.deepEqual(links, ["connecting", "open", "(subscribe)"]);
  connection.close();
}));

test("a provider is asked anew for every connect, and never while none is due", timed(async (net) => {
  let asked = 0;
  const { connection } = connect(net, { ticket: async () => `ticket ${(asked += 1)}` });
  connection.start();
  await settled();
  net.last().welcome();
  mock.timers.tick(60_000);
  net.last().say({ type: "pong" });
  assert.equal(asked, 1);
  net.last().end(1006);
  mock.timers.tick(500);
  await settled();
  net.last().welcome();
  assert.deepEqual(net.sockets.map((socket) => socket.sent[0]), [{ type: "hello", ticket: "ticket 1" }, { type: "hello", ticket: "ticket 2" }]);
  connection.close();
}));

test("with both, the ticket opens the socket and the token is for what is fetched", timed(async (net) => {
  const { connection } = connect(net, { ticket: () => "ticket", token: async () => "token" });
  assert.deepEqual(connection.headers(), {});
  connection.start();
  await settled();
  net.last().open();
  assert.deepEqual(net.last().sent, [{ type: "hello", ticket: "ticket" }]);
  assert.deepEqual(connection.headers(), { authorization: "Bearer token" });
  connection.close();
}));

test("a provider that fails is a lost connection, with the back-off of one", timed(async (net) => {
  let asked = 0;
  const { connection, links } = connect(net, {
    token: () => {
      asked += 1;
      throw new Error("no network");
    },
  });
  connection.start();
  for (let turn = 0; turn < 4; turn += 1) {
    await settled();
    mock.timers.tick(20_000);
  }
  assert.equal(net.sockets.length, 0);
  assert.ok(asked >= 4, String(asked));
  assert.deepEqual(links.slice(0, 3), ["connecting", "waiting", "connecting"]);
  connection.close();
}));

test("a provider or a handshake that never answers is given up in time", timed(async (net) => {
  const { connection } = connect(net, { token: () => new Promise(() => undefined) });
  connection.start();
  await settled();
  mock.timers.tick(15_000);
  assert.equal(connection.link.name, "waiting");
  connection.restart({ token: "t" });
  await settled();
  assert.equal(net.sockets.length, 1);
  mock.timers.tick(15_000);
  assert.equal(connection.link.name, "waiting");
  assert.equal(net.last().closed, true);
  connection.close();
}));

test("a refused ticket is asked for once more, and a second refusal is final", timed(async (net) => {
  let asked = 0;
  const { connection } = connect(net, { ticket: () => `${(asked += 1)}` });
  connection.start();
  await settled();
  net.last().end(4500);
  await settled();
  assert.equal(asked, 2);
  assert.equal(connection.link.name, "connecting");
  net.last().end(4500);
  await settled();
  assert.equal(asked, 2);
  assert.deepEqual(connection.link, { name: "ended", code: 4500, reason: "" });
  mock.timers.tick(120_000);
  assert.equal(net.sockets.length, 2);
  connection.restart();
  await settled();
  net.last().welcome();
  assert.equal(connection.link.name, "open");
  connection.close();
}));

test("a refused token that cannot become another is final at once", timed(async (net) => {
  const { connection } = connect(net, { token: "old" });
  connection.start();
  await settled();
  net.last().end(4500, "refused");
  await settled();
  assert.deepEqual(connection.link, { name: "ended", code: 4500, reason: "refused" });
  assert.equal(net.sockets.length, 1);
  connection.close();
}));

test("a service that asks for more than an empty hello is no lost connection", timed(async (net) => {
  const { connection } = connect(net);
  connection.start();
  await settled();
  net.last().open();
  assert.deepEqual(net.last().sent, [{ type: "hello" }]);
  net.last().say({ type: "error", code: "unauthenticated", message: "a token is needed", retry: false });
  await settled();
  assert.deepEqual(connection.link, { name: "ended", code: 4500, reason: "a token is needed" });
  assert.equal(net.sockets.length, 1);
  connection.close();
}));

test("a refresh that is refused ends nothing", timed(async (net) => {
  const { connection } = connect(net, { token: () => "t" });
  connection.start();
  await settled();
  net.last().welcome();
  net.last().say({ type: "error", code: "unauthenticated", message: "no", retry: false });
  await settled();
  assert.equal(connection.link.name, "open");
  connection.close();
}));

test("a page that is seen again, or a machine that is online again, connects at once; after close nothing listens", timed(async (net) => {
  const page = Object.assign(new EventTarget(), { visibilityState: "hidden" });
  const machine = new EventTarget();
  const globals = /** @type {any} */ (globalThis);
  const before = { document: globals.document, add: globals.addEventListener };
  globals.document = page;
  globals.addEventListener = machine.addEventListener.bind(machine);
  try {
    mock.method(Math, "random", () => 0.99);
    const { connection } = connect(net);
    connection.start();
    await settled();
    for (const [at, wake] of [
      () => page.dispatchEvent(new Event("visibilitychange")),
      () => machine.dispatchEvent(new Event("online")),
    ].entries()) {
      net.last().end(1006);
      await settled();
      assert.equal(connection.link.name, "waiting");
      page.visibilityState = "hidden";
      page.dispatchEvent(new Event("visibilitychange"));
      await settled();
      assert.equal(net.sockets.length, at + 1, "a page that is hidden waits");
      page.visibilityState = "visible";
      wake();
      await settled();
      assert.equal(net.sockets.length, at + 2);
    }
    net.last().welcome();
    machine.dispatchEvent(new Event("offline"));
    assert.equal(net.last().sentOf("ping").length, 1, "an open socket is tested");
    connection.close();
    page.dispatchEvent(new Event("visibilitychange"));
    machine.dispatchEvent(new Event("online"));
    await settled();
    assert.equal(net.sockets.length, 3);
  } finally {
    mock.restoreAll();
    globals.document = before.document;
    globals.addEventListener = before.add;
  }
}));

test("before its token expires a socket gets another one, and keeps its subscriptions", timed(async (net) => {
  let asked = 0;
  const { connection, frames, links } = connect(net, { token: () => `token ${(asked += 1)}` });
  connection.start();
  await settled();
  net.last().welcome();
  net.last().say({ type: "error", code: "token_expiring", message: "soon", retry: true });
  await settled();
  assert.deepEqual(net.last().sentOf("refresh"), [{ type: "refresh", token: "token 2" }]);
  net.last().say({ type: "welcome" });
  assert.deepEqual(frames, []);
  assert.deepEqual(links, ["connecting", "open", "(subscribe)"]);
  connection.close();
}));

test("a token that expired all the same leads to another connect, and all subscribe again", timed(async (net) => {
  const { connection, links } = connect(net, { token: () => "t" });
  connection.start();
  await settled();
  net.last().welcome();
  net.last().say({ type: "error", sub: "a", code: "token_expired", message: "over", retry: true });
  await settled();
  assert.equal(net.sockets.length, 2);
  net.last().welcome();
  assert.equal(links.filter((name) => name === "(subscribe)").length, 2);
  connection.close();
}));

test("the service's drain names the time to come back", timed(async (net) => {
  const { connection } = connect(net);
  connection.start();
  await settled();
  net.last().welcome();
  net.last().say({ type: "drain", reconnect_after_ms: 7_000 });
  net.last().end(4000);
  mock.timers.tick(6_999);
  await settled();
  assert.equal(net.sockets.length, 1);
  mock.timers.tick(1);
  await settled();
  assert.equal(net.sockets.length, 2);
  connection.close();
}));

test("a socket that went silent is lost, and one that answers is not", timed(async (net) => {
  const { connection } = connect(net);
  connection.start();
  await settled();
  net.last().welcome();
  mock.timers.tick(25_000);
  assert.equal(net.last().sentOf("ping").length, 1);
  net.last().say({ type: "pong" });
  mock.timers.tick(8_000);
  assert.equal(connection.link.name, "open");
  mock.timers.tick(17_000);
  mock.timers.tick(8_000);
  assert.notEqual(connection.link.name, "open");
  connection.close();
}));

test("what is no message is a lost connection", timed(async (net) => {
  for (const rubbish of ["{", "null", "[]", "<html>", '{"type": 1}']) {
    const { connection, frames } = connect(net);
    connection.start();
    await settled();
    net.last().welcome();
    net.last().dispatchEvent(new MessageEvent("message", { data: rubbish }));
    assert.equal(connection.link.name, "waiting", rubbish);
    assert.deepEqual(frames, []);
    connection.close();
  }
}));

test("closed is closed: no timer, no socket, no waking; started again it connects", timed(async (net) => {
  const { connection, links } = connect(net);
  connection.start();
  await settled();
  const first = net.last();
  first.welcome();
  connection.close();
  assert.equal(first.closed, true);
  first.end(1006);
  connection.wake();
  connection.restart({ token: "x" });
  mock.timers.tick(600_000);
  await settled();
  assert.equal(net.sockets.length, 1);
  connection.close();
  assert.equal(links.filter((name) => name === "closed").length, 1);
  assert.equal(links[links.length - 1], "closed");
  connection.start();
  await settled();
  assert.equal(net.sockets.length, 2);
  connection.close();
}));

test("closing while the provider is still asked opens nothing later", timed(async (net) => {
  /** @type {(token: string) => void} */
  let give = () => undefined;
  const { connection } = connect(net, { token: () => new Promise((resolve) => (give = resolve)) });
  connection.start();
  await settled();
  connection.close();
  give("late");
  await settled();
  assert.equal(net.sockets.length, 0);
  assert.equal(connection.link.name, "closed");
}));
