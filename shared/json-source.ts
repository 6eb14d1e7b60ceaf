/** ECMAScript's "JSON.parse source text access", which TypeScript's types do not include yet: numbers as they are written. */

interface SourceJson {
  parse(text: string, reviver: (name: string, value: unknown, context?: { source?: string }) => unknown): unknown;
  rawJSON(text: string): unknown;
  isRawJSON(value: unknown): boolean;
}

const sourceJson = JSON as unknown as SourceJson;

/** Throws SyntaxError. `read` makes the value of each number, from its text and the number that would hold it. */
export function parseNumbers(text: string, read: (source: string, number: number) => unknown): unknown {
  return sourceJson.parse(text, (_name, value, context) =>
    typeof value === 'number' ? read(context?.source ?? String(value), value) : value,
  );
}

/** Throws SyntaxError. Every number is the text that it is written as, so no digit of a price is lost. */
export function parseNumbersAsText(text: string): unknown {
  return parseNumbers(text, (source) => source);
}

/** A value that `JSON.stringify` writes as this text. */
export function rawJson(text: string): unknown {
  return sourceJson.rawJSON(text);
}

/** Whether `rawJson` made it. */
export function isRawJson(value: unknown): boolean {
  return sourceJson.isRawJSON(value);
}
