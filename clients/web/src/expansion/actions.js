/**
 * The actions: what the reader did, or what became of a turn. Each carries the turn that it happened in, as the client
 * holds it then; inside a delegate's transcript, `outer` holds the turns around it, the outermost first.
 *
 * @typedef {import("./state.js").Address} Address
 * @typedef {import("./state.js").Target} Target
 * @typedef {import("../types.js").WebPresentation} WebPresentation
 * @typedef {import("../types.js").DesktopPresentation} DesktopPresentation
 *
 * `rows` tells which rows of the turn the client holds, by their keys.
 * @typedef {Readonly<{turn: number, status: string, presentation?: WebPresentation | null,
 *   rows: {has: (key: string) => boolean}, path?: readonly string[]}>} WebTurn
 * @typedef {Readonly<{presentation?: DesktopPresentation | null, path?: readonly string[]}>} DesktopTurn
 *
 * What the client shows of a web transcript. `history_complete` is the service's word on what the client holds,
 * `fold_partial` the reader's option to fold whole turns before that (E-5).
 * @typedef {"compact" | "normal"} Mode
 * @typedef {Readonly<{mode: Mode, history_complete: boolean, fold_partial: boolean}>} Window
 *
 * The row that holds the keyboard's focus, and whether it is in its reasoning.
 * @typedef {Readonly<{row: string, reasoning?: boolean}>} RowFocus
 *
 * Where the focus or a part of the selection is: on a header, or `inside` what it opens.
 * @typedef {Readonly<{kind: string, id: string, inside?: boolean, path?: readonly string[]}>} Point
 *
 * The reader used the turn's control; the browser's search found something in the process (E-2); the reader closed it
 * by something else than its control.
 * @typedef {{type: "web/toggle" | "web/open" | "web/close", session: string, turn: WebTurn, outer?: readonly WebTurn[]}} WebGesture
 *
 * The turn, the mode or the history's completeness changed; `focus` is null if it is not in this turn.
 * @typedef {{type: "web/settle", session: string, turn: WebTurn, outer?: readonly WebTurn[], window: Window,
 *   focus?: RowFocus | null}} WebSettle
 *
 * A search hit or a link is to be seen (E-10). `request` grows with each new one; `turn` is null while the client does
 * not hold it; `ancestors` are what has to open, where the service told it with the hit.
 * @typedef {{type: "web/reveal", session: string, request: number, target: Target, turn?: WebTurn | null,
 *   outer?: readonly WebTurn[]}} WebReveal
 * @typedef {{type: "desktop/reveal", session: string, request: number, target: Target, turn?: DesktopTurn | null,
 *   outer?: readonly DesktopTurn[], ancestors?: readonly Address[] | null}} DesktopReveal
 *
 * The reader used a header or a group's fold bar (E-8); the focus or a selection came to it (E-9).
 * @typedef {{type: "desktop/toggle" | "desktop/touch", session: string, turn: DesktopTurn,
 *   outer?: readonly DesktopTurn[], at: Address}} DesktopGesture
 *
 * The turn or the view's preferences changed; `attention` is where focus and selection are (E-8).
 * @typedef {{type: "desktop/settle", session: string, turn: DesktopTurn, outer?: readonly DesktopTurn[],
 *   attention?: readonly Point[]}} DesktopSettle
 *
 * The session was deleted, or its pane evicted (E-3).
 * @typedef {{type: "forget", session: string}} Forget
 *
 * @typedef {WebGesture | WebSettle | WebReveal} WebAction
 * @typedef {DesktopGesture | DesktopSettle | DesktopReveal} DesktopAction
 * @typedef {WebAction | DesktopAction | Forget} Action
 */

import { boolean, integer, list, maybe, nullable, object, oneOf, text } from "./shape.js";

const path = maybe(list(text));
export const ADDRESS = object({ kind: oneOf("entry", "group", "topology", "item", "control"), id: text, path });
export const TARGET = object({ ref: text, reasoning: maybe(boolean), path });
const POINT = object({ kind: ADDRESS.fields.kind, id: text, inside: maybe(boolean), path });
// What is in a presentation is the service's word, and the readers of it pass over what they do not know.
const WEB_TURN = object({ turn: integer, status: text, presentation: nullable(object({})), rows: object({}), path });
const DESKTOP_TURN = object({ presentation: nullable(object({})), path });

const web = { session: text, turn: WEB_TURN, outer: maybe(list(WEB_TURN)) };
const desktop = { session: text, turn: DESKTOP_TURN, outer: maybe(list(DESKTOP_TURN)) };
const gesture = object(web);
const headerGesture = object({ ...desktop, at: ADDRESS });
const WINDOW = object({ mode: oneOf("compact", "normal"), history_complete: boolean, fold_partial: boolean });
const FOCUS = object({ row: text, reasoning: maybe(boolean) });
const reveal = { request: integer, target: TARGET };

/** @type {Map<unknown, ReturnType<typeof object>>} */
const SHAPES = new Map([
  ["web/toggle", gesture],
  ["web/open", gesture],
  ["web/close", gesture],
  ["web/settle", object({ ...web, window: WINDOW, focus: nullable(FOCUS) })],
  ["web/reveal", object({ ...web, ...reveal, turn: nullable(WEB_TURN) })],
  ["desktop/toggle", headerGesture],
  ["desktop/touch", headerGesture],
  ["desktop/settle", object({ ...desktop, attention: maybe(list(POINT)) })],
  ["desktop/reveal", object({ ...desktop, ...reveal, turn: nullable(DESKTOP_TURN), ancestors: nullable(list(ADDRESS)) })],
  ["forget", object({ session: text })],
]);

/** Whether a value is an action of the shape that its type asks for. @param {unknown} value @returns {value is Action} */
export function isAction(value) {
  const type = /** @type {{type?: unknown} | null | undefined} */ (value)?.type;
  return SHAPES.get(type)?.fits(value) ?? false;
}
