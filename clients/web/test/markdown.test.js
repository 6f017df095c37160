import assert from "node:assert/strict";
import { test } from "node:test";

import { parseInline, safeHref } from "../src/inline.js";
import { MAX_PARAGRAPH_CHARS, isTable, kindOf, piecesOf, unitsOf } from "../src/markdown_units.js";
import { cpuTimer } from "./cpu_time.js";

/** @param {string} source */
function kinds(source) {
  return unitsOf(source).map((unit) => unit.kind).filter((kind) => kind !== "blank");
}

/** @param {import("../src/inline.js").Span[]} spans @returns {string} */
function text(spans) {
  return spans.map((span) => ("text" in span ? span.text : "spans" in span ? text(span.spans) : "\n")).join("");
}

test("units joined are the source again, whatever the source", () => {
  const parts = ["# t\n", "a\nb\n", "\n", "- x\n  y\n", "1. z\n", "> q\n", "```js\n", "```\n", "---\n", "| a | b |\n", "|---|---|\n", "\tw\n", "end"];
  for (let seed = 1; seed < 400; seed += 1) {
    const source = Array.from({ length: 8 }, (_, at) => parts[(seed * (at + 3) * 7 + at) % parts.length]).join("");
    assert.equal(unitsOf(source).map((unit) => unit.source).join(""), source);
  }
});

test("each kind of unit is found", () => {
  assert.deepEqual(kinds("# t\n\npara\ngoes on\n\n- a\n- b\n  - c\n\n> q\n\n```\ncode\n\n# no\n```\n***\n"), [
    "heading", "paragraph", "item", "item", "quote", "fence", "rule",
  ]);
});

test("a number at the start of a line does not cut a paragraph", () => {
  assert.deepEqual(kinds("It was in\n1987. The end"), ["paragraph"]);
});

test("links lead to the web and to mail alone; anything else stays text", () => {
  for (const bad of ["javascript:alert(1)", "JaVaScRiPt:alert(1)", "data:text/html,x", "vbscript:x", "file:///x", "//x.y", "/x", " javascript:x"]) {
    assert.equal(safeHref(bad), null);
    assert.deepEqual(parseInline(`[x](${bad})`).filter((span) => span.kind === "link"), []);
  }
  assert.deepEqual(parseInline("[x](https://a.b/c)"), [
    { kind: "link", href: "https://a.b/c", spans: [{ kind: "text", text: "x" }] },
  ]);
});

test("a link holds no other link", () => {
  const [link] = parseInline("[https://a.b](https://c.d)");
  assert.deepEqual(link, { kind: "link", href: "https://c.d", spans: [{ kind: "text", text: "https://a.b" }] });
});

test("markup of the session is text", () => {
  assert.deepEqual(parseInline("<script>alert(1)</script>"), [{ kind: "text", text: "<script>alert(1)</script>" }]);
});

test("marks that never close lose nothing", () => {
  for (const source of ["**open", "`open", "a * b", "[open](", "![", "~~x", "___", "*".repeat(60), "snake_case_name"]) {
    assert.equal(text(parseInline(source)), source);
  }
});

test("emphasis, code and links nest", () => {
  assert.deepEqual(parseInline("**a *b* `c*`**"), [
    {
      kind: "strong",
      spans: [
        { kind: "text", text: "a " },
        { kind: "em", spans: [{ kind: "text", text: "b" }] },
        { kind: "text", text: " " },
        { kind: "code", text: "c*" },
      ],
    },
  ]);
});

test("hostile nesting costs no computing time worth naming", () => {
  for (const source of ["[".repeat(4_000), "*a ".repeat(1_300), "`".repeat(1_999) + "x", "_".repeat(4_000) + "a"]) {
    const start = process.cpuUsage();
    parseInline(source);
    assert.ok(process.cpuUsage(start).user < 1_000_000, source.slice(0, 3));
  }
});

test("a long paragraph is cut alike whether it streamed or came at once", () => {
  const words = ["plain ", "**bold** ", "😀", "`code`", "1. ", "# ", "x".repeat(3_000), "\n"];
  for (let seed = 1; seed < 60; seed += 1) {
    const source = Array.from({ length: 4_000 }, (_, at) => words[(seed * (at + 5) + ((at * at) % 7)) % words.length]).join("").slice(0, 40_000);
    const whole = piecesOf(source);
    assert.equal(whole.join(""), source);
    for (const piece of whole) {
      assert.ok(piece.length <= MAX_PARAGRAPH_CHARS);
      assert.ok(!/^[\udc00-\udfff]/.test(piece));
    }
    const streamed = [];
    let tail = "";
    for (let at = 0; at < source.length; at += 97 * seed) {
      const pieces = piecesOf(tail + source.slice(at, at + 97 * seed));
      tail = pieces.pop();
      streamed.push(...pieces);
    }
    assert.deepEqual([...streamed, tail], whole);
  }
});

test("no line costs more than its length", () => {
  const length = 2_000_000;
  const spentMs = cpuTimer();
  for (const part of ["# x ", "#", "```", "``` ` ", "- ", "> ", "| a ", "|-", "*", " ", "\t", "1. ", "=", "# x" + " ".repeat(999_000) + "y"]) {
    const line = part.repeat(Math.ceil(length / part.length)).slice(0, length);
    kindOf(line);
    isTable(`a|b\n${line}`);
    for (const piece of piecesOf(line)) parseInline(piece);
  }
  assert.ok(spentMs() < 20_000);
});
