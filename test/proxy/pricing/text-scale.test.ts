/** Generated text is counted as o200k_base counts it, wherever it is split, in every script, and for each choice. */
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { encode } from 'gpt-tokenizer/encoding/o200k_base';
import { countTexts, plainRatios, TextScale, weigh } from '../../../proxy/pricing/text-scale.ts';
import { type TokenScript, tokenScripts } from '../../../shared/catalogue/published-catalogue.ts';
import { inCampaign } from '../../harness/campaigns.ts';
import { samples } from '../../harness/providers/text-samples.ts';

const asPlainText = { disallowedSpecial: new Set<string>() };
const truthOf = (text: string) => encode(text, asPlainText).length;
const countOf = (text: string) => weigh(countTexts([text]));

function inChunks(text: string, cuts: readonly number[]): string[] {
  const ends = [...new Set([...cuts.filter((cut) => cut < text.length), text.length])].sort((a, b) => a - b);
  return ends.map((end, index) => text.slice(ends[index - 1] ?? 0, end));
}

function countInChunks(chunks: readonly string[]): number {
  const scale = new TextScale();
  for (const chunk of chunks) scale.add(chunk);
  return scale.tokens;
}

/** Blocks of 256 characters of all of Unicode. The library's decoder drops U+FEFF, which a tokenizer does not. */
const blockText = fc
  .tuple(fc.nat(0x10ff), fc.array(fc.nat(0xff), { minLength: 1, maxLength: 60 }))
  .map(([block, offsets]) => String.fromCodePoint(...offsets.map((offset) => block * 0x100 + offset)));
/** Cases for the rules by which the text is split. */
const turns = [
  ...[' ', '  ', '\n', '\r\n', '\t', '\u00a0', '\u3000', '\u2003', '\u0085', '\u2028', '\u200b'],
  ...["'", "'s", "'S", "'ll", "'Ll", "'ve", "'re", "'l", "'d", '!', '/', '//', '...', '1', '12', '٣', 'Ⅷ', '²'],
  ...[
    'a',
    'bc',
    'A',
    'AB',
    'é',
    'É',
    '\u0301',
    '中',
    '文字',
    'ǅ',
    'ʰ',
    'ª',
    'я',
    'Я',
    'कि',
    '한글',
    'ﬁ',
    'the',
    'Hello',
  ],
  ...['😀', '<|endoftext|>', '\ud800', '\udc00'],
];
const mixedText = fc
  .array(fc.oneof(fc.constantFrom(...turns), fc.string({ maxLength: 3 })), { maxLength: 60 })
  .map((chunks) => chunks.join(''));
const runText = fc
  .tuple(
    fc.oneof(
      fc.constantFrom(...turns),
      blockText.map((text) => text.slice(0, 4)),
    ),
    fc.integer({ min: 1, max: 60 }),
  )
  .map(([unit, times]) => unit.repeat(times));
const anyText = fc
  .array(fc.oneof(blockText, mixedText, runText), { maxLength: 4 })
  .map((texts) => texts.join('').replaceAll('\ufeff', '').toWellFormed());

describe('the count of tokens', () => {
  test('every text whose words are of ordinary length has the tokenizer’s count, however it is split (campaign)', () => {
    fc.assert(
      fc.property(anyText, fc.array(fc.nat(400), { maxLength: 20 }), (text, cuts) => {
        if (longestWord(text) > 250) return;
        expect(countInChunks(inChunks(text, cuts))).toBe(truthOf(text));
      }),
      { numRuns: inCampaign(800, 3_000) },
    );
  });

  test('every word with a contraction, at its end and before more, has the tokenizer’s count (campaign)', () => {
    const contraction = fc.constantFrom("'s", "'S", "'ll", "'lL", "'ve", "'re", "'t", "'d", "'M", "'l", "'v", "'");
    const word = fc.tuple(fc.stringMatching(/^[a-zA-Z]{1,3}$/), contraction, fc.constantFrom('', 's', ' a', "'s"));
    fc.assert(
      fc.property(word, (parts) => {
        expect([parts, countOf(parts.join(''))]).toEqual([parts, truthOf(parts.join(''))]);
      }),
      { numRuns: inCampaign(800, 3_000) },
    );
  });

  test.each(Object.entries(samples))('the count of tokens equals the tokenizer’s for %s', (_name, text) => {
    expect(Math.abs(countOf(text) / truthOf(text) - 1)).toBeLessThan(0.02);
  });

  test('runs without any break have the tokenizer’s count within a few percent (campaign)', () => {
    const character = fc.integer({ min: 0, max: 0x10ff }).chain((block) =>
      fc.array(
        fc.nat(0xff).map((offset) => String.fromCodePoint(block * 0x100 + offset)),
        { minLength: 1, maxLength: 40 },
      ),
    );
    fc.assert(
      fc.property(character, fc.integer({ min: 1, max: 3_000 }), fc.nat(50), (alphabet, length, step) => {
        const units = Array.from({ length }, (_, index) => alphabet[(index * (step + 1)) % alphabet.length]);
        const text = units.join('').slice(0, 3_000).replaceAll('\ufeff', '').toWellFormed();
        const truth = truthOf(text);
        expect(Math.abs(countOf(text) - truth)).toBeLessThanOrEqual(Math.max(2, 0.06 * truth));
      }),
      { numRuns: inCampaign(50, 150) },
    );
  });
});

test('no character and no run weighs nothing, and none weighs more tokens than it has bytes', () => {
  fc.assert(
    fc.property(fc.oneof(anyText, fc.string({ unit: 'binary', maxLength: 500 })), (text) => {
      const tokens = countInChunks([text]);
      expect(tokens).toBeGreaterThanOrEqual(Math.ceil(Buffer.byteLength(text) / 128 / 4));
      expect(tokens).toBeLessThanOrEqual(Buffer.byteLength(text));
    }),
  );
  const weightless: number[] = [];
  for (let codePoint = 1; codePoint < 0x110000; codePoint += 13) {
    if (countOf(String.fromCodePoint(codePoint)) === 0) weightless.push(codePoint);
  }
  expect(weightless).toEqual([]);
});

test('the upper bound of tokens is never below the count, nor above the bytes that arrived', () => {
  fc.assert(
    fc.property(anyText, fc.array(fc.nat(400)), (text, cuts) => {
      const scale = new TextScale();
      let bytes = 0;
      for (const chunk of inChunks(text, cuts)) {
        scale.add(chunk);
        bytes += Buffer.byteLength(chunk);
        expect(scale.tokensMax).toBeGreaterThanOrEqual(scale.tokens);
        expect(scale.tokensMax).toBeLessThanOrEqual(bytes);
      }
    }),
  );
});

test('ASCII counts the same as bytes and as text', () => {
  const text = samples.code ?? '';
  const bytes = new TextEncoder().encode(text);
  const scale = new TextScale();
  scale.addAscii(bytes, 0, 100);
  scale.addAscii(bytes, 100, bytes.length);
  expect(scale.tokens).toBe(countOf(text));
});

test('choices whose chunks alternate are counted as the separate texts that they are', () => {
  const texts = [samples.English ?? '', samples.Chinese ?? '', samples.Russian ?? ''];
  const scale = new TextScale();
  for (let start = 0; start < 800; start += 3) {
    for (const [choice, text] of texts.entries()) scale.add(text.slice(start, start + 3), choice);
  }
  expect(scale.tokens).toBe(texts.reduce((sum, text) => sum + truthOf(text.slice(0, 801)), 0));
});

test('a ratio applies only to its own script', () => {
  const twice = (script: TokenScript) => plainRatios.map((_, index) => (tokenScripts[index] === script ? 2 : 1));
  const [english, chinese] = [samples.English ?? '', samples.Chinese ?? ''];
  expect(weigh(countTexts([english]), twice('han'))).toBe(countOf(english));
  expect(weigh(countTexts([chinese]), twice('han'))).toBeGreaterThan(1.9 * countOf(chinese));
});

/** In bytes, at least that of every word into which the text is split. */
function longestWord(text: string): number {
  let longest = 0;
  for (const run of text.match(/[\p{L}\p{M}']+|\s+|[^\s\p{L}\p{N}]+/gu) ?? []) {
    longest = Math.max(longest, Buffer.byteLength(run));
  }
  return longest;
}
