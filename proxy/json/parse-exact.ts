/**
 * JSON that goes through us as values and comes out as it was: an integer above 2^53, such as an id in the arguments of
 * a tool call, would otherwise be rounded on the way.
 */

const integer = /^-?\d+$/;
/** 2^53 has 16 digits. Looking for them first is far cheaper than asking about every value. */
const manyDigits = /\d{16}/;

/** Whether there may be a number that does not survive being one of JavaScript's. */
export function hasLongNumber(text: string): boolean {
  return manyDigits.test(text);
}

/** Throws SyntaxError. Integers that a number cannot hold are kept as JSON.stringify has to write them. */
export function parseExact(text: string): unknown {
  if (!hasLongNumber(text)) return JSON.parse(text);
  return exactJson.parse(text, (_name, value, context) =>
    typeof value === 'number' && !Number.isSafeInteger(value) && integer.test(context?.source ?? '')
      ? exactJson.rawJSON(context?.source ?? '')
      : value,
  );
}

/** ECMAScript's "JSON.parse source text access", which the library's types do not know yet. */
interface ExactJson {
  parse(text: string, reviver: (name: string, value: unknown, context?: { source?: string }) => unknown): unknown;
  rawJSON(text: string): unknown;
}

const exactJson = JSON as unknown as ExactJson;
