/**
 * Parses JSON so that it can be serialised again without loss. Otherwise an integer above 2^53, such as an id in the
 * arguments of a tool call, would be rounded.
 */

import { isRawJson, parseNumbers, rawJson } from '../../../shared/json-source.ts';

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
  return parseNumbers(text, (source, number) =>
    !Number.isSafeInteger(number) && integer.test(source) ? rawJson(source) : number,
  );
}

/** Whether `parseExact` has kept a number as raw JSON. */
export function isExactNumber(value: object): boolean {
  return isRawJson(value);
}
