/**
 * What the reader chose for all sessions, as this browser keeps it. The service's own preferences take its place when
 * they are there.
 *
 * @typedef {import("./expansion/actions.js").Mode} Mode
 * @typedef {Readonly<{mode: Mode, foldPartial: boolean}>} ReaderOptions
 */

const MODE = "turnfold.transcript_view";
const FOLD_PARTIAL = "turnfold.fold_partial";

/** @returns {ReaderOptions} compact, and nothing folds before its history is whole, unless it was chosen otherwise here */
export function loadOptions() {
  return { mode: load(MODE) === "normal" ? "normal" : "compact", foldPartial: load(FOLD_PARTIAL) === "yes" };
}

/** @param {ReaderOptions} options */
export function storeOptions({ mode, foldPartial }) {
  store(MODE, mode);
  store(FOLD_PARTIAL, foldPartial ? "yes" : "no");
}

/** @param {string} key */
function load(key) {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

/** @param {string} key @param {string} value */
function store(key, value) {
  try {
    localStorage.setItem(key, value);
  } catch {
    // A browser that keeps nothing for this page still shows what was chosen until it is closed.
  }
}
