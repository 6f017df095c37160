import assert from "node:assert/strict";
import test from "node:test";

import { Http, Refused, reasonOf } from "../src/http.js";
import { ServiceClient, sharedService } from "../src/service_client.js";
import { wordsFor } from "../src/words.js";

const BEARER = { authorization: "Bearer t" };

test("an address is enough where nobody says who asks, and only there", () => {
  const fetch = async () => new Response();
  assert.equal(new Http(() => ({})).isPlain, true);
  assert.equal(new Http(() => BEARER).isPlain, false);
  assert.equal(new Http(() => ({}), { ticket: async () => "t" }).isPlain, false);
  assert.equal(new Http(() => ({}), { fetch }).isPlain, false);
});

test("a page's own fetch is given the address and what the call needs", async () => {
  /** @type {unknown[]} */
  const asked = [];
  const service = new ServiceClient("http://service.test/", { token: "t", fetch: async (url, init) => asked.push([url, init]) && new Response("x") });
  await service.http.ask("http://service.test/v1/x", { method: "POST", headers: { accept: "a/b" }, body: "b" });
  assert.deepEqual(asked, [["http://service.test/v1/x", { method: "POST", headers: { ...BEARER, accept: "a/b" }, body: "b" }]]);
});

test("a refusal has the service's words, and that of a stranger the reader's own", async () => {
  const words = wordsFor(["en"]);
  const refusing = (/** @type {number} */ status, /** @type {string} */ body) => new Http(() => ({}), { fetch: async () => new Response(body, { status }) });
  await assert.rejects(refusing(409, '{"detail": "no room"}').ask("http://x/"), (problem) => problem instanceof Refused && reasonOf(problem, words) === "no room");
  await assert.rejects(refusing(502, "<html>").ask("http://x/"), (problem) => reasonOf(problem, words) === "HTTP 502");
  await assert.rejects(refusing(401, '{"detail": "a token"}').ask("http://x/"), (problem) => reasonOf(problem, words) === words.no_access);
});

test("elements share a service where all that they were given is the same", () => {
  const [ticket, token, fetch, other] = [async () => "a", async () => "b", async () => new Response(), async () => new Response()];
  const url = "http://shared.test/";
  assert.equal(sharedService(url, { ticket, fetch }), sharedService(url, { ticket, fetch }));
  const all = [{}, { token: "x" }, { token }, { ticket }, { ticket, token }, { ticket, fetch }, { ticket, fetch: other }, { fetch }];
  assert.equal(new Set(all.map((given) => sharedService(url, given))).size, all.length);
});
