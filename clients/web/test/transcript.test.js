import assert from "node:assert/strict";
import { test } from "node:test";

import { OutOfStep, Transcript } from "../src/transcript.js";
import { delta, presentation, row, snapshot, turn } from "./frames.js";

/** @param {object[]} turns @param {object} [fields] */
function held(turns, fields) {
  const transcript = new Transcript();
  transcript.replace(snapshot(turns, fields));
  return transcript;
}

/** @param {Transcript} transcript @param {number} [at] */
function keys(transcript, at = 0) {
  return transcript.toValue().turns[at].rows.map((one) => one.key);
}

test("a snapshot is held as it came", () => {
  const value = snapshot([turn([row("a"), row("b")])], { session_rows: [row("s", { turn: null })] });
  const transcript = new Transcript();
  transcript.replace(value);
  assert.deepEqual(transcript.toValue(), { turns: value.turns, session_rows: value.session_rows });
  assert.deepEqual(transcript.position, { epoch: "e", version: 1 });
});

test("a row goes before the row that is named, and last without one", () => {
  const transcript = held([turn([row("a"), row("c")])]);
  transcript.apply(
    delta([
      { op: "row", turn: 1, row: row("b"), before: "c" },
      { op: "row", turn: 1, row: row("d"), before: null },
      { op: "row", turn: 1, row: row("e"), before: "not held" },
    ]),
  );
  assert.deepEqual(keys(transcript), ["a", "b", "c", "d", "e"]);
});

test("a row that is replaced keeps its place, and moves when it is told to", () => {
  const transcript = held([turn([row("a"), row("b")])]);
  transcript.apply(delta([{ op: "row", turn: 1, row: row("a", { text: "new" }) }]));
  assert.deepEqual(keys(transcript), ["a", "b"]);
  transcript.apply(delta([{ op: "row", turn: 1, row: row("a"), before: null }], { from: 2, to: 3 }));
  assert.deepEqual(keys(transcript), ["b", "a"]);
});

test("text is added to its block and leaves every other row as it is", () => {
  const step = row("s", { kind: "assistant_step", blocks: [{ type: "text", text: "He" }, { type: "text", text: "x" }] });
  const transcript = held([turn([row("a"), step])]);
  const before = transcript.root.find(1, "a")?.row;
  const patches = transcript.apply(delta([{ op: "append", turn: 1, key: "s", block: 0, text: "llo" }]));
  assert.equal(transcript.root.find(1, "s")?.row.blocks?.[0].text, "Hello");
  assert.equal(transcript.root.find(1, "a")?.row, before);
  assert.deepEqual(patches, [{ what: "append", path: [], turn: 1, key: "s", block: 0, text: "llo" }]);
  assert.equal(step.blocks[0].text, "He", "a value that was handed in is never changed");
});

test("what a tool puts out is added to its progress", () => {
  const transcript = held([turn([row("tool:c", { kind: "tool_call", call_id: "c" })])]);
  transcript.apply(delta([{ op: "output", turn: 1, key: "tool:c", text: "a" }, { op: "output", turn: 1, key: "tool:c", text: "b" }]));
  assert.equal(transcript.root.find(1, "tool:c")?.row.progress, "ab");
});

test("an output beyond its head tells its size and no text", () => {
  const call = row("tool:c", { kind: "tool_call", call_id: "c", progress: "head", bytes: 9, truncated: true });
  const transcript = held([turn([call])]);
  const patches = transcript.apply(delta([{ op: "output", turn: 1, key: "tool:c", text: "", bytes: 12 }]));
  assert.deepEqual(transcript.root.find(1, "tool:c")?.row, { ...call, bytes: 12 });
  assert.deepEqual(patches, [{ what: "row", path: [], turn: 1, key: "tool:c" }]);
});

test("a turn that is new goes last, and a rewind takes turns back", () => {
  const transcript = held([turn([])]);
  transcript.apply(delta([{ op: "turn", turn: 2, status: "open", outcome: null, waiting: 0 }, { op: "row", turn: 2, row: row("b") }]));
  assert.deepEqual(transcript.toValue().turns.map((one) => one.turn), [1, 2]);
  transcript.apply(delta([{ op: "drop_turns", from: 2 }], { from: 2, to: 3 }));
  assert.deepEqual(transcript.toValue().turns.map((one) => one.turn), [1]);
});

test("a row op with an empty delegate leaves the one that is held as it stands", () => {
  const inner = { turns: [turn([row("inner")])], session_rows: [] };
  const transcript = held([turn([row("tool:c", { kind: "tool_call", call_id: "c", delegate: inner })])]);
  const shell = { turns: [], session_rows: [] };
  const replaced = row("tool:c", { kind: "tool_call", call_id: "c", status: "ok", delegate: shell });
  transcript.apply(delta([{ op: "row", turn: 1, row: replaced }]));
  const now = transcript.toValue().turns[0].rows[0];
  assert.equal(now.status, "ok");
  assert.equal(now.delegate?.turns[0].rows[0].key, "inner");
});

test("a delegate's ops build its transcript below its call, which keeps it when it is replaced", () => {
  const call = row("tool:c", { kind: "tool_call", call_id: "c" });
  const transcript = held([turn([call])]);
  transcript.apply(
    delta([
      { op: "turn", turn: 1, status: "open", outcome: null, waiting: 0, in: ["c"] },
      { op: "row", turn: 1, row: row("inner"), in: ["c"] },
      { op: "row", turn: 1, row: { ...call, status: "ok" } },
    ]),
  );
  const [outer] = transcript.toValue().turns[0].rows;
  assert.equal(outer.status, "ok");
  assert.equal(outer.delegate?.turns[0].rows[0].key, "inner");
});

test("a presentation changes at the place that its path names, and the rest keeps its identity", () => {
  const transcript = held([turn([], { presentation: presentation() })]);
  const members = transcript.root.turns.get(1)?.facts.presentation?.members;
  transcript.apply(delta([{ op: "presentation", turn: 1, path: ["foldable"], set: false }]));
  const facts = transcript.root.turns.get(1)?.facts;
  assert.equal(facts?.presentation?.foldable, false);
  assert.equal(facts?.presentation?.members, members);
  transcript.apply(
    delta([{ op: "presentation", turn: 1, path: ["members"], splice: { at: 1, remove: 1, insert: ["x", "y"] } }], { from: 2, to: 3 }),
  );
  assert.deepEqual(transcript.root.turns.get(1)?.facts.presentation?.members, ["step:1:1", "x", "y"]);
});

test("an op for what is not held changes nothing, because it stands before the window", () => {
  const transcript = held([turn([row("a")])]);
  const before = transcript.toValue();
  const patches = transcript.apply(
    delta([
      { op: "remove", turn: 1, key: "x" },
      { op: "append", turn: 7, key: "x", block: 0, text: "y" },
      { op: "row", turn: 7, row: row("x") },
      { op: "row", turn: 1, row: row("x"), in: ["nobody"] },
    ]),
  );
  assert.deepEqual(patches, []);
  assert.deepEqual(transcript.toValue(), before);
  assert.equal(transcript.position?.version, 2);
});

test("a delta with an unknown op is refused whole", () => {
  const transcript = held([turn([row("a")])]);
  const before = transcript.toValue();
  const ops = [{ op: "remove", turn: 1, key: "a" }, { op: "fly", turn: 1 }];
  assert.throws(() => transcript.apply(delta(ops)), OutOfStep);
  assert.deepEqual(transcript.toValue(), before);
  assert.equal(transcript.position?.version, 1);
});

test("a delta that fails midway is taken back", () => {
  const transcript = held([turn([row("a"), row("tool:c", { kind: "tool_call", call_id: "c" }), row("z")])]);
  const before = transcript.toValue();
  const ops = [
    { op: "turn", turn: 2, status: "open" },
    { op: "row", turn: 1, row: row("inner"), in: ["c"] },
    { op: "row", turn: 1, row: row("n", { kind: "tool_call", call_id: "n" }), before: "a" },
    { op: "row", turn: 1, row: row("a", { text: "moved" }), before: null },
    { op: "remove", turn: 1, key: "z" },
    { op: "drop_turns", from: 1 },
    { op: "turn", turn: 1, status: "open" },
    { op: "presentation", turn: 1, path: ["entries", "e"], set: 1 },
  ];
  assert.throws(() => transcript.apply(delta(ops)), OutOfStep);
  assert.deepEqual(transcript.toValue(), before);
});

test("a delta that does not follow the position is refused", () => {
  const transcript = held([turn([])]);
  assert.throws(() => transcript.apply(delta([], { from: 2, to: 3 })), OutOfStep);
  assert.throws(() => transcript.apply(delta([], { epoch: "other" })), OutOfStep);
  assert.throws(() => new Transcript().apply(delta([])), OutOfStep);
});

test("another snapshot keeps the objects that are equal", () => {
  const transcript = held([turn([row("a"), row("b")])]);
  const before = transcript.root.find(1, "a")?.row;
  transcript.replace(snapshot([turn([row("a"), row("b", { text: "new" })])]));
  assert.equal(transcript.root.find(1, "a")?.row, before);
  assert.equal(transcript.root.find(1, "b")?.row.text, "new");
});

test("an older page goes before what is held", () => {
  const transcript = held([turn([row("b", { turn: 2 })], { turn: 2 })], {
    history_complete: false,
    before: "5",
    session_rows: [row("late", { turn: null })],
  });
  transcript.prepend(snapshot([turn([row("a")])], { session_rows: [row("early", { turn: null })] }));
  assert.deepEqual(transcript.toValue().turns.map((one) => one.turn), [1, 2]);
  assert.deepEqual(transcript.toValue().session_rows.map((one) => one.key), ["early", "late"]);
  assert.equal(transcript.historyComplete, true);
});

test("the cost of a delta does not grow with the transcript", () => {
  /** @param {number} count @returns {number} ms of computing for 40,000 deltas: far above the clock's 4 ms, whatever else the machine does */
  const timed = (count) => {
    const rows = Array.from({ length: count }, (_, at) => row(`r${at}`));
    const step = row("s", { kind: "assistant_step", blocks: [{ type: "text", text: "" }] });
    const transcript = held([turn([...rows, step])]);
    const start = process.cpuUsage();
    for (let at = 1; at <= 40_000; at += 1) {
      transcript.apply(delta([{ op: "append", turn: 1, key: "s", block: 0, text: "word " }], { from: at, to: at + 1 }));
    }
    return process.cpuUsage(start).user / 1_000;
  };
  timed(50);
  const small = Math.min(timed(50), timed(50), timed(50));
  const large = Math.min(timed(5_000), timed(5_000), timed(5_000));
  assert.ok(large <= small * 3 + 5, `${large} ms at 5,000 rows, ${small} ms at 50`);
});
