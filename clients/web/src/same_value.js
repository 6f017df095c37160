/**
 * True if two JSON values are equal, whatever the order of their fields.
 *
 * @param {unknown} left
 * @param {unknown} right
 * @returns {boolean}
 */
export function sameValue(left, right) {
  if (left === right) return true;
  if (typeof left !== "object" || typeof right !== "object" || left === null || right === null) return false;
  if (Array.isArray(left) !== Array.isArray(right)) return false;
  if (Array.isArray(left)) return sameItems(left, /** @type {unknown[]} */ (right));
  const a = /** @type {Record<string, unknown>} */ (left);
  const b = /** @type {Record<string, unknown>} */ (right);
  const names = Object.keys(a);
  if (names.length !== Object.keys(b).length) return false;
  return names.every((name) => Object.hasOwn(b, name) && sameValue(a[name], b[name]));
}

/** @param {unknown[]} left @param {unknown[]} right @returns {boolean} */
function sameItems(left, right) {
  return left.length === right.length && left.every((item, at) => sameValue(item, right[at]));
}
