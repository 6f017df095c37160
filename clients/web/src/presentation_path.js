/**
 * Changes one place of a presentation, named by a path of field names and ids, and shares the rest with the old one.
 *
 * An item of a list is named by its own `id`, `group` or `topology`, so that a path stays right when items are added.
 */

/**
 * @param {unknown} value
 * @param {string[]} path
 * @param {{set?: unknown, splice?: {at: number, remove: number, insert: unknown[]}}} change
 * @returns {any} the new value, or undefined if the path leads nowhere
 */
export function changed(value, path, change) {
  const [name, ...rest] = path;
  if (name === undefined) return changedHere(value, change);
  if (Array.isArray(value)) {
    const at = value.findIndex((item) => item?.id === name || item?.group === name || item?.topology === name);
    const item = at < 0 ? undefined : changed(value[at], rest, change);
    return item === undefined ? undefined : value.with(at, item);
  }
  if (typeof value !== "object" || value === null) return undefined;
  const field = changed(/** @type {Record<string, unknown>} */ (value)[name], rest, change);
  return field === undefined ? undefined : { ...value, [name]: field };
}

/** @param {unknown} value @param {{set?: unknown, splice?: {at: number, remove: number, insert: unknown[]}}} change */
function changedHere(value, change) {
  if (!change.splice) return change.set ?? null;
  if (!Array.isArray(value)) return undefined;
  const { at, remove, insert } = change.splice;
  return value.toSpliced(at, remove, ...insert);
}
