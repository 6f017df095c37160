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
 *   loadBlob: (sha: string, show: (url: string) => void, failed: (problem: unknown) => void) => void,
 *   answers: {taken: () => boolean, send: (id: string, path: string[], answer: import("./session_calls.js").Answer) => Promise<void>},
 *   drafts: import("./drafts.js").SessionDrafts,
 *   shortened: (place: import("./shortened.js").Place, head: import("./shortened.js").Head,
 *     show: import("./shortened.js").Show) => HTMLElement,
 * }} PageContext
 *
 * What a presentation says of what a row opens: whether it is open, or only one word stands in its place (C-7).
 * @typedef {{open: boolean, indicator: boolean}} RowDetail
 *
 * A block of a step, where a presentation shows blocks apart.
 * @typedef {{element: HTMLElement, own?: import("./disclosure.js").Openable, detail?: (detail: RowDetail | null) => void}} Part
 *
 * One row's view. `shape` makes the elements of the row's parts without what is in them; `own` is the row's own
 * disclosure, `detail` lets a presentation open it. It changes its own content alone; its seat and whether that shows are not its business.
 * @typedef {{
 *   update: (row: Row) => void,
 *   append?: (block: number, text: string) => void,
 *   output?: (text: string) => void,
 *   hideReasoning?: (hidden: boolean) => void,
 *   shape?: (row: Row) => void,
 *   parts?: () => readonly Part[],
 *   cut?: HTMLElement,
 *   own?: import("./disclosure.js").Openable,
 *   detail?: (detail: RowDetail | null) => void,
 *   thread?: () => HTMLElement,
 * }} RowView
 */

export {};
