/**
 * Replaces, adds or removes members of a JSON object in its text, and leaves every other byte unchanged. Parsing and
 * serialising again would corrupt integers above 2^53 and cost far more on a long prompt.
 */

/** Name → new JSON text of the value, or undefined to remove the member. */
export type JsonPatch = Readonly<Record<string, string | undefined>>;

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const openBrace = 0x7b;
const closeBrace = 0x7d;
const openBracket = 0x5b;
const closeBracket = 0x5d;
const maxAscii = 0x7f;

/** `text` must be a valid JSON object. */
export function patchObject(text: string, patch: JsonPatch): string {
  const runs = unchangedRuns(text, patch);
  let output = '';
  for (let place = 0; place < runs.length; place += 2)
    output += opening(output) + text.slice(runs[place], runs[place + 1]);
  for (const name in patch) {
    const value = patch[name];
    if (value !== undefined) output += `${opening(output)}${quotedName(name)}:${value}`;
  }
  return output === '' ? '{}' : `${output}}`;
}

/**
 * The parts of the patched object, one after the other. What is unchanged is not copied: of a text they are its substrings, and
 * of one in UTF-8 views of it.
 */
export function patchedParts<Whole extends string | Buffer<ArrayBuffer>>(
  whole: Whole,
  patch: JsonPatch,
): (string | Whole)[] {
  const parts: (string | Whole)[] = [];
  const runs = unchangedRuns(typeof whole === 'string' ? whole : new Utf8(whole), patch);
  for (let place = 0; place < runs.length; place += 2) {
    const [start, end] = [runs[place], runs[place + 1]];
    const run = typeof whole === 'string' ? whole.slice(start, end) : whole.subarray(start, end);
    parts.push(parts.length === 0 ? '{' : ',', run as Whole);
  }
  for (const name in patch) {
    const value = patch[name];
    if (value !== undefined) parts.push(`${parts.length === 0 ? '{' : ','}${quotedName(name)}:${value}`);
  }
  return parts.length === 0 ? ['{}'] : [...parts, '}'];
}

function opening(output: string): string {
  return output === '' ? '{' : ',';
}

/** A text, as far as it is looked at: a string, or bytes. */
interface Characters {
  readonly length: number;
  charCodeAt(position: number): number;
  indexOf(character: string, from: number): number;
  startsWith(part: string, position: number): boolean;
  slice(start: number, end: number): string;
}

/** Each byte is a character here. All of JSON's syntax is ASCII, and no byte of another character is. */
class Utf8 implements Characters {
  readonly length: number;
  readonly #bytes: Buffer;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
    this.length = bytes.length;
  }

  charCodeAt(position: number): number {
    return this.#bytes[position] ?? Number.NaN;
  }

  indexOf(character: string, from: number): number {
    return this.#bytes.indexOf(character.charCodeAt(0), from);
  }

  /** Of ASCII, which names of parameters are. */
  startsWith(part: string, position: number): boolean {
    for (let place = 0; place < part.length; place += 1) {
      if (this.#bytes[position + place] !== part.charCodeAt(place)) return false;
    }
    return true;
  }

  slice(start: number, end: number): string {
    return this.#bytes.toString('utf8', start, end);
  }
}

/** The runs of adjacent members that stay as they are: start and end of the first, of the second, and so on. */
function unchangedRuns(text: Characters, patch: JsonPatch): readonly number[] {
  const runs: number[] = [];
  let runStart = -1;
  let runEnd = -1;
  let isFew = true;
  let names = 0;
  for (const _ in patch) isFew = ++names <= comparedMax;
  let position = skipSpace(text, text.indexOf('{', 0) + 1);
  while (text.charCodeAt(position) === quote) {
    const start = position;
    const nameEnd = endOfString(text, start);
    const end = endOfValue(text, skipSpace(text, skipSpace(text, nameEnd) + 1));
    if (isPatched(text, { start, end: nameEnd, isFew }, patch)) {
      if (runStart >= 0) runs.push(runStart, runEnd);
      runStart = -1;
    } else {
      if (runStart < 0) runStart = start;
      runEnd = end;
    }
    position = skipSpace(text, end);
    if (text.charCodeAt(position) === comma) position = skipSpace(text, position + 1);
  }
  if (runStart >= 0) runs.push(runStart, runEnd);
  return runs;
}

/** The names that are added are ours, and few. */
const quotedNames = new Map<string, string>();
const quotedNamesMax = 1_000;

function quotedName(name: string): string {
  const before = quotedNames.get(name);
  if (before !== undefined) return before;
  const quoted = JSON.stringify(name);
  if (quotedNames.size < quotedNamesMax) quotedNames.set(name, quoted);
  return quoted;
}

/** So few names are compared one after the other, which makes no text of the name. */
const comparedMax = 16;

interface Name {
  readonly start: number;
  readonly end: number;
  /** Whether few names are patched. */
  readonly isFew: boolean;
}

/** Of a name with its quotes. It may have escapes: "mod\u0065l" is `model` to every parser. */
function isPatched(text: Characters, { start, end, isFew }: Name, patch: JsonPatch): boolean {
  for (let position = start + 1; position < end - 1; position += 1) {
    const code = text.charCodeAt(position);
    // Rare; and only of ASCII, bytes and characters are the same.
    if (code === backslash || code > maxAscii) return Object.hasOwn(patch, String(JSON.parse(text.slice(start, end))));
  }
  if (!isFew) return Object.hasOwn(patch, text.slice(start + 1, end - 1));
  const length = end - start - 2;
  for (const name in patch) if (name.length === length && text.startsWith(name, start + 1)) return true;
  return false;
}

function endOfValue(text: Characters, start: number): number {
  const first = text.charCodeAt(start);
  if (first === quote) return endOfString(text, start);
  if (first === openBrace || first === openBracket) return endOfNested(text, start);
  let position = start;
  while (position < text.length) {
    const code = text.charCodeAt(position);
    if (code === comma || code === closeBrace || code === closeBracket || isSpace(code)) break;
    position += 1;
  }
  return position;
}

/** The position after the bracket that closes the one at `start`. */
function endOfNested(text: Characters, start: number): number {
  let depth = 0;
  let position = start;
  while (position < text.length) {
    const code = text.charCodeAt(position);
    if (code === quote) {
      position = endOfString(text, position);
      continue;
    }
    position += 1;
    if (code === openBrace || code === openBracket) depth += 1;
    else if (code === closeBrace || code === closeBracket) {
      depth -= 1;
      if (depth === 0) return position;
    }
  }
  return position;
}

/** The position after the closing quote of the string that opens at `start`. */
function endOfString(text: Characters, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (end >= 0 && isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end < 0 ? text.length : end + 1;
}

function isEscaped(text: Characters, position: number): boolean {
  let backslashes = 0;
  while (text.charCodeAt(position - 1 - backslashes) === backslash) backslashes += 1;
  return backslashes % 2 === 1;
}

function skipSpace(text: Characters, from: number): number {
  let position = from;
  while (isSpace(text.charCodeAt(position))) position += 1;
  return position;
}

/** Space, line feed, carriage return, tab (RFC 8259 §2). */
function isSpace(code: number): boolean {
  return code <= 0x20 && (code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09);
}

/**
 * A new object, of members that are already JSON text: name → JSON text of the value. Amounts keep every digit, which a
 * JavaScript number could not hold.
 */
export function renderObject(members: Readonly<Record<string, string>>): string {
  return `{${Object.entries(members)
    .map(([name, value]) => `${JSON.stringify(name)}:${value}`)
    .join(',')}}`;
}
