/**
 * Parses JSON so that it can be serialised again without loss. Otherwise an integer above 2^53, such as an id in the
 * arguments of a tool call, would be rounded.
 */

const integer = /^-?\d+$/;
/** 2^53 has 16 digits. Searching for them first is far cheaper than checking every value. */
const manyDigits = /\d{16}/;

/** Whether the text may contain a number that a JavaScript number cannot hold. */
export function hasLongNumber(text: string): boolean {
  return manyDigits.test(text);
}

/** Throws SyntaxError. Integers that a number cannot hold become raw JSON, which `JSON.stringify` writes unchanged. */
export function parseExact(text: string): unknown {
  if (!hasLongNumber(text)) return JSON.parse(text);
  return exactJson.parse(text, (_name, value, context) =>
    typeof value === 'number' && !Number.isSafeInteger(value) && integer.test(context?.source ?? '')
      ? exactJson.rawJSON(context?.source ?? '')
      : value,
  );
}

/** Whether `parseExact` has kept a number as raw JSON. */
export function isExactNumber(value: object): boolean {
  return exactJson.isRawJSON(value);
}

/** ECMAScript's "JSON.parse source text access", which TypeScript's types do not include yet. */
interface ExactJson {
  parse(text: string, reviver: (name: string, value: unknown, context?: { source?: string }) => unknown): unknown;
  rawJSON(text: string): unknown;
  isRawJSON(value: unknown): boolean;
}

const exactJson = JSON as unknown as ExactJson;
