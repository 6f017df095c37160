/**
 * What the rows know of the page around them. Types only; nothing runs here.
 *
 * @typedef {import("./types.js").Row} Row
 * @typedef {import("./types.js").Block} Block
 * @typedef {import("./transcript.js").Thread} Thread
 *
 * @typedef {{
 *   words: import("./words.js").Words,
 *   blobUrl: (sha: string) => string,
 *   shortened: (key: string, block: {bytes?: number, text?: string}, show: (whole: string) => void) => HTMLElement,
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
