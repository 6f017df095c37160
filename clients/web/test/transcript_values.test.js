import assert from "node:assert/strict";
import { test } from "node:test";

import { Transcript } from "../src/transcript.js";
import { TranscriptValues } from "../src/transcript_values.js";
import { delta, row, snapshot, turn } from "./frames.js";

/** @param {object[]} turns @param {object} [fields] */
function holding(turns, fields) {
  const transcript = new Transcript();
  const values = new TranscriptValues(transcript);
  values.note(transcript.replace(snapshot(turns, fields)));
  let version = 1;
  return {
    transcript,
    values,
    first: values.read(),
    /** @param {object[]} ops */
    apply(...ops) {
      values.note(transcript.apply(delta(ops, { from: version, to: (version += 1) })));
      assert.deepEqual(values.read(), transcript.toValue(), "a reading is what the store holds");
      return values.read();
    },
  };
}

const text = (/** @type {string} */ key) => row(key, { kind: "assistant_step", blocks: [{ type: "text", text: "a" }] });
const two = () => [turn([text("a"), text("b")]), turn([text("c")], { turn: 2 })];

test("without a change a reading is the very object that it was", () => {
  const { values, first } = holding(two());
  assert.equal(values.read(), first);
});

test("streamed text makes its row, its turn and the whole another, and nothing else", () => {
  const { first, apply } = holding(two());
  const next = apply({ op: "append", turn: 1, key: "b", block: 0, text: "!" });
  assert.notEqual(next, first);
  assert.notEqual(next.turns[0], first.turns[0]);
  assert.notEqual(next.turns[0].rows[1], first.turns[0].rows[1]);
  assert.equal(next.turns[0].rows[0], first.turns[0].rows[0]);
  assert.equal(next.turns[1], first.turns[1]);
  assert.equal(next.session_rows, first.session_rows);
});

test("every op leaves a reading that is what the store holds", () => {
  const { apply } = holding(two());
  apply({ op: "turn", turn: 3, status: "open" });
  apply({ op: "row", turn: 3, row: row("d", { turn: 3 }), before: null });
  apply({ op: "row", turn: 1, row: row("b", { text: "other" }), before: "a" });
  apply({ op: "row", turn: null, row: row("n", { turn: null }), before: null });
  apply({ op: "remove", turn: 1, key: "a" });
  apply({ op: "spec", turn: 1, spec: null });
  apply({ op: "presentation", turn: 1, path: [], set: { members: [] } });
  const dropped = apply({ op: "drop_turns", from: 2 });
  assert.equal(dropped.turns.length, 1);
  const rows = dropped.turns[0].rows;
  assert.equal(apply({ op: "turn", turn: 1, status: "closed" }).turns[0].rows, rows, "facts alone: the same list of rows");
});

test("a change inside a delegate makes its call's row another, out to the session's own turn", () => {
  const call = row("tool:c", { kind: "tool_call", call_id: "c" });
  const { apply } = holding([turn([call, text("x")]), turn([text("y")], { turn: 2 })]);
  const inner = row("tool:d", { kind: "tool_call", call_id: "d" });
  apply({ op: "turn", turn: 1, status: "open", in: ["c"] }, { op: "row", turn: 1, row: inner, before: null, in: ["c"] });
  const before = apply({ op: "turn", turn: 1, status: "open", in: ["c", "d"] }, { op: "row", turn: 1, row: text("z"), before: null, in: ["c", "d"] });
  const after = apply({ op: "append", turn: 1, key: "z", block: 0, text: "!", in: ["c", "d"] });
  const innermost = (/** @type {any} */ value) => value.turns[0].rows[0].delegate.turns[0].rows[0].delegate.turns[0].rows[0];
  assert.equal(innermost(after).blocks[0].text, "a!");
  assert.notEqual(after.turns[0].rows[0], before.turns[0].rows[0]);
  assert.equal(after.turns[0].rows[1], before.turns[0].rows[1]);
  assert.equal(after.turns[1], before.turns[1]);
});

test("another snapshot and an older page keep the objects that are equal", () => {
  const { transcript, values, first } = holding(two());
  values.note(transcript.replace(snapshot(two())));
  assert.equal(values.read(), first);
  const changed = two();
  changed[1] = turn([text("c"), text("d")], { turn: 2 });
  values.note(transcript.replace(snapshot(changed)));
  const second = values.read();
  assert.equal(second.turns[0], first.turns[0]);
  assert.notEqual(second.turns[1], first.turns[1]);
  assert.equal(second.turns[1].rows[0], first.turns[1].rows[0]);
  values.note(transcript.prepend(snapshot([turn([text("o")], { turn: 0 })])));
  const third = values.read();
  assert.deepEqual(third.turns.map((one) => one.turn), [0, 1, 2]);
  assert.equal(third.turns[1], second.turns[0]);
  assert.equal(third.turns[2], second.turns[1]);
});

test("a reading looks into no turn that did not change", () => {
  const many = Array.from({ length: 2_000 }, (_, at) => turn([text(`r${at}`)], { turn: at + 1 }));
  const { transcript, values } = holding(many);
  /** @type {Set<number>} */
  const looked = new Set();
  for (const one of transcript.root.turns.values()) {
    const { rows } = one;
    Object.defineProperty(one, "rows", { get: () => looked.add(one.turn) && rows });
  }
  values.note(transcript.apply(delta([{ op: "append", turn: 7, key: "r6", block: 0, text: "!" }])));
  looked.clear();
  values.read();
  assert.deepEqual([...looked], [7]);
});
