/**
 * Estimates tokens without a tokenizer, in a few additions per character, so that every piece of every stream can be
 * weighed in passing. A text may be split anywhere. It models what the byte-level tokenizers of current models have in
 * common: a word is one token and a long word several, three digits are one, runs of the same symbol are few, and each
 * script has its own weight.
 *
 * The weights were fitted to o200k_base on prose in 60 languages, code, JSON, tables, base64, hex and emoji, and then
 * lowered by 5%: for natural text the estimate is between 80% and 110% of its tokens. How other tokenizers differ is
 * learned from the usage that providers report (`Calibration`).
 */

/** The ratio of a tokenizer's tokens to ours, for Latin letters, digits and symbols, and for all other scripts. */
export interface Ratios {
  readonly latin: number;
  readonly other: number;
}

export const plainRatios: Ratios = { latin: 1, other: 1 };

/** In thousandths of a token. */
const wordWeight = 900;
/** The sixth letter of a word, and each beyond the eighth. */
const sixthLetterWeight = 225;
const lateLetterWeight = 130;
/** A capital after a small letter starts a word; one after another capital is slightly rarer than a small letter. */
const camelWeight = 1_080;
const capitalWeight = 190;
/** The third and each further consonant in a row: rare in words, common in codes. */
const thirdConsonantWeight = 700;
const accentWeight = 1_050;
const digitsWeight = 1_000;
const signWeight = 830;
const sameSignWeight = 12;
const lineBreakWeight = 520;
const furtherLineBreakWeight = 60;
const furtherBlankWeight = 8;
const cyrillicWordWeight = 1_590;
/** Letters that Russian does not have. */
const cyrillicLetterWeight = 1_640;
const greekWordWeight = 1_660;
const greekLetterWeight = 140;
const hangulFirstWeight = 350;
const hangulNextWeight = 1_000;

/** Kinds of characters. Letters come last, small before capital, and each consonant kind is its vowel kind plus one. */
const blank = 0;
const lineBreak = 1;
const digit = 2;
const sign = 3;
const flat = 4;
const cyrillic = 5;
const greek = 6;
const hangul = 7;
const accented = 8;
const vowel = 10;
const consonant = 11;
const capitalVowel = 12;
const capitalConsonant = 13;

const asciiCodes = 128;
const asciiKinds = Uint8Array.from({ length: asciiCodes }, (_, code) => asciiKind(String.fromCharCode(code)));

/** Scripts in which every character weighs the same: the first code after each, a multiple of 16, and the weight. */
const flatWeights: readonly (readonly [end: number, weight: number])[] = [
  // Symbols such as ° and ²; Hebrew and Arabic, with rarer letters beyond Arabic itself; other old scripts.
  [0x0370, 900],
  [0x0590, 900],
  [0x0670, 355],
  [0x0900, 730],
  // India and Thailand; Laos, Tibet, Burma and Cambodia; rarer scripts.
  [0x0e80, 400],
  [0x2000, 640],
  [0x2010, 0],
  [0x3000, 1_500],
  // Chinese and Japanese punctuation, kana, and Chinese characters.
  [0x3040, 1_100],
  [0x3100, 730],
  [0xa000, 690],
  [0xd800, 1_200],
  // Surrogate pairs, mostly emoji.
  [0xdc00, 1_880],
  [0xe000, 0],
  [0xf900, 1_900],
  [0xfe00, 700],
  [0xfe10, 0],
  [0x10000, 1_100],
];

/** The same weights, for each block of 16 codes. */
const flatWeightsOfBlocks = Uint16Array.from({ length: 0x1000 }, (_, block) => {
  const [, weight = 0] = flatWeights.find(([end]) => block * 16 < end) ?? [];
  return weight;
});

export class TextScale {
  readonly #ratios: Ratios;
  #isEmpty = true;
  #latin = 0;
  #other = 0;
  #lastKind = lineBreak;
  #lastCode = 0;
  /** The length of the current word or number, and of the consonants at its end. */
  #run = 0;
  #consonants = 0;

  constructor(ratios: Ratios = plainRatios) {
    this.#ratios = ratios;
  }

  /** Calibrated. Text that weighs almost nothing, such as a space, still counts as one token. */
  get tokens(): number {
    if (this.#isEmpty) return 0;
    const { latin, other } = this.#ratios;
    return Math.max(1, Math.round((this.#latin * latin + this.#other * other) / 1_000));
  }

  /** Uncalibrated. */
  get weighed(): Ratios {
    return { latin: this.#latin / 1_000, other: this.#other / 1_000 };
  }

  add(text: string): void {
    let start = 0;
    for (let index = 0; index < text.length; index += 1) {
      const code = text.charCodeAt(index);
      if (code < asciiCodes) continue;
      this.#addAscii(text, start, index);
      this.#addBeyondAscii(code);
      start = index + 1;
    }
    this.#addAscii(text, start, text.length);
  }

  /** Adds bytes that are known to be ASCII. */
  addAscii(bytes: Uint8Array, start: number, end: number): void {
    this.#isEmpty &&= start === end;
    let weight = 0;
    for (let index = start; index < end; index += 1) weight += this.#step(bytes[index] ?? 0);
    this.#latin += weight;
  }

  #addAscii(text: string, start: number, end: number): void {
    this.#isEmpty &&= start === end;
    let weight = 0;
    for (let index = start; index < end; index += 1) weight += this.#step(text.charCodeAt(index));
    this.#latin += weight;
  }

  #step(code: number): number {
    const kind = asciiKinds[code] ?? sign;
    const before = this.#lastKind;
    this.#lastKind = kind;
    if (kind >= vowel) return this.#letter(code, kind, before);
    if (kind === blank) return before === blank ? furtherBlankWeight : 0;
    if (kind === digit) {
      this.#run = before === digit ? this.#run + 1 : 1;
      return this.#run % 3 === 1 ? digitsWeight : 0;
    }
    if (kind === lineBreak) return before === lineBreak ? furtherLineBreakWeight : lineBreakWeight;
    const isSame = this.#lastCode === code;
    this.#lastCode = code;
    if (before !== sign) return signWeight;
    return isSame ? sameSignWeight : 0;
  }

  #letter(code: number, kind: number, before: number): number {
    let weight = 0;
    if (before < accented) {
      weight = wordWeight;
      this.#run = 1;
      this.#consonants = 0;
    } else if (kind >= capitalVowel && before < capitalVowel) {
      weight = camelWeight;
      this.#run = 1;
      this.#consonants = 0;
    } else {
      this.#run += 1;
      if (kind >= capitalVowel) weight = capitalWeight;
      if (this.#run === 6) weight += sixthLetterWeight;
      else if (this.#run > 8) weight += lateLetterWeight;
    }
    const isRepeated = this.#lastCode === code;
    this.#lastCode = code;
    if (isRepeated) return weight;
    this.#consonants = kind === consonant || kind === capitalConsonant ? this.#consonants + 1 : 0;
    return this.#consonants < 3 ? weight : weight + thirdConsonantWeight;
  }

  #addBeyondAscii(code: number): void {
    this.#isEmpty = false;
    const kind = kindBeyondAscii(code);
    const before = this.#lastKind;
    this.#lastKind = kind;
    if (kind >= accented) {
      this.#latin += this.#letter(code, kind, before) + (kind === accented ? accentWeight : 0);
    } else this.#other += weightBeyondLatin(code, { kind, continues: kind === before });
  }
}

/** The calibrated tokens of these texts. */
export function weigh(texts: readonly string[], ratios?: Ratios): number {
  const scale = new TextScale(ratios);
  for (const text of texts) scale.add(text);
  return scale.tokens;
}

function asciiKind(character: string): number {
  if (/[aeiouy]/.test(character)) return vowel;
  if (/[a-z]/.test(character)) return consonant;
  if (/[AEIOUY]/.test(character)) return capitalVowel;
  if (/[A-Z]/.test(character)) return capitalConsonant;
  if (/\d/.test(character)) return digit;
  if (character === ' ' || character === '\t') return blank;
  return character === '\n' || character === '\r' ? lineBreak : sign;
}

function kindBeyondAscii(code: number): number {
  if (code >= 0x3000) return code >= 0xac00 && code < 0xd7b0 ? hangul : flat;
  if (code < 0x250) return code >= 0xc0 ? accented : flat;
  if (code >= 0x400 && code < 0x530) return cyrillic;
  if ((code >= 0x370 && code < 0x400) || (code >= 0x530 && code < 0x590)) return greek;
  if (code >= 0x10a0 && code < 0x1100) return greek;
  // Nearly every Vietnamese word has one of these, and tokenizers know Vietnamese words.
  return code >= 0x1e00 && code < 0x1f00 ? vowel : flat;
}

function weightBeyondLatin(code: number, { kind, continues }: { kind: number; continues: boolean }): number {
  switch (kind) {
    case cyrillic:
      return (continues ? 0 : cyrillicWordWeight) + (code < 0x410 || code > 0x44f ? cyrillicLetterWeight : 0);
    case greek:
      return continues ? greekLetterWeight : greekWordWeight;
    case hangul:
      return continues ? hangulNextWeight : hangulFirstWeight;
    default:
      return flatWeightsOfBlocks[code >> 4] ?? 0;
  }
}
