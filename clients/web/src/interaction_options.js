/**
 * What a reader can answer to an interaction, read out of what its producer sent with it (docs/interactions.md). Pure.
 *
 * @typedef {Readonly<{outcome: string, label: string, note: string}>} Option
 */

/** What the service takes as an outcome. */
const MAX_OUTCOME_CHARS = 256;
/** More is no choice but a form, which is the producer's to draw. */
const MAX_OPTIONS = 24;
const NAMES = ["id", "optionId", "value", "outcome", "label", "title", "name"];
const LABELS = ["label", "title", "name", "id", "optionId", "value", "outcome"];

/** The choices that the producer offers; empty: none, or not in a form that we know. @param {unknown} payload @returns {Option[]} */
export function optionsOf(payload) {
  const held = fieldsOf(payload);
  const questions = Array.isArray(held.questions) && held.questions.length === 1 ? fieldsOf(held.questions[0]) : held;
  const given = Array.isArray(questions.options) ? questions.options.slice(0, MAX_OPTIONS) : [];
  return given.flatMap((one) => optionOf(one) ?? []);
}

/** Whether an interaction without options is a yes or a no; else it is answered by a text. @param {string | undefined} kind */
export function isYesOrNo(kind) {
  return kind === "permission" || kind === "plan";
}

/** @param {unknown} given @returns {Option | null} */
function optionOf(given) {
  const fields = typeof given === "string" ? { id: given } : fieldsOf(given);
  const outcome = firstText(fields, NAMES);
  if (!outcome || outcome.length > MAX_OUTCOME_CHARS) return null;
  return { outcome, label: firstText(fields, LABELS), note: firstText(fields, ["description"]) };
}

/** @param {unknown} value @returns {Record<string, unknown>} */
function fieldsOf(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? /** @type {Record<string, unknown>} */ (value) : {};
}

/** @param {Record<string, unknown>} fields @param {readonly string[]} names @returns {string} */
function firstText(fields, names) {
  for (const name of names) if (Object.hasOwn(fields, name) && typeof fields[name] === "string" && fields[name]) return /** @type {string} */ (fields[name]);
  return "";
}
