/** The mode as this browser keeps it. The service's own preferences take its place when they are there. */

/** @typedef {import("./view.js").Mode} Mode */

const KEY = "turnfold.transcript_view";

/** @returns {Mode} compact unless `normal` was chosen here */
export function loadMode() {
  try {
    return localStorage.getItem(KEY) === "normal" ? "normal" : "compact";
  } catch {
    return "compact";
  }
}

/** @param {Mode} mode */
export function storeMode(mode) {
  try {
    localStorage.setItem(KEY, mode);
  } catch {
    // A browser that keeps nothing for this page still shows the mode until it is closed.
  }
}
