/**
 * The wire as this client reads it (docs: wire). Types only; nothing runs here.
 *
 * Absent means unknown. Fields that are not named here are ignored, as the wire demands.
 *
 * @typedef {{epoch: string, version: number}} Position
 *
 * @typedef {{type: string, text?: string, url?: string, data?: string, blob?: string, mime?: string,
 *   width?: number, height?: number, path?: string, unified?: string, call_id?: string, name?: string,
 *   input?: unknown, bytes?: number, truncated?: boolean, json?: boolean}} Block
 *
 * @typedef {{turns: TurnValue[], session_rows: Row[]}} ThreadValue
 *
 * One row. `kind` decides which of the other fields are there.
 * @typedef {{key: string, kind: string, turn?: number | null, step?: number, anchor?: number,
 *   status?: string, blocks?: Block[], content?: Block[], text?: string, reason?: string, source?: string,
 *   title?: string, name?: string, call_id?: string, input?: unknown, output?: string | Block[] | null,
 *   progress?: string, exit_code?: number, error?: unknown, duration_ms?: number, started_at_ms?: number,
 *   ended_at_ms?: number, delegate?: ThreadValue, query?: string, url?: string, sources?: unknown[],
 *   retry?: number, delay_ms?: number, failure?: unknown, trigger?: string, summary?: string,
 *   interaction?: string, outcome?: string, payload?: unknown, level?: string, code?: string,
 *   message?: string, phase?: string, id?: string, bytes?: number, truncated?: boolean,
 *   heads?: {field: string, bytes: number, json?: boolean}[]}} Row
 *
 * @typedef {{turn: number, control_anchor_seq: number, process_start_seq: number,
 *   answer_anchor_seq: number | null, answer_step: number | null, inline_reasoning: boolean,
 *   message_count: number, tool_call_count: number, subagent_count: number}} TurnProcessSpec
 *
 * @typedef {{generation: string, foldable: boolean, has_external_process: boolean,
 *   compact_answer_when_closed: boolean, answer: string | null, members: string[],
 *   reasoning_hidden_when_closed: boolean,
 *   label: {segments: {kind: string, count: number}[], text: string}}} WebPresentation
 *
 * What a desktop disclosure lists: an item by its `ref`, a group or a topology by its name.
 * @typedef {{ref?: string, kind?: string, group?: string, topology?: string, items?: DesktopNode[],
 *   tasks?: DesktopNode[], default_open?: boolean, group_id?: string, live?: boolean, failed?: boolean,
 *   streaming?: boolean, indicator?: boolean, visible_count?: number,
 *   title?: {actions: string[], more: boolean, operation_count: number, thinking_count: number, text: string}}} DesktopNode
 * @typedef {{status: string, phase?: string | null, started_at_ms?: number, duration_ms?: number, tool_count?: number,
 *   text?: string}} DesktopHeader
 * @typedef {{id: string, active?: boolean,
 *   disclosure?: {header?: DesktopHeader, default_open: boolean, items: DesktopNode[]} | null,
 *   answer?: string[], outside?: string[], boundary?: string | null}} DesktopEntry
 * @typedef {{entries: DesktopEntry[]}} DesktopPresentation
 *
 * @typedef {{turn: number, status: string, outcome?: string | null, waiting?: number,
 *   started_at_ms?: number | null, ended_at_ms?: number | null, spec?: TurnProcessSpec | null,
 *   queued?: {id: string, content: Block[]}[], presentation?: WebPresentation | DesktopPresentation | null, rows: Row[]}} TurnValue
 *
 * @typedef {{position: Position, history_complete: boolean, before?: string | null,
 *   view?: {kind: string}, session_rows: Row[], turns: TurnValue[]}} WindowValue
 *
 * One change of a delta; `op` decides which of the other fields are there.
 * @typedef {{op: string, in?: string[], turn?: number | null, row?: Row, before?: string | null,
 *   key?: string, block?: number, text?: string, bytes?: number, from?: number, spec?: TurnProcessSpec | null,
 *   path?: string[], set?: unknown, splice?: {at: number, remove: number, insert: unknown[]},
 *   status?: string, outcome?: string | null, waiting?: number, started_at_ms?: number | null,
 *   ended_at_ms?: number | null}} Op
 *
 * @typedef {{type: string, sub?: string, view_rev?: number, position?: Position, part?: number,
 *   last?: boolean, from?: number, to?: number, epoch?: string, ops?: Op[], history_complete?: boolean,
 *   before?: string | null, session_rows?: Row[], turns?: TurnValue[], reason?: string, code?: string,
 *   message?: string, retry?: boolean, reconnect_after_ms?: number, server_time_ms?: number, limits?: Record<string, number>,
 *   preferences?: unknown}} Frame
 *
 * @typedef {{session: string, title?: string | null, agent?: string | null, model?: string | null,
 *   cwd?: string | null, waiting?: number, turn_count?: number, updated_at_ms?: number | null,
 *   created_at_ms?: number | null, last_ts_ms?: number | null, first_ts_ms?: number | null,
 *   turn?: {turn: number, status: string, outcome?: string | null} | null}} Summary
 */

export {};
