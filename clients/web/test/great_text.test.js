import assert from "node:assert/strict";
import { test } from "node:test";

import { piecesOf } from "../src/great_text.js";
import { cpuTimer } from "./cpu_time.js";

test("a text of lines is cut at line ends, and nothing else of it is lost", () => {
  const lines = Array.from({ length: 5_000 }, (_, at) => `line ${at}`);
  const pieces = [...piecesOf(lines.join("\n"))];
  assert.ok(pieces.length > 1);
  assert.equal(pieces.join("\n"), lines.join("\n"));
  assert.ok(pieces.every((piece) => piece.length <= 8_192));
});

test("a single line is cut between two characters", () => {
  const line = `x${"\u{1f600}".repeat(10_000)}`;
  const pieces = [...piecesOf(line)];
  assert.ok(pieces.length > 1);
  assert.equal(pieces.join(""), line);
  assert.ok(pieces.every((piece) => piece.isWellFormed()));
});

test("a text without a line end costs what its length costs", () => {
  const text = "0123456789".repeat(3_000_000);
  const spentMs = cpuTimer();
  let length = 0;
  for (const piece of piecesOf(text)) length += piece.length;
  assert.equal(length, text.length);
  // A search to the beginning for each piece took minutes.
  assert.ok(spentMs() < 5_000);
});
