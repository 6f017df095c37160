import { commandRow, searchRow, toolRow } from "./tool.js";
import { compactionRow, customRow, errorRow, maxTokensRow, noticeRow, retryRow, tailRow } from "./notes.js";
import { interactionRow } from "./interaction.js";
import { contextRow, steeringRow, systemPromptRow, userRow } from "./prose.js";
import { stepRow } from "./step.js";

/** @typedef {import("../types.js").Row} Row */
/** @typedef {import("../page_context.js").PageContext} PageContext */
/** @typedef {import("../page_context.js").RowView} RowView */

/** Who draws which kind of row. @type {Record<string, (body: HTMLElement, page: PageContext, row: Row) => RowView>} */
const VIEWS = {
  system_prompt: systemPromptRow,
  user: userRow,
  steering: steeringRow,
  context: contextRow,
  assistant_step: stepRow,
  tool_call: toolRow,
  search: searchRow,
  retry: retryRow,
  command: commandRow,
  compaction: compactionRow,
  interaction: interactionRow,
  notice: noticeRow,
  turn_error: errorRow,
  turn_max_tokens: maxTokensRow,
  turn_tail: tailRow,
};

/** @param {HTMLElement} body @param {PageContext} page @param {Row} row @returns {RowView} */
export function rowView(body, page, row) {
  const make = Object.hasOwn(VIEWS, row.kind) ? VIEWS[row.kind] : customRow;
  return make(body, page, row);
}
