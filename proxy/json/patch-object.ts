/**
 * Replaces, adds or removes members of a JSON object in its text, and leaves every other byte as it was. Parsing and
 * serialising again would corrupt integers above 2^53 and cost far more on a long prompt.
 */

/** Name → new JSON text of the value, or undefined to remove the member. */
export type JsonPatch = Readonly<Record<string, string | undefined>>;

interface Member {
  readonly name: string;
  /** Where the member begins, at its name's quote. */
  readonly start: number;
  readonly end: number;
}

/** `text` must be a valid JSON object. */
export function patchObject(text: string, patch: JsonPatch): string {
  const open = text.indexOf('{');
  const kept: string[] = [];
  let copiedTo = -1;
  let runStart = -1;
  const closeRun = () => {
    if (runStart >= 0) kept.push(text.slice(runStart, copiedTo));
    runStart = -1;
  };
  for (const member of membersOf(text, open + 1)) {
    if (Object.hasOwn(patch, member.name)) {
      closeRun();
    } else {
      if (runStart < 0) runStart = member.start;
      copiedTo = member.end;
    }
  }
  closeRun();
  for (const [name, value] of Object.entries(patch)) {
    if (value !== undefined) kept.push(`${JSON.stringify(name)}:${value}`);
  }
  return `{${kept.join(',')}}`;
}

function* membersOf(text: string, from: number): Generator<Member> {
  let position = skipSpace(text, from);
  while (text[position] === '"') {
    const nameEnd = endOfString(text, position);
    const valueStart = skipSpace(text, skipSpace(text, nameEnd) + 1);
    const end = endOfValue(text, valueStart);
    // A name may be written with escapes; "mod\u0065l" is `model` to every parser.
    const name: unknown = JSON.parse(text.slice(position, nameEnd));
    yield { name: String(name), start: position, end };
    position = skipSpace(text, end);
    if (text[position] === ',') position = skipSpace(text, position + 1);
  }
}

function endOfValue(text: string, start: number): number {
  const first = text[start];
  if (first === '"') return endOfString(text, start);
  if (first === '{' || first === '[') return endOfNested(text, start);
  let position = start;
  while (position < text.length && !',}] \n\r\t'.includes(text.charAt(position))) position += 1;
  return position;
}

/** The position behind the bracket that closes the one at `start`. */
function endOfNested(text: string, start: number): number {
  let depth = 0;
  let position = start;
  while (position < text.length) {
    const character = text[position];
    if (character === '"') {
      position = endOfString(text, position);
      continue;
    }
    if (character === '{' || character === '[') depth += 1;
    else if (character === '}' || character === ']') depth -= 1;
    position += 1;
    if (depth === 0) return position;
  }
  return position;
}

/** The position behind the closing quote of the string that opens at `start`. */
function endOfString(text: string, start: number): number {
  let quote = text.indexOf('"', start + 1);
  while (quote >= 0 && isEscaped(text, quote)) quote = text.indexOf('"', quote + 1);
  return quote < 0 ? text.length : quote + 1;
}

function isEscaped(text: string, position: number): boolean {
  let backslashes = 0;
  while (text[position - 1 - backslashes] === '\\') backslashes += 1;
  return backslashes % 2 === 1;
}

function skipSpace(text: string, from: number): number {
  let position = from;
  while (position < text.length && ' \n\r\t'.includes(text.charAt(position))) position += 1;
  return position;
}
