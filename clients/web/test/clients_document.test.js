/** The JavaScript example of `docs/clients.md`, run as it stands there; pytest runs the other one. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

const DOCUMENT = new URL("../../../docs/clients.md", import.meta.url);

test("the documented example shows, opens and names the focus as its comments say", async () => {
  const [, example] = readFileSync(DOCUMENT, "utf8").match(/```js\n(.*?)```/s) ?? [];
  assert.ok(example, "no example");
  const here = example.replaceAll('"/assets/', `"${new URL("..", import.meta.url)}`);
  const { before, opened, first } = await import(`data:text/javascript,${encodeURIComponent(`${here}\nexport { before, opened, first };`)}`);
  assert.deepEqual(before.hidden, ["step:1:1", "tool:c1"]);
  assert.deepEqual(opened.hidden, []);
  assert.deepEqual(first, { kind: "control", id: "process:1", path: [] });
});
