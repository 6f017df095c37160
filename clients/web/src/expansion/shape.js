/**
 * Shapes of plain values, for what comes from outside the types: fields that a shape does not name are ignored.
 *
 * @typedef {{fits: (value: unknown) => boolean}} Shape
 */

/** @type {Shape} */
export const text = { fits: (value) => typeof value === "string" };
/** @type {Shape} */
export const boolean = { fits: (value) => typeof value === "boolean" };
/** @type {Shape} */
export const integer = { fits: Number.isSafeInteger };

/** @param {...string} words @returns {Shape} */
export function oneOf(...words) {
  return { fits: (value) => typeof value === "string" && words.includes(value) };
}

/** A field that may be absent. @param {Shape} shape @returns {Shape} */
export function maybe(shape) {
  return { fits: (value) => value === undefined || shape.fits(value) };
}

/** A field that may be null or absent. @param {Shape} shape @returns {Shape} */
export function nullable(shape) {
  return { fits: (value) => value === undefined || value === null || shape.fits(value) };
}

/** @param {Shape} shape @returns {Shape} */
export function list(shape) {
  return { fits: (value) => Array.isArray(value) && value.every((one) => shape.fits(one)) };
}

/** An object's own fields, any name: values of one shape. @param {Shape} shape @returns {Shape} */
export function record(shape) {
  return { fits: (value) => isObject(value) && Object.values(value).every((one) => shape.fits(one)) };
}

/**
 * @template {Record<string, Shape>} Fields
 * @param {Fields} fields
 * @returns {Shape & {fields: Fields}}
 */
export function object(fields) {
  const named = Object.entries(fields);
  return { fields, fits: (value) => isObject(value) && named.every(([name, shape]) => shape.fits(value[name])) };
}

/** @param {unknown} value @returns {value is Record<string, unknown>} */
function isObject(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
