/**
 * What a turn shows: derived from its presentation, the reader's expansion, the mode and the history's completeness.
 *
 * 1. *Ready* (B-6): compact, the turn closed, an answer, the whole history held. Else all rows show and no control.
 * 2. The control shows where the turn is foldable (B-7); members hide while it is closed (B-8), the answer never.
 * 3. The answer's reasoning hides with the members (`reasoningHidden`), and it stands 8 px below the closed control
 *    where nothing of the reader's stands between (B-9).
 *
 * @typedef {import("./types.js").WebPresentation} WebPresentation
 * @typedef {"compact" | "normal"} Mode
 *
 * @typedef {Readonly<{control: boolean, open: boolean, generation: string, hidden: ReadonlySet<string>,
 *   members: readonly string[], answer: string | null, reasoningHidden: boolean, compactAnswer: boolean,
 *   label: WebPresentation["label"] | null}>} TurnView
 */

/** @type {ReadonlySet<string>} */
const NONE = new Set();

/** @type {TurnView} */
export const ALL_SHOWN = Object.freeze({
  control: false,
  open: false,
  generation: "",
  hidden: NONE,
  members: Object.freeze([]),
  answer: null,
  reasoningHidden: false,
  compactAnswer: false,
  label: null,
});

/**
 * @param {{status: string, presentation?: WebPresentation | null}} turn
 * @param {{mode: Mode, historyComplete: boolean, isOpen: (generation: string) => boolean}} reader
 * @returns {TurnView}
 */
export function viewOf(turn, reader) {
  const presentation = turn.presentation;
  const ready = reader.mode === "compact" && reader.historyComplete && turn.status === "closed";
  if (!ready || !presentation || presentation.answer === null || !presentation.foldable) return ALL_SHOWN;
  const open = reader.isOpen(presentation.generation);
  return {
    control: true,
    open,
    generation: presentation.generation,
    hidden: open ? NONE : new Set(presentation.members),
    members: presentation.members,
    answer: presentation.answer,
    reasoningHidden: !open && presentation.reasoning_hidden_when_closed,
    compactAnswer: !open && presentation.compact_answer_when_closed,
    label: presentation.label,
  };
}

/**
 * The focus guard (E-4): true if `view` would hide what has the focus, so that the group has to be opened instead.
 *
 * @param {TurnView} view
 * @param {{key: string, inReasoning: boolean} | null} focused the focused row of this turn
 * @returns {boolean}
 */
export function hidesFocus(view, focused) {
  if (!focused) return false;
  if (view.hidden.has(focused.key)) return true;
  return view.reasoningHidden && focused.inReasoning && focused.key === view.answer;
}
