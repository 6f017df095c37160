/**
 * The levels of a desktop turn: what has a header of its own, and what stands above it.
 *
 * What a delta left alone is the same value as before, and its levels are remembered with it: those of an entry, and in
 * an entry that changed those of each group and row. So what is asked of a turn costs a look at the rows of the
 * entries that changed, and the making of levels for what is new.
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

/** The levels of an entry, in the transcript that it was last asked for in. @type {WeakMap<Entry, {path: string, levels: readonly Level[]}>} */
const knownEntries = new WeakMap();

/** The levels of a node, under the disclosure that it was last asked for in. @type {WeakMap<Node, {disclosure: Level, levels: readonly Level[]}>} */
const knownNodes = new WeakMap();

/** All levels of a turn in transcript order, each after those above it. @param {DesktopTurn} turn @returns {Generator<Level>} */
export function* levels(turn) {
  for (const entry of entriesOf(turn)) yield* entryLevels(entry, pathOf(turn));
}

/** @param {DesktopTurn} turn @param {Address} at @returns {Level | null} */
export function find(turn, at) {
  const key = keyOf(at);
  for (const level of levels(turn)) if (level.key === key) return level;
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

/** @param {Entry} entry @param {readonly string[]} path @returns {readonly Level[]} */
function entryLevels(entry, path) {
  const name = JSON.stringify(path);
  const known = knownEntries.get(entry);
  if (known?.path === name) return known.levels;
  const found = levelsOf(entry, path);
  knownEntries.set(entry, { path: name, levels: found });
  return found;
}

/** @param {Entry} entry @param {readonly string[]} path @returns {Level[]} */
function levelsOf(entry, path) {
  if (!entry.disclosure) return [];
  const disclosure = levelOf("entry", entry.id, entry.disclosure.default_open, [], path);
  const found = [disclosure];
  for (const node of listOf(entry.disclosure.items)) found.push(...nodeLevels(node, disclosure));
  return found;
}

/** @param {Node} node @param {Level} disclosure @returns {readonly Level[]} */
function nodeLevels(node, disclosure) {
  const known = knownNodes.get(node);
  if (known?.disclosure.key === disclosure.key && known.disclosure.default_open === disclosure.default_open) return known.levels;
  const found = levelsIn(node, disclosure, pathOf(disclosure.at));
  knownNodes.set(node, { disclosure, levels: found });
  return found;
}

/** @param {Node} node @param {Level} disclosure @param {readonly string[]} path @returns {Level[]} none for a kind of node that is not ours */
function levelsIn(node, disclosure, path) {
  if (typeof node.ref === "string") return [itemOf(node, node.ref, [disclosure], path)];
  const isGroup = typeof node.group === "string";
  const id = isGroup ? node.group : node.topology;
  if (typeof id !== "string") return [];
  const container = levelOf(isGroup ? "group" : "topology", id, node.default_open === true, [disclosure], path);
  const above = [disclosure, container];
  const items = listOf(isGroup ? node.items : node.tasks);
  return [container, ...items.flatMap((item) => (typeof item.ref === "string" ? [itemOf(item, item.ref, above, path)] : []))];
}

/** @param {Node} node @param {string} ref @param {readonly Level[]} above @param {readonly string[]} path @returns {Level} */
function itemOf(node, ref, above, path) {
  /** @type {Address | null} */
  const single = typeof node.group_id === "string" ? { kind: "group", id: node.group_id, path } : null;
  return { ...levelOf("item", ref, node.default_open ?? null, above, path), single };
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

/** What has to be open for a target to be seen (C-16), perhaps more than once; null: the turn does not show it. @param {DesktopTurn} turn @param {import("./state.js").Target} target @returns {Level[] | null} */
export function needed(turn, target) {
  if (JSON.stringify(pathOf(turn)) !== JSON.stringify(pathOf(target))) return null;
  const hits = [...levels(turn)].filter((level) => level.at.kind === "item" && leadsTo(target, level.at.id));
  if (hits.length) return hits.flatMap((level) => level.above);
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
