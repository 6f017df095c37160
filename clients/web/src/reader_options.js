/**
 * What the reader chose in this browser alone: whether turns fold that are whole before all of the history is there
 * (E-5). Everything else is a preference, which the service keeps (`preferences.js`).
 *
 * @typedef {Readonly<{view: import("./subscription.js").ViewKind, mode: import("./expansion/actions.js").Mode, foldPartial: boolean}>} ReaderOptions
 */

const FOLD_PARTIAL = "turnfold.fold_partial";

/** @returns {boolean} false unless it was chosen otherwise here */
export function loadFoldPartial() {
  try {
    return localStorage.getItem(FOLD_PARTIAL) === "yes";
  } catch {
    return false;
  }
}

/** @param {boolean} foldPartial */
export function storeFoldPartial(foldPartial) {
  try {
    localStorage.setItem(FOLD_PARTIAL, foldPartial ? "yes" : "no");
  } catch {
    // A browser that keeps nothing for this page still shows what was chosen until it is closed.
  }
}
