/**
 * What differs between two lists of values that share what did not change: `removed` stood where `added` stands now,
 * behind the first `at`. Costs a look at what is equal, and nothing is made of it. Pure.
 *
 * @template T
 * @param {readonly T[]} before
 * @param {readonly T[]} after
 * @returns {{at: number, removed: readonly T[], added: readonly T[]}}
 */
export function difference(before, after) {
  const shorter = Math.min(before.length, after.length);
  let at = 0;
  while (at < shorter && before[at] === after[at]) at += 1;
  let same = 0;
  while (same < shorter - at && before[before.length - 1 - same] === after[after.length - 1 - same]) same += 1;
  return { at, removed: before.slice(at, before.length - same), added: after.slice(at, after.length - same) };
}
