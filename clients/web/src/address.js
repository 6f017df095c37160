/**
 * Addresses inside the page: `#SESSION`, `#SESSION/turn/3`, `#SESSION/row/KEY`, and below the calls that lead to a delegate's
 * transcript `#SESSION/call/ID/row/KEY`. Pure. Each part is percent-encoded, so that keys may hold anything.
 *
 * A place in a session: a turn, or a row by its key; `in` are the calls that lead to its transcript, the outermost first.
 * A search hit names the block of a step too (`ref`), and whether it is reasoning; no address does.
 * @typedef {Readonly<{turn: number, key?: undefined, in?: undefined}
 *   | {key: string, in: readonly string[], turn?: undefined, ref?: string, reasoning?: boolean}>} Target
 * @typedef {Readonly<{session: string, target: Target | null}>} Address `session` is empty where none is chosen
 */

/** @type {Address} */
const NOWHERE = Object.freeze({ session: "", target: null });

/** @param {string} hash with or without its `#`; one that is damaged leads nowhere @returns {Address} */
export function readAddress(hash) {
  const parts = decoded(hash.replace(/^#/, "").split("/"));
  if (!parts || !parts[0]) return NOWHERE;
  const [session, ...rest] = parts;
  return { session, target: targetOf(rest) };
}

/** @param {string} session @param {Target | null} [target] @returns {string} with its `#` */
export function writeAddress(session, target = null) {
  /** @type {(string | number)[]} */
  const parts = [session];
  if (target?.turn !== undefined) parts.push("turn", target.turn);
  else if (target) parts.push(...target.in.flatMap((call) => ["call", call]), "row", target.key);
  return `#${parts.map((part) => encodeURIComponent(part)).join("/")}`;
}

/** @param {string[]} parts @returns {Target | null} null: only the session is meant */
function targetOf(parts) {
  const calls = [];
  let at = 0;
  for (; parts[at] === "call" && parts[at + 1]; at += 2) calls.push(parts[at + 1]);
  const [what, name, ...more] = parts.slice(at);
  if (!name || more.length > 0) return null;
  if (what === "row") return { key: name, in: calls };
  return what === "turn" && calls.length === 0 && /^\d{1,15}$/.test(name) ? { turn: Number(name) } : null;
}

/** @param {string[]} parts @returns {string[] | null} null: damaged */
function decoded(parts) {
  try {
    return parts.map(decodeURIComponent);
  } catch {
    return null;
  }
}
