import assert from "node:assert/strict";
import { mock, test } from "node:test";

import { Http } from "../src/http.js";
import { Blobs } from "../src/service.js";
import { settled } from "./fake_socket.js";

/** @param {() => Promise<void>} body @param {(url: string, init: any) => Promise<Response>} answer */
async function fetching(body, answer) {
  const fetched = mock.method(globalThis, "fetch", answer);
  const revoked = mock.method(URL, "revokeObjectURL");
  try {
    await body();
    return { fetched: fetched.mock.calls, revoked: revoked.mock.calls.map((call) => call.arguments[0]) };
  } finally {
    mock.restoreAll();
  }
}

async function loaded() {
  for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  await settled();
}

const urlOf = (/** @type {string} */ sha) => `/blobs/${sha}`;

test("without a token the browser asks by itself", async () => {
  const { fetched } = await fetching(async () => {
    const shown = [""];
    new Blobs(urlOf, new Http(() => ({}))).load("a", (url) => shown.push(url), assert.fail);
    assert.deepEqual(shown, ["", "/blobs/a"]);
  }, async () => new Response("x"));
  assert.equal(fetched.length, 0);
});

test("with a token a content is fetched once, however often it is shown, and freed at the end", async () => {
  /** @type {string[]} */
  const shown = [];
  const { fetched, revoked } = await fetching(async () => {
    const blobs = new Blobs(urlOf, new Http(() => ({ authorization: "Bearer t" })));
    for (const sha of ["a", "a", "b"]) blobs.load(sha, (url) => shown.push(url), assert.fail);
    await loaded();
    blobs.free();
    await loaded();
  }, async () => new Response("x"));
  assert.deepEqual(fetched.map((call) => call.arguments), ["a", "b"].map((sha) => [`/blobs/${sha}`, { headers: { authorization: "Bearer t" } }]));
  assert.equal(shown.length, 3);
  assert.equal(shown[0], shown[1]);
  assert.deepEqual(new Set(revoked), new Set(shown));
});

test("what could not be loaded is asked for again the next time", async () => {
  let status = 503;
  const { fetched } = await fetching(async () => {
    const blobs = new Blobs(urlOf, new Http(() => ({ authorization: "Bearer t" })));
    const shown = [""];
    blobs.load("a", assert.fail, () => shown.push("failed"));
    await loaded();
    assert.deepEqual(shown, ["", "failed"]);
    status = 200;
    blobs.load("a", (url) => shown.push(url), assert.fail);
    await loaded();
    assert.equal(shown.length, 3);
    blobs.free();
  }, async () => new Response("x", { status }));
  assert.equal(fetched.length, 2);
});
