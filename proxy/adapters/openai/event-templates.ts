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
import { estimatePieceTokens } from '../../metering/estimate-tokens.ts';
import { endOfStringInside } from './string-inside.ts';

const variableString = /"(?:content|reasoning_content|reasoning|arguments|text|obfuscation)":\s?"/g;
const stringsMax = 4;
const templatesMax = 4;
const eventMaxCharacters = 16_384;
/** So many may be made before they have proved useful; then one for so many events that were matched. */
const freeTemplates = 8;
const matchesForTemplate = 4;

const mark = `mark-${crypto.randomUUID()}-`;
const anyMark = new RegExp(`${mark}(\\d)-`);

interface Template {
  /** What stands before, between and behind the strings; the pieces carry the quotes. */
  readonly input: readonly string[];
  /** The same of the output: text and numbers of strings in turn. Undefined where the event goes out as it came. */
  readonly output: readonly (string | number)[] | undefined;
  /** Numbers of the strings that the model has generated. */
  readonly generated: ReadonlySet<number>;
}

export interface Match {
  /** The position behind the event. */
  readonly end: number;
  /** Undefined where the event goes out as it came. */
  readonly output: string | undefined;
  readonly tokens: number;
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

  /** `translate` is asked to translate the same event with other strings; it must not depend on what came before. */
  learn(event: string, translate: (event: string) => Translation): void {
    if (event.length > eventMaxCharacters) return;
    if (this.#made >= freeTemplates + this.#matches / matchesForTemplate) return;
    const input = splitAtStrings(event);
    if (input === undefined) return;
    this.#made += 1;
    const marked = input.reduce((text, piece, position) => `${text}${markOf(position - 1)}${piece}`);
    const { output, generated } = translate(marked);
    if (generated.some((text) => !anyMark.test(text))) return;
    this.#templates = [
      {
        input,
        output: output === marked ? undefined : splitAtMarks(output),
        generated: new Set(generated.map((text) => Number(anyMark.exec(text)?.[1]))),
      },
      ...this.#templates,
    ].slice(0, templatesMax);
  }

  /** What was learnt does not hold any longer. */
  clear(): void {
    this.#templates = [];
  }
}

function matchTemplate({ input, output, generated }: Template, text: string, start: number): Match | undefined {
  const strings: string[] = [];
  let tokens = 0;
  let position = start;
  for (const [number, piece] of input.entries()) {
    if (!text.startsWith(piece, position)) return undefined;
    position += piece.length;
    if (number === input.length - 1) break;
    const inside = endOfStringInside(text, position);
    if (inside === undefined) return undefined;
    if (generated.has(number)) tokens += estimatePieceTokens(inside.characters);
    if (output !== undefined) strings.push(text.slice(position, inside.end));
    position = inside.end;
  }
  const rendered = output?.map((piece) => (typeof piece === 'number' ? strings[piece] : piece)).join('');
  return { end: position, output: rendered, tokens };
}

/** The event without the insides of its variable strings, or undefined where it is of no use as a template. */
function splitAtStrings(event: string): string[] | undefined {
  if (!event.startsWith('data:')) return undefined;
  const pieces: string[] = [];
  let copiedTo = 0;
  for (const found of event.matchAll(variableString)) {
    const start = found.index + found[0].length;
    const inside = endOfStringInside(event, start);
    if (inside === undefined) return undefined;
    pieces.push(event.slice(copiedTo, start));
    copiedTo = inside.end;
  }
  if (pieces.length === 0 || pieces.length > stringsMax) return undefined;
  return [...pieces, event.slice(copiedTo)];
}

function splitAtMarks(output: string): (string | number)[] {
  return output.split(anyMark).map((piece, position) => (position % 2 === 1 ? Number(piece) : piece));
}

function markOf(position: number): string {
  return `${mark}${position}-`;
}
