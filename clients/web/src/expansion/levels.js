/**
 * The levels of a desktop turn: what has a header of its own, and what stands above it.
 *
 * An entry that a delta left alone is the same value as before, and so are its levels: what is asked of a turn costs
 * the rows of the entries that changed.
 *
 * `key` is the address as one text. `default_open` is the service's default, null where there is nothing to open, as in a message. `above` is what a level
 * stands in, the outermost first. `single` is the group of an item that stands by itself now (C-6).
 * @typedef {Readonly<{at: Address, key: string, default_open: boolean | null, above: readonly Level[], single: Address | null}>} Level
 *
 * @typedef {import("./state.js").Address} Address
 * @typedef {import("./state.js").Pane} Pane
 * @typedef {import("./actions.js").DesktopTurn} DesktopTurn
 * @typedef {import("../types.js").DesktopEntry} Entry
 * @typedef {import("../types.js").DesktopNode} Node
 */

import { leadsTo } from "./reveals.js";
import { isAround, keyOf, pathOf } from "./state.js";

/** By the entry and, as text, the path that it stands in. @type {WeakMap<Entry, Map<string, ReadonlyMap<string, Level>>>} */
const known = new WeakMap();

/** All levels of a turn in transcript order, each after those above it. @param {DesktopTurn} turn @returns {Generator<Level>} */
export function* levels(turn) {
  for (const entry of entriesOf(turn)) yield* entryLevels(entry, pathOf(turn)).values();
}

/** @param {DesktopTurn} turn @param {Address} at @returns {Level | null} */
export function find(turn, at) {
  const key = keyOf(at);
  for (const entry of entriesOf(turn)) {
    const level = entryLevels(entry, pathOf(turn)).get(key);
    if (level) return level;
  }
  return null;
}

/** @param {DesktopTurn} turn @returns {readonly Entry[]} */
function entriesOf(turn) {
  return listOf(turn.presentation?.entries);
}

/** @template T @param {readonly T[] | undefined} value @returns {readonly T[]} */
function listOf(value) {
  return Array.isArray(value) ? value : [];
}

/** @param {Entry} entry @param {readonly string[]} path @returns {ReadonlyMap<string, Level>} */
function entryLevels(entry, path) {
  const byPath = known.get(entry) ?? new Map();
  known.set(entry, byPath);
  const name = JSON.stringify(path);
  if (!byPath.has(name)) byPath.set(name, new Map(levelsOf(entry, path).map((level) => [level.key, level])));
  return byPath.get(name);
}

/** @param {Entry} entry @param {readonly string[]} path @returns {Level[]} */
function levelsOf(entry, path) {
  if (!entry.disclosure) return [];
  const disclosure = levelOf("entry", entry.id, entry.disclosure.default_open, [], path);
  return [disclosure, ...listOf(entry.disclosure.items).flatMap((node) => nodeLevels(node, disclosure, path))];
}

/** @param {Node} node @param {Level} disclosure @param {readonly string[]} path @returns {Level[]} none for a kind of node that is not ours */
function nodeLevels(node, disclosure, path) {
  if (typeof node.ref === "string") return [itemOf(node, [disclosure], path)];
  const isGroup = typeof node.group === "string";
  const id = isGroup ? node.group : node.topology;
  if (typeof id !== "string") return [];
  const container = levelOf(isGroup ? "group" : "topology", id, node.default_open === true, [disclosure], path);
  const items = listOf(isGroup ? node.items : node.tasks).filter((item) => typeof item.ref === "string");
  return [container, ...items.map((item) => itemOf(item, [disclosure, container], path))];
}

/** @param {Node} node @param {readonly Level[]} above @param {readonly string[]} path @returns {Level} */
function itemOf(node, above, path) {
  /** @type {Address | null} */
  const single = typeof node.group_id === "string" ? { kind: "group", id: node.group_id, path } : null;
  const id = /** @type {string} */ (node.ref);
  return { ...levelOf("item", id, node.default_open ?? null, above, path), single };
}

/**
 * @param {import("./state.js").Kind} kind
 * @param {string} id
 * @param {boolean | null} defaultOpen
 * @param {readonly Level[]} above
 * @param {readonly string[]} path
 * @returns {Level}
 */
function levelOf(kind, id, defaultOpen, above, path) {
  const at = { kind, id, path };
  return { at, key: keyOf(at), default_open: defaultOpen, above, single: null };
}

/** The row of the call that a delegate's transcript hangs under, in the transcript `depth` levels in. @param {readonly string[]} path @param {number} depth @returns {Address} */
export function callItem(path, depth) {
  return { kind: "item", id: `tool:${path[depth]}`, path: path.slice(0, depth) };
}

/** What a delegate's turn stands in, out to the session's own: the calls and what is above them. @param {DesktopTurn} turn @param {readonly DesktopTurn[]} outer @returns {Level[]} */
export function around(turn, outer) {
  const path = pathOf(turn);
  return outer.flatMap((holder) => {
    if (!isAround(pathOf(holder), path)) return [];
    const call = find(holder, callItem(path, pathOf(holder).length));
    return call ? [...call.above, call] : [];
  });
}

/** What has to be open for a target to be seen (C-16); null: the turn does not show it. @param {DesktopTurn} turn @param {import("./state.js").Target} target @returns {Level[] | null} */
export function needed(turn, target) {
  if (JSON.stringify(pathOf(turn)) !== JSON.stringify(pathOf(target))) return null;
  const hits = [...levels(turn)].filter((level) => level.at.kind === "item" && leadsTo(target, level.at.id));
  if (hits.length) return [...new Set(hits.flatMap((level) => level.above))];
  return entriesOf(turn).some((entry) => shows(entry, target)) ? [] : null;
}

/** Whether a target stands outside every disclosure. @param {Entry} entry @param {import("./state.js").Target} target */
function shows(entry, target) {
  const outside = [...listOf(entry.answer), ...listOf(entry.outside), entry.boundary];
  return outside.some((ref) => typeof ref === "string" && leadsTo(target, ref));
}

/** Whether a level is open by itself: the stored choice, else the default (E-8). @param {Pane} pane @param {Level} level @returns {boolean} */
export function isOpen(pane, level) {
  return pane.choices.get(level.key)?.open ?? level.default_open === true;
}
