/** An estimate never fails and never runs away, whatever the text: a charge hangs on it. */
import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { estimateByLength, estimatePieceTokens, estimateTextTokens } from '../../../proxy/metering/estimate-tokens.ts';

test('text that looks like a special token is estimated like any other', async () => {
  for (const token of ['<|endoftext|>', '<|im_start|>', '<|fim_prefix|>', '<|endofprompt|>']) {
    expect(await estimateTextTokens([`before ${token} after`])).toBeGreaterThan(3);
  }
});

test('any text has an estimate of at most its bytes', async () => {
  const text = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 2_000 }),
    fc.constantFrom('<|endoftext|>', '\ud800', 'a', ' ', '\u0000').map((piece) => piece.repeat(700)),
  );
  await fc.assert(
    fc.asyncProperty(text, async (sample) => {
      const tokens = await estimateTextTokens([sample]);
      expect(tokens).toBeGreaterThanOrEqual(0);
      expect(tokens).toBeLessThanOrEqual(Buffer.byteLength(sample));
    }),
  );
});

test('ordinary prose comes close to what a provider counts', async () => {
  const prose = 'The quick brown fox jumps over the lazy dog. '.repeat(100);
  const tokens = await estimateTextTokens([prose]);
  expect(tokens).toBeGreaterThan(900);
  expect(tokens).toBeLessThan(1_050);
  expect(estimateByLength([prose])).toBeLessThan(tokens);
});

test('however many and long the texts are, only a part of them is tokenized, and the rest is taken to be alike', async () => {
  const prose = 'The quick brown fox jumps over the lazy dog. ';
  const whole = await estimateTextTokens([prose.repeat(360)]);
  const many = await estimateTextTokens(Array.from({ length: 100 }, () => prose.repeat(3_600)));
  expect(many / whole).toBeGreaterThan(980);
  expect(many / whole).toBeLessThan(1_020);
  // A dense beginning does not make what follows dear.
  const digits = await estimateTextTokens(['1 '.repeat(8_192), 'word '.repeat(200_000)]);
  expect(digits).toBeLessThan(16_384 + 250_001);
});

test('what cannot be tokenized is estimated by its length', async () => {
  // No caller has such a text; whatever else the tokenizer may stumble over, the charge is reckoned.
  const stumble = () => {
    throw new Error('stumbled');
  };
  const broken = Object.assign(['x'.repeat(60)], { [Symbol.iterator]: stumble });
  expect(await estimateTextTokens(broken)).toBe(10);
});

test('a piece of a stream counts for a token at least, unless it is empty', () => {
  expect([0, 1, 24, 25, 60].map(estimatePieceTokens)).toEqual([0, 1, 1, 4, 10]);
});
