/**
 * Chunks that need not be parsed. Nearly all chunks of a stream differ only in a string or two: what was generated, and
 * the padding that OpenAI calls `obfuscation`. So a chunk that was parsed, validated and translated becomes a template:
 * the text around those strings, and the text to give out around them. A later event that is the same, character by
 * character, up to the inside of those strings, is translated by copying them.
 *
 * Why that is strict: a name followed by a colon cannot stand inside a JSON string, where its quotes would be escaped,
 * so the strings found are members' values; all else is compared exactly, up to the blank line that ends the event; the
 * inside of each string is checked to be JSON. Why the output is right: the template is made by translating the same
 * event with marks instead of the strings, so it shows where each of them goes, whatever the translation does.
 */
import { matchPlain, type PlainOutput, PlainPiece, type PlainTemplate, type Ranges } from './plain-piece.ts';
import { endOfStringInside, textInside } from './string-inside.ts';

const variableString = /"(?:content|reasoning_content|reasoning|arguments|text|obfuscation)":\s?"/g;
const stringsMax = 4;
const templatesMax = 4;
const eventMaxCharacters = 16_384;
/** So many may be made before they have proved useful; then one for so many events that were matched. */
const freeTemplates = 8;
const matchesForTemplate = 4;

const encoder = new TextEncoder();
const mark = `mark-${crypto.randomUUID()}-`;
const anyMark = new RegExp(`${mark}(\\d)-`);
const marks = Array.from({ length: stringsMax }, (_, number) => `${mark}${number}-`);

interface Template {
  /** The strings in turn: the text before each, with its opening quote, and whether the model has generated it. */
  readonly strings: readonly { readonly before: string; readonly generated: boolean }[];
  /** From the closing quote of the last to the end of the event. */
  readonly tail: string;
  /** Text and numbers of strings in turn. Undefined where the event goes out as it came. */
  readonly output: readonly (string | number)[] | undefined;
  /** The same in bytes, where every string goes out once, in its turn. */
  readonly plain: PlainTemplate | undefined;
}

export interface TranslatedPiece {
  /** The very same bytes where nothing changes. */
  readonly output: Uint8Array;
  /** Where the generated strings are in the piece as it came. They hold until the next piece. */
  readonly generated: Ranges;
}

export interface Match {
  /** The position behind the event. */
  readonly end: number;
  /** Undefined where the event goes out as it came. */
  readonly output: string | undefined;
  readonly generated: readonly string[];
}

export interface Translation {
  /** The very event where nothing has to change. */
  readonly output: string;
  readonly generated: readonly string[];
}

export class EventTemplates {
  #templates: readonly Template[] = [];
  #made = 0;
  #matches = 0;
  /** Used again for each piece. */
  readonly #strings: Ranges = [];
  readonly #generated: Ranges = [];

  /** Undefined where the event at `start` is not whole, or is like none before. */
  match(text: string, start: number): Match | undefined {
    for (const template of this.#templates) {
      const match = matchTemplate(template, text, start);
      if (match === undefined) continue;
      this.#matches += 1;
      return match;
    }
    return undefined;
  }

  /** A piece of nothing but whole events, as `match` would translate them; undefined where it has to be read as text. */
  matchPiece(bytes: Uint8Array): TranslatedPiece | undefined {
    this.#strings.length = 0;
    this.#generated.length = 0;
    const piece = new PlainPiece(bytes);
    let events = 0;
    let position = 0;
    while (position < bytes.length) {
      position = this.#matchPlain(bytes, position, piece);
      if (position < 0) return undefined;
      events += 1;
    }
    this.#matches += events;
    return events === 0 ? undefined : { output: piece.output, generated: this.#generated };
  }

  /** The position behind the event, which has been added to the piece; -1 where it has to be read as text. */
  #matchPlain(bytes: Uint8Array, start: number, piece: PlainPiece): number {
    const [strings, generated] = [this.#strings, this.#generated];
    const [first, firstGenerated] = [strings.length, generated.length];
    for (const { plain } of this.#templates) {
      // It may be the one that matches.
      if (plain === undefined) return -1;
      const end = matchPlain(plain, bytes, { start, strings, generated });
      if (end >= 0) return piece.add(plain, { start, end, strings, first }) ? end : -1;
      strings.length = first;
      generated.length = firstGenerated;
    }
    return -1;
  }

  /** `translate` is asked to translate the same event with other strings; it must not depend on what came before. */
  learn(event: string, translate: (event: string) => Translation): void {
    if (event.length > eventMaxCharacters) return;
    if (this.#made >= freeTemplates + this.#matches / matchesForTemplate) return;
    const split = splitAtStrings(event);
    if (split === undefined) return;
    this.#made += 1;
    let marked = '';
    for (const [number, before] of split.strings.entries()) marked += `${before}${marks[number]}`;
    marked += split.tail;
    const { output, generated } = translate(marked);
    // What has no mark would be generated by every event like this one, unseen.
    if (generated.some((text) => !marks.includes(text))) return;
    const { tail } = split;
    const strings = split.strings.map((before, number) => ({
      before,
      generated: generated.includes(marks[number] ?? ''),
    }));
    const pieces = output === marked ? undefined : splitAtMarks(output);
    const template = { strings, tail, output: pieces, plain: inBytes({ strings, tail }, pieces) };
    this.#templates = [template, ...this.#templates].slice(0, templatesMax);
  }

  /** What was learnt does not hold any longer. */
  clear(): void {
    this.#templates = [];
  }
}

function matchTemplate({ strings, tail, output }: Template, text: string, start: number): Match | undefined {
  const insides: string[] = [];
  const generated: string[] = [];
  let position = start;
  for (const { before, generated: isGenerated } of strings) {
    if (!text.startsWith(before, position)) return undefined;
    const end = endOfStringInside(text, position + before.length);
    if (end < 0) return undefined;
    const said = text.slice(position + before.length, end);
    if (isGenerated) generated.push(textInside(said));
    if (output !== undefined) insides.push(said);
    position = end;
  }
  if (!text.startsWith(tail, position)) return undefined;
  return { end: position + tail.length, output: output && rendered(output, insides), generated };
}

function rendered(output: readonly (string | number)[], insides: readonly string[]): string {
  let text = '';
  for (const piece of output) text += typeof piece === 'number' ? insides[piece] : piece;
  return text;
}

/** The event without the insides of its variable strings, or undefined where it is of no use as a template. */
function splitAtStrings(event: string): { strings: string[]; tail: string } | undefined {
  if (!event.startsWith('data:')) return undefined;
  const strings: string[] = [];
  let copiedTo = 0;
  variableString.lastIndex = 0;
  while (variableString.test(event)) {
    const start = variableString.lastIndex;
    const end = endOfStringInside(event, start);
    if (end < 0) return undefined;
    strings.push(event.slice(copiedTo, start));
    copiedTo = end;
  }
  if (strings.length === 0 || strings.length > stringsMax) return undefined;
  return { strings, tail: event.slice(copiedTo) };
}

/** `output` is undefined where the event goes out as it came. */
function inBytes(
  { strings, tail }: Pick<Template, 'strings' | 'tail'>,
  output: readonly (string | number)[] | undefined,
): PlainTemplate | undefined {
  const input = {
    strings: strings.map(({ before, generated }) => ({ before: encoder.encode(before), generated })),
    tail: encoder.encode(tail),
  };
  if (output === undefined) return { ...input, output };
  const inTurn = output.filter((piece) => typeof piece === 'number').every((number, turn) => number === turn);
  const texts = output.filter((piece) => typeof piece === 'string').map((text) => encoder.encode(text));
  const last = texts.pop();
  if (!inTurn || texts.length !== strings.length || last === undefined) return undefined;
  const rendered: PlainOutput = {
    befores: texts,
    tail: last,
    growth: sizeOf([...texts, last]) - sizeOf([...input.strings.map(({ before }) => before), input.tail]),
  };
  return { ...input, output: rendered };
}

function sizeOf(texts: readonly Uint8Array[]): number {
  return texts.reduce((sum, { length }) => sum + length, 0);
}

function splitAtMarks(output: string): (string | number)[] {
  return output.split(anyMark).map((piece, position) => (position % 2 === 1 ? Number(piece) : piece));
}
