/**
 * Limits the structure of a JSON text before it is parsed: parsing, checking and writing a value take time in
 * proportion to its members, so a body of a few megabytes could otherwise stop the event loop for seconds. Scans a text
 * in chunks, in one pass and constant memory; whether the text is valid JSON is left to the parser.
 */
import { GatewayError } from '../../errors.ts';

export interface JsonLimits {
  /** Nesting of objects and arrays. */
  readonly depth: number;
  readonly objectsAndArrays: number;
  /** Name-value pairs, in all objects together. */
  readonly members: number;
  /** Items of arrays and members of objects, all together. */
  readonly values: number;
  /** In strings: `\n`, `\"`, `\u0430`. */
  readonly escapes: number;
}

/**
 * Far beyond what clients send: the longest conversations with the most tools have some ten thousand members. Each
 * limit keeps a body of 20 MiB below 50 ms to parse or to write.
 */
export const jsonLimits: JsonLimits = {
  depth: 128,
  objectsAndArrays: 50_000,
  members: 60_000,
  values: 100_000,
  escapes: 2_000_000,
};

/** The largest embedding requests have 300,000 token ids. */
export const tokenIdLimits: JsonLimits = { ...jsonLimits, values: 500_000 };

const names: Readonly<Record<keyof JsonLimits, string>> = {
  depth: 'levels of nesting',
  objectsAndArrays: 'objects and arrays',
  members: 'members of objects',
  values: 'values',
  escapes: 'escaped characters',
};

const quote = 0x22;
const comma = 0x2c;
const colon = 0x3a;
const openBracket = 0x5b;
const closeBracket = 0x5d;
const openBrace = 0x7b;
const closeBrace = 0x7d;

export class JsonScanner {
  #inString = false;
  /** The previous chunk ended with a backslash. */
  #escaped = false;
  #depth = 0;
  #objectsAndArrays = 0;
  #members = 0;
  #commas = 0;
  #escapes = 0;
  readonly #limits: JsonLimits;

  constructor(limits: JsonLimits) {
    this.#limits = limits;
  }

  /** In all texts so far. In valid JSON there are as many as colons outside of strings. */
  get members(): number {
    return this.#members;
  }

  /** Starts another text, which counts together with those before it. */
  begin(): void {
    this.#inString = false;
    this.#escaped = false;
    this.#depth = 0;
  }

  /** The next chunk of the text. Throws GatewayError `body_too_complex`. */
  push(text: string): void {
    const { length } = text;
    const strings = new StringEnds(text);
    let position = 0;
    if (this.#inString) position = this.#skipString(text, 0, strings);
    while (position < length) {
      const code = text.charCodeAt(position);
      position += 1;
      if (code === quote) position = this.#skipString(text, position, strings);
      else if (code === comma) this.#commas += 1;
      else if (code === colon) this.#members += 1;
      else if (code === openBrace || code === openBracket) this.#open();
      else if (code === closeBrace || code === closeBracket) this.#depth -= 1;
    }
    const { objectsAndArrays, members, values, escapes } = this.#limits;
    if (this.#objectsAndArrays > objectsAndArrays) throw this.#tooComplex('objectsAndArrays');
    if (this.#members > members) throw this.#tooComplex('members');
    if (this.#commas + this.#objectsAndArrays > values) throw this.#tooComplex('values');
    if (this.#escapes > escapes) throw this.#tooComplex('escapes');
  }

  #open(): void {
    this.#objectsAndArrays += 1;
    this.#depth += 1;
    if (this.#depth > this.#limits.depth) throw this.#tooComplex('depth');
  }

  #tooComplex(what: keyof JsonLimits): GatewayError {
    const limit = this.#limits[what].toLocaleString('en');
    return new GatewayError('body_too_complex', `The request body has more than ${limit} ${names[what]}.`);
  }

  /** Returns the position after the closing quote, or the end of the text if the string continues. */
  #skipString(text: string, from: number, ends: StringEnds): number {
    let position = from;
    if (this.#escaped && position < text.length) {
      position += 1;
      this.#escaped = false;
    }
    for (;;) {
      const end = ends.quoteFrom(position);
      const backslash = ends.backslashFrom(position);
      if (backslash < end) {
        this.#escapes += 1;
        position = backslash + 2;
        if (position <= text.length) continue;
        this.#escaped = true;
      } else if (end < text.length) {
        this.#inString = false;
        return end + 1;
      }
      this.#inString = true;
      return text.length;
    }
  }
}

/** The next quote and the next backslash; each character is looked at once, however often they are queried. */
class StringEnds {
  readonly #text: string;
  #quote = -1;
  #backslash = -1;

  constructor(text: string) {
    this.#text = text;
  }

  /** The length of the text if there is none. */
  quoteFrom(position: number): number {
    if (this.#quote < position) this.#quote = this.#find('"', position);
    return this.#quote;
  }

  backslashFrom(position: number): number {
    if (this.#backslash < position) this.#backslash = this.#find('\\', position);
    return this.#backslash;
  }

  #find(character: string, from: number): number {
    const found = this.#text.indexOf(character, from);
    return found < 0 ? this.#text.length : found;
  }
}
