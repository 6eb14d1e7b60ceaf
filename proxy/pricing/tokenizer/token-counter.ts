/**
 * Counts the tokens of a text in o200k_base, in passing: the text arrives in chunks of any size and is split into words
 * as the encoding's regular expression splits it; each word is counted once its end has been seen. So the count is a
 * tokenizer's, wherever the text is split. Only words of more than 256 bytes, which no language has, may differ by a
 * token in a hundred bytes.
 *
 * The expression, of which the first alternative that matches wins: letters, after `[^\r\n\p{L}\p{N}]?` and before an
 * English contraction, with capitals only at their beginning; up to three digits; ` ?` and symbols, before line breaks;
 * white space up to its last line break; white space but for the last character, which belongs to the next word.
 */
import { tokenScripts } from '../../../shared/catalogue/published-catalogue.ts';
import {
  blank,
  classOf,
  latin,
  lineBreak,
  lower,
  mark,
  number,
  scriptOf,
  symbol,
  traitsOf,
  uncased,
  upper,
} from './characters.ts';
import { countHead, countTokens } from './merge.ts';
import { utf8Size, writeUtf8 } from './utf8.ts';
import { loadVocabulary } from './vocabulary.ts';
import {
  apostrophe,
  capitals,
  digits,
  halfContraction,
  halfContractions,
  letters,
  nothing,
  oneSymbol,
  ownContractions,
  space,
  symbols,
  symbolsEnd,
  wholeContraction,
} from './word-states.ts';

const digitsMax = 3;
const [ordinarySpace, quote, solidus] = [0x20, 0x27, 0x2f];
const [caseBit, smallE, smallL] = [0x20, 0x65, 0x6c];
/** Longer words are counted in sections: the first ones all, which is 10 KB, and after that a random sample. */
const wordBytesMax = 256;
const sectionsMax = 64;
const sampledShare = 1 / 16;
/** A character has up to four bytes, and a contraction follows a word of any length. */
const marginBytes = 16;
const firstCapacity = 32;

export class TokenCounter {
  /** In the order of `tokenScripts`, without the last word. */
  readonly #counts = new Float64Array(tokenScripts.length);
  readonly #vocabulary = loadVocabulary();
  #bytes = new Uint8Array(firstCapacity);
  #length = 0;
  #state = nothing;
  #script = latin;
  #digits = 0;
  /**
   * Where the uncounted bytes are split if the word ends here, or 0: after the last line break in white space, after the
   * last letter without case among capitals, before an apostrophe.
   */
  #split = 0;
  /** Where the last character of white space begins. */
  #lastBlank = 0;
  #highSurrogate = 0;
  #isEmpty = true;
  /** The sections of the current word that have been counted. */
  #sections = { count: 0, bytes: 0, tokens: 0 };

  get isEmpty(): boolean {
    return this.#isEmpty;
  }

  /** Tokens of each script. */
  get counts(): Float64Array {
    const counts = this.#counts.slice();
    counts[this.#script] = (counts[this.#script] ?? 0) + this.#uncounted();
    return counts;
  }

  /** Tokens, each multiplied by the ratio of its script. */
  weighedBy(ratios: Float64Array): number {
    return this.#weighed(ratios, this.#uncounted());
  }

  /** At least as many: each byte of the last word as a token. */
  weighedAtMost(ratios: Float64Array): number {
    return this.#weighed(ratios, this.#length + (this.#highSurrogate === 0 ? 0 : 1));
  }

  #weighed(ratios: Float64Array, uncounted: number): number {
    let weight = uncounted * (ratios[this.#script] ?? 1);
    for (let script = 0; script < ratios.length; script += 1) {
      weight += (this.#counts[script] ?? 0) * (ratios[script] ?? 1);
    }
    return weight;
  }

  add(text: string): void {
    this.#isEmpty &&= text === '';
    for (let index = 0; index < text.length; index += 1) {
      const unit = text.charCodeAt(index);
      if (this.#highSurrogate === 0 && (unit & 0xf800) !== 0xd800) this.#step(unit);
      else this.#addSurrogate(unit);
    }
  }

  /** Adds bytes that are known to be ASCII. */
  addAscii(bytes: Uint8Array, start: number, end: number): void {
    this.#isEmpty &&= start === end;
    let next = start;
    if (this.#highSurrogate !== 0 && start < end) {
      this.#addSurrogate(bytes[start] ?? 0);
      next += 1;
    }
    for (; next < end; next += 1) this.#step(bytes[next] ?? 0);
  }

  /** A pair may be split between two texts. A surrogate without its other half is encoded as U+FFFD. */
  #addSurrogate(unit: number): void {
    const high = this.#highSurrogate;
    this.#highSurrogate = 0;
    if (high !== 0 && (unit & 0xfc00) === 0xdc00) {
      this.#step(0x10000 + ((high & 0x3ff) << 10) + (unit & 0x3ff));
      return;
    }
    if (high !== 0) this.#step(0xfffd);
    if ((unit & 0xfc00) === 0xd800) this.#highSurrogate = unit;
    else this.#step((unit & 0xfc00) === 0xdc00 ? 0xfffd : unit);
  }

  #step(codePoint: number): void {
    if (this.#length >= wordBytesMax) this.#countHead();
    const traits = traitsOf(codePoint);
    const kind = classOf(traits);
    const size = codePoint < 0x80 ? 1 : utf8Size(codePoint);
    // Each refusal counts a word, after which fewer bytes are left.
    while (!this.#takes(kind, codePoint, size));
    if (this.#length + size > this.#bytes.length) this.#grow();
    if (size === 1) this.#bytes[this.#length] = codePoint;
    else writeUtf8(codePoint, { size, into: this.#bytes, at: this.#length });
    this.#length += size;
    const script = scriptOf(traits);
    if (script !== latin) this.#script = script;
  }

  /** Whether the character belongs to the uncounted bytes. If not, a word before it has been counted. */
  #takes(kind: number, codePoint: number, size: number): boolean {
    switch (this.#state) {
      case letters:
        if (kind === lower || kind === uncased || kind === mark) return true;
        return kind === upper ? this.#count() : this.#endLetters(codePoint);
      case space:
        return this.#takesAfterSpace(kind, size);
      case nothing:
        return this.#begin(kind, size);
      case capitals:
        return this.#takesAfterCapitals(kind, codePoint, size);
      case digits:
        if (kind !== number || this.#digits === digitsMax) return this.#count();
        this.#digits += 1;
        return true;
      case oneSymbol:
        if (kind >= upper) return this.#begin(kind, size);
        return this.#takesAfterSymbol(kind);
      case symbols:
        return kind === mark || this.#takesAfterSymbol(kind);
      case symbolsEnd:
        return kind === lineBreak || codePoint === solidus || this.#count();
      case apostrophe:
        return this.#takesAfterApostrophe(codePoint);
      case halfContraction:
        return this.#completesContraction(codePoint);
      default:
        return this.#count();
    }
  }

  /** Begins a word, or continues a blank or symbol before letters. */
  #begin(kind: number, size: number): true {
    const end = this.#length + size;
    this.#split = kind === lineBreak || kind === uncased || kind === mark ? end : 0;
    switch (kind) {
      case symbol:
        this.#state = oneSymbol;
        break;
      case blank:
      case lineBreak:
        this.#lastBlank = this.#length;
        this.#state = space;
        break;
      case number:
        this.#digits = 1;
        this.#state = digits;
        break;
      default:
        this.#state = kind === lower ? letters : capitals;
    }
    return true;
  }

  #takesAfterSpace(kind: number, size: number): boolean {
    if (kind === blank || kind === lineBreak) {
      this.#lastBlank = this.#length;
      if (kind === lineBreak) this.#split = this.#length + size;
      return true;
    }
    if (this.#split > 0) return this.#countTo(this.#split);
    if (this.#lastBlank > 0) return this.#countTo(this.#lastBlank);
    if (kind >= upper) return this.#begin(kind, size);
    if (kind !== symbol || this.#bytes[0] !== ordinarySpace) return this.#count();
    this.#state = symbols;
    return true;
  }

  #takesAfterCapitals(kind: number, codePoint: number, size: number): boolean {
    if (kind === uncased || kind === mark) this.#split = this.#length + size;
    else if (kind === lower) {
      this.#split = 0;
      this.#state = letters;
    } else if (kind !== upper) {
      if (this.#split > 0 && this.#split < this.#length) return this.#countTo(this.#split);
      return this.#endLetters(codePoint);
    }
    return true;
  }

  #takesAfterSymbol(kind: number): boolean {
    if (kind === symbol) this.#state = symbols;
    else if (kind === lineBreak) this.#state = symbolsEnd;
    else return this.#count();
    return true;
  }

  #endLetters(codePoint: number): boolean {
    if (codePoint !== quote) return this.#count();
    this.#split = this.#length;
    this.#state = apostrophe;
    return true;
  }

  #takesAfterApostrophe(codePoint: number): boolean {
    if (ownContractions.has(codePoint)) this.#endContraction();
    else if (halfContractions.has(codePoint)) this.#state = halfContraction;
    else {
      this.#countTo(this.#split);
      this.#state = oneSymbol;
      return false;
    }
    return true;
  }

  #completesContraction(codePoint: number): boolean {
    const first = this.#bytes[this.#length - 1] ?? 0;
    if (codePoint < 0x80 && (codePoint | caseBit) === ((first | caseBit) === smallL ? smallL : smallE)) {
      this.#endContraction();
      return true;
    }
    this.#countTo(this.#split);
    this.#state = first & caseBit ? letters : capitals;
    return false;
  }

  /** It belongs to the word. */
  #endContraction(): void {
    this.#split = 0;
    this.#state = wholeContraction;
  }

  /** Counts all bytes as one word. */
  #count(): false {
    return this.#countTo(this.#length);
  }

  /** Counts the bytes before `end` as one word. */
  #countTo(end: number): false {
    this.#add(countTokens(this.#vocabulary, this.#bytes, end));
    this.#drop(end);
    if (this.#sections.count > 0) this.#sections = { count: 0, bytes: 0, tokens: 0 };
    return false;
  }

  /** Counts a section of a word that is too long to be counted as a whole. */
  #countHead(): void {
    const sections = this.#sections;
    let end = Math.floor(this.#length / 2);
    let tokens = (sections.tokens / sections.bytes) * end;
    if (sections.count < sectionsMax || Math.random() < sampledShare) {
      ({ tokens, end } = countHead(this.#vocabulary, this.#bytes, this.#length));
      sections.count += 1;
      sections.bytes += end;
      sections.tokens += tokens;
    }
    this.#add(tokens);
    const { script, state } = { script: this.#script, state: this.#state };
    this.#drop(end);
    this.#script = script;
    this.#state = state;
  }

  #add(tokens: number): void {
    this.#counts[this.#script] = (this.#counts[this.#script] ?? 0) + tokens;
  }

  #drop(end: number): void {
    this.#bytes.copyWithin(0, end, this.#length);
    this.#length -= end;
    this.#split = Math.max(0, this.#split - end);
    this.#lastBlank = Math.max(0, this.#lastBlank - end);
    if (this.#length > 0) return;
    this.#state = nothing;
    this.#script = latin;
  }

  /** The tokens of the uncounted bytes, if the text ends here. */
  #uncounted(): number {
    const split = this.#split < this.#length ? this.#split : 0;
    const rest = split === 0 ? this.#bytes : this.#bytes.subarray(split);
    const tail = countTokens(this.#vocabulary, rest, this.#length - split);
    const head = countTokens(this.#vocabulary, this.#bytes, split);
    return head + tail + (this.#highSurrogate === 0 ? 0 : 1);
  }

  #grow(): void {
    const bytes = new Uint8Array(Math.min(2 * this.#bytes.length, wordBytesMax) + marginBytes);
    bytes.set(this.#bytes);
    this.#bytes = bytes;
  }
}
