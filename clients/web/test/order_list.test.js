/** The order of display: E-1. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { difference } from "../src/list_difference.js";
import { OrderList, Place } from "../src/order_list.js";

/** @param {OrderList} list */
function check(list) {
  const orders = [...list].map((place) => place.order);
  assert.deepEqual(orders, [...orders].sort((a, b) => a - b));
  assert.equal(new Set(orders).size, orders.length);
  assert.ok(orders.every((order) => Number.isInteger(order) && order > 0 && order < 2 ** 31));
}

test("numbers follow the order, whatever is put where", () => {
  const list = new OrderList(() => undefined);
  const places = [new Place()];
  list.put(null, places[0]);
  let seed = 7;
  for (let n = 0; n < 3_000; n += 1) {
    seed = (seed * 48_271) % 2_147_483_647;
    const place = new Place({ roomy: seed % 5 === 0 });
    list.put(seed % 11 === 0 ? null : places[seed % places.length], place);
    places.push(place);
    if (seed % 7 === 0) list.put(places[seed % (places.length - 1)], place);
    if (seed % 13 === 0) list.remove(places.pop() ?? place);
  }
  check(list);
});

test("what stands there already is not touched", () => {
  let written = 0;
  const list = new OrderList(() => (written += 1));
  const [a, b] = [new Place(), new Place()];
  assert.equal(list.put(null, a), true);
  assert.equal(list.put(a, b), true);
  assert.equal(written, 2);
  assert.equal(list.put(a, b), false);
  assert.equal(list.put(null, a), false);
  assert.equal(written, 2);
});

test("rows that come one by one before a turn's answer cost one number each", () => {
  let written = 0;
  const list = new OrderList(() => (written += 1));
  const [start, tail] = [new Place(), new Place({ roomy: true })];
  list.put(null, start);
  list.put(start, tail);
  let last = start;
  for (let n = 0; n < 20_000; n += 1) {
    const row = new Place();
    list.put(last, row);
    last = row;
  }
  check(list);
  assert.ok(written < 4 * 20_000, `${written} numbers for 20,000 rows`);
});

test("many entries share the room", () => {
  const list = new OrderList(() => undefined);
  let last = null;
  for (let n = 0; n < 40_000; n += 1) {
    const place = new Place({ roomy: n % 2 === 0 });
    list.put(last, place);
    last = place;
  }
  check(list);
});

test("a difference names what went and what came, and nothing that stayed", () => {
  const [a, b, c, d] = [{}, {}, {}, {}];
  assert.deepEqual(difference([a, b, c], [a, b, c]), { at: 3, removed: [], added: [] });
  assert.deepEqual(difference([a, b, c], [a, d, c]), { at: 1, removed: [b], added: [d] });
  assert.deepEqual(difference([], [a, b]), { at: 0, removed: [], added: [a, b] });
  assert.deepEqual(difference([a, b], []), { at: 0, removed: [a, b], added: [] });
  assert.deepEqual(difference([a, a], [a, a, a]), { at: 2, removed: [], added: [a] });
});
