/**
 * What the rows know of the page around them. Types only; nothing runs here.
 *
 * @typedef {import("./types.js").Row} Row
 * @typedef {import("./types.js").Block} Block
 * @typedef {import("./transcript.js").Thread} Thread
 *
 * @typedef {{
 *   words: import("./words.js").Words,
 *   slices: import("./slices.js").Slices,
 *   loadBlob: (sha: string, show: (url: string) => void) => void,
 *   shortened: (place: import("./shortened.js").Place, head: import("./shortened.js").Head,
 *     show: import("./shortened.js").Show) => HTMLElement,
 * }} PageContext
 *
 * One row's view. It changes its own content alone; its seat and whether that shows are not its business.
 * @typedef {{
 *   update: (row: Row) => void,
 *   append?: (block: number, text: string) => void,
 *   output?: (text: string) => void,
 *   hideReasoning?: (hidden: boolean) => void,
 *   thread?: () => HTMLElement,
 * }} RowView
 */

export {};
