/**
 * Translates chunks without parsing them. Nearly all chunks of a stream differ only in a string or two: the generated
 * text, and the padding that OpenAI calls `obfuscation`. So a chunk that was parsed, validated and translated becomes a
 * template: the text around those strings, and the translated text around them. A later event that is identical except
 * for the content of those strings is translated by copying them.
 *
 * Why this is strict: a quoted name followed by a colon cannot occur inside a JSON string, where its quotes would be
 * escaped, so the strings found are members' values. Everything else is compared exactly, up to the blank line that
 * ends the event, and the content of each string is checked to be valid JSON. Why the output is right: the template is
 * made by translating the same event with marks in place of the strings, so it shows where each string goes, whatever
 * the translation does.
 */
import type { GeneratedText } from './choice-reader.ts';
import { PlainChunk, type PlainOutput, type PlainTemplate } from './plain-chunk.ts';
import { endOfStringInside, textInside } from './string-inside.ts';

const variableString = /"(?:content|reasoning_content|reasoning|arguments|text|obfuscation)":\s?"/g;
const stringsMax = 4;
const templatesMax = 4;
const eventMaxCharacters = 16_384;
/** How many templates may be made up front; after that, one more for every few events that were matched. */
const freeTemplates = 8;
const matchesForTemplate = 4;

const encoder = new TextEncoder();
const mark = `mark-${crypto.randomUUID()}-`;
const anyMark = new RegExp(`${mark}(\\d)-`);
const marks = Array.from({ length: stringsMax }, (_, number) => `${mark}${number}-`);

interface TemplateString {
  /** With its opening quote. */
  readonly before: string;
  /** Which choice it belongs to, if the model has generated it. */
  readonly choice: number | undefined;
}

interface Template {
  /** In order. */
  readonly strings: readonly TemplateString[];
  /** From the closing quote of the last string to the end of the event. */
  readonly tail: string;
  /** Text and indices of strings, in order. Undefined if the event is passed on unchanged. */
  readonly output: readonly (string | number)[] | undefined;
  /** The same in bytes, if the output has every string once and in order. */
  readonly plain: PlainTemplate | undefined;
}

export interface Match {
  /** The position after the event. */
  readonly end: number;
  /** Undefined if the event is passed on unchanged. */
  readonly output: string | undefined;
  readonly generated: readonly GeneratedText[];
}

export interface Translation {
  /** The event itself if nothing has to change. */
  readonly output: string;
  readonly generated: readonly GeneratedText[];
}

export class EventTemplates {
  #templates: readonly Template[] = [];
  #made = 0;
  #matches = 0;
  readonly #chunk = new PlainChunk();

  /** Undefined if the event at `start` is incomplete, or matches no template. */
  match(text: string, start: number): Match | undefined {
    for (const template of this.#templates) {
      const match = matchTemplate(template, text, start);
      if (match === undefined) continue;
      this.#matches += 1;
      return match;
    }
    return undefined;
  }

  /** Translates a chunk of only whole events, as `match` would; undefined if it has to be read as text. Valid until the next. */
  matchChunk(bytes: Uint8Array): PlainChunk | undefined {
    this.#chunk.begin(bytes);
    let events = 0;
    let position = 0;
    while (position < bytes.length) {
      position = this.#addPlain(position);
      if (position < 0) return undefined;
      events += 1;
    }
    this.#matches += events;
    return events === 0 ? undefined : this.#chunk;
  }

  /** Adds the event to the chunk and returns the position after it; -1 if it has to be read as text. */
  #addPlain(start: number): number {
    for (const { plain } of this.#templates) {
      // This template may be the one that matches.
      if (plain === undefined) return -1;
      const end = this.#chunk.add(plain, start);
      if (end >= 0) return end;
    }
    return -1;
  }

  /** `translate` is called with the same event and other strings; it must not depend on earlier events. */
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
    // Generated text without a mark would be missed in every event like this one.
    if (generated.some(({ text }) => !marks.includes(text))) return;
    const { tail } = split;
    const strings = split.strings.map((before, number) => ({
      before,
      choice: generated.find(({ text }) => text === marks[number])?.choice,
    }));
    const segments = output === marked ? undefined : splitAtMarks(output);
    const template = { strings, tail, output: segments, plain: inBytes({ strings, tail }, segments) };
    this.#templates = [template, ...this.#templates].slice(0, templatesMax);
  }

  /** Called when the templates are no longer valid. */
  clear(): void {
    this.#templates = [];
  }
}

function matchTemplate({ strings, tail, output }: Template, text: string, start: number): Match | undefined {
  const insides: string[] = [];
  const generated: GeneratedText[] = [];
  let position = start;
  for (const { before, choice } of strings) {
    if (!text.startsWith(before, position)) return undefined;
    const end = endOfStringInside(text, position + before.length);
    if (end < 0) return undefined;
    const inside = text.slice(position + before.length, end);
    if (choice !== undefined) generated.push({ choice, text: textInside(inside) });
    if (output !== undefined) insides.push(inside);
    position = end;
  }
  if (!text.startsWith(tail, position)) return undefined;
  return { end: position + tail.length, output: output && rendered(output, insides), generated };
}

function rendered(output: readonly (string | number)[], insides: readonly string[]): string {
  let text = '';
  for (const segment of output) text += typeof segment === 'number' ? insides[segment] : segment;
  return text;
}

/** The event without the content of its variable strings, or undefined if it cannot be a template. */
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

/** `output` is undefined if the event is passed on unchanged. */
function inBytes(
  { strings, tail }: Pick<Template, 'strings' | 'tail'>,
  output: readonly (string | number)[] | undefined,
): PlainTemplate | undefined {
  const input = {
    strings: strings.map(({ before, choice }) => ({ before: encoder.encode(before), choice })),
    tail: encoder.encode(tail),
  };
  if (output === undefined) return { ...input, output };
  const inOrder = output.filter((segment) => typeof segment === 'number').every((number, index) => number === index);
  const texts = output.filter((segment) => typeof segment === 'string').map((text) => encoder.encode(text));
  const last = texts.pop();
  if (!inOrder || texts.length !== strings.length || last === undefined) return undefined;
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
  return output.split(anyMark).map((segment, position) => (position % 2 === 1 ? Number(segment) : segment));
}
