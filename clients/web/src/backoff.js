/** Longest wait before the first reconnection, in ms; it doubles with each failure. */
export const BASE_MS = 500;
/** No wait is longer than this. */
export const CAP_MS = 20_000;

/**
 * How long to wait before reconnecting: anything from 0 to a bound that doubles (full jitter), so that the readers of
 * a service that restarts do not come back all at once.
 *
 * @param {number} failures how many attempts failed in a row, from 0
 * @param {() => number} random from 0 to below 1
 * @returns {number} ms
 */
export function backoffMs(failures, random) {
  const bound = Math.min(CAP_MS, BASE_MS * 2 ** Math.min(failures, 16));
  return Math.floor(random() * bound);
}
