/**
 * What a tokenizer and the calibration distinguish about a character: its class, by which texts are split into words, and
 * its script, by which tokenizers differ. Both are worked out for 256 characters at a time, when the first of them is
 * met.
 */
import { type TokenScript, tokenScripts } from '../../../shared/catalogue/published-catalogue.ts';

/** Classes, named after the Unicode categories that o200k_base's split distinguishes. */
export const symbol = 0;
export const blank = 1;
export const lineBreak = 2;
export const number = 3;
/** Lu, Lt. */
export const upper = 4;
/** Ll. */
export const lower = 5;
/** Lm, Lo: letters without case, which continue both upper and lower ones. */
export const uncased = 6;
/** Combining marks. */
export const mark = 7;

/** The index of a script in `tokenScripts`. ASCII has this one, unless it is next to another script in a word. */
export const latin = tokenScripts.indexOf('latin');

/** Armenian, Georgian and Ethiopic letters are rare, and count with Greek ones. */
const expressions: Readonly<Record<Exclude<TokenScript, 'other'>, RegExp>> = {
  latin: /\p{Script=Latin}|[\0-\u02ff]/u,
  cyrillic: /\p{Script=Cyrillic}/u,
  greek: /\p{Script=Greek}|\p{Script=Armenian}|\p{Script=Georgian}|\p{Script=Ethiopic}/u,
  semitic: /\p{Script=Arabic}|\p{Script=Hebrew}|\p{Script=Syriac}|\p{Script=Thaana}|\p{Script=Nko}/u,
  indic: /[\u0900-\u0dff]/u,
  southeastAsian: /[\u0e00-\u109f\u1780-\u17ff\u1900-\u1aaf]/u,
  han: /\p{Script=Han}|[\u3000-\u303f\uff00-\uff65]/u,
  kana: /\p{Script=Hiragana}|\p{Script=Katakana}|[\u30fb\u30fc]/u,
  hangul: /\p{Script=Hangul}/u,
};

const classBits = 3;
const classMask = (1 << classBits) - 1;
const blockBits = 8;
const blockSize = 1 << blockBits;
const blocks: (Uint8Array | undefined)[] = [];

/** Class and script of a code point, to be read with `classOf` and `scriptOf`. */
export function traitsOf(codePoint: number): number {
  const number = codePoint >> blockBits;
  const block = blocks[number] ?? fillBlock(number);
  return block[codePoint & (blockSize - 1)] ?? 0;
}

export function classOf(traits: number): number {
  return traits & classMask;
}

export function scriptOf(traits: number): number {
  return traits >> classBits;
}

function fillBlock(number: number): Uint8Array {
  const first = number * blockSize;
  const block = Uint8Array.from({ length: blockSize }, (_, offset) => {
    const character = String.fromCodePoint(first + offset);
    return classify(character) | (findScript(character) << classBits);
  });
  blocks[number] = block;
  return block;
}

function classify(character: string): number {
  if (/[\r\n]/u.test(character)) return lineBreak;
  if (/\s/u.test(character)) return blank;
  if (/\p{N}/u.test(character)) return number;
  if (/\p{M}/u.test(character)) return mark;
  if (/\p{Ll}/u.test(character)) return lower;
  if (/\p{Lu}|\p{Lt}/u.test(character)) return upper;
  return /\p{L}/u.test(character) ? uncased : symbol;
}

function findScript(character: string): number {
  return tokenScripts.findIndex((script) => script === 'other' || expressions[script].test(character));
}
