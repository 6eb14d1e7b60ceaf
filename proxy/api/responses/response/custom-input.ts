/**
 * Reads the input of a custom tool out of the arguments of the function that represents it: `{"input":"…"}`. The text is
 * decoded while it arrives. Arguments of another form, which a model may write although its schema says otherwise, are
 * only read at the end.
 */
import { asRecord } from '../../../nouns/json/record.ts';
import { customInputName } from '../request/toolbox.ts';

const opening = new RegExp(`^\\s*\\{\\s*"${customInputName}"\\s*:\\s*"`);
/** An opening with more white space than this is read at the end. */
const openingMaxCharacters = 64;

const escapes: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' };
/** What a parser puts in the place of half a character. */
const replacement = '\ufffd';

export class CustomInput {
  /** What is not decoded yet: everything until the text begins, afterwards at most an unfinished escape. */
  #rest = '';
  #place: 'before' | 'inside' | 'behind' | 'unknown' = 'before';
  #highSurrogate = '';
  #decoded = '';

  get text(): string {
    return this.#decoded;
  }

  /** Returns what the chunk adds to the text. */
  push(chunk: string): string {
    if (this.#place === 'behind') return '';
    this.#rest += chunk;
    if (this.#place === 'before') this.#open();
    return this.#place === 'inside' ? this.#keep(this.#decode()) : '';
  }

  /** Returns what is still missing from the text. Nothing follows. */
  end(): string {
    const isOpened = this.#place === 'inside' || this.#place === 'behind';
    return this.#keep(isOpened ? this.#takeHalf() : textIn(this.#rest));
  }

  #open(): void {
    const opened = opening.exec(this.#rest.slice(0, openingMaxCharacters))?.[0].length;
    if (opened !== undefined) {
      this.#place = 'inside';
      this.#rest = this.#rest.slice(opened);
    } else if (this.#rest.length >= openingMaxCharacters) this.#place = 'unknown';
  }

  #decode(): string {
    const written = this.#rest;
    let text = '';
    let position = 0;
    while (position < written.length) {
      const character = written.charAt(position);
      if (character === '"') {
        this.#place = 'behind';
        text += this.#takeHalf();
        position = written.length;
      } else if (character === '\\') {
        const length = written.charAt(position + 1) === 'u' ? 6 : 2;
        if (position + length > written.length) break;
        text += this.#whole(unescaped(written.slice(position + 1, position + length)));
        position += length;
      } else {
        const end = endOfPlain(written, position);
        text += this.#whole(written.slice(position, end));
        position = end;
      }
    }
    this.#rest = written.slice(position);
    return text;
  }

  /** A character beyond the basic plane may be escaped as two halves, which arrive in different chunks. */
  #whole(text: string): string {
    const joined = this.#highSurrogate + text;
    this.#highSurrogate = '';
    const last = joined.charCodeAt(joined.length - 1);
    if (last < 0xd800 || last > 0xdbff) return joined.toWellFormed();
    this.#highSurrogate = joined.slice(-1);
    return joined.slice(0, -1).toWellFormed();
  }

  #takeHalf(): string {
    const half = this.#highSurrogate === '' ? '' : replacement;
    this.#highSurrogate = '';
    return half;
  }

  #keep(text: string): string {
    this.#decoded += text;
    return text;
  }
}

function endOfPlain(text: string, start: number): number {
  let end = start;
  while (end < text.length && text.charAt(end) !== '"' && text.charAt(end) !== '\\') end += 1;
  return end;
}

/** `code` is what follows the backslash. An unknown one is the character itself. */
function unescaped(code: string): string {
  if (!code.startsWith('u')) return escapes[code] ?? code;
  const unit = Number.parseInt(code.slice(1), 16);
  return Number.isNaN(unit) ? replacement : String.fromCharCode(unit);
}

/** The text in arguments of another form: the member, or everything that the model wrote. */
function textIn(written: string): string {
  const input = asRecord(parse(written))[customInputName];
  return typeof input === 'string' ? input.toWellFormed() : written;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
