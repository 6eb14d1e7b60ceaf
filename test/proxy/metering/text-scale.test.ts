/** Estimates are close to a current tokenizer's count, wherever the text is split, and never fail. */
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { countTokens } from '../../../local/demo-provider/tokens.ts';
import { TextScale, weigh } from '../../../proxy/metering/text-scale.ts';
import { samples } from '../../harness/providers/text-samples.ts';

describe('the estimate is between 80% and 110% of the tokens', () => {
  test.each(Object.entries(samples))('%s', (_name, text) => {
    const share = weigh([text]) / countTokens(text);
    expect(share).toBeGreaterThan(0.8);
    expect(share).toBeLessThan(1.1);
  });
});

test('no text weighs more tokens than it has bytes', () => {
  const text = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 2_000 }),
    fc.constantFrom('<|endoftext|>', '\ud800', 'a', ' ', '\u0000').map((piece) => piece.repeat(700)),
  );
  fc.assert(
    fc.property(text, (sample) => {
      const tokens = weigh([sample]);
      expect(tokens).toBeGreaterThanOrEqual(sample === '' ? 0 : 1);
      expect(tokens).toBeLessThanOrEqual(Math.max(1, 2 * Buffer.byteLength(sample)));
    }),
  );
});

test('a text weighs the same wherever it is split', () => {
  fc.assert(
    fc.property(fc.constantFrom(...Object.values(samples)), fc.array(fc.nat(3_000)), (text, cuts) => {
      const ends = [...new Set([...cuts, text.length])].sort((one, other) => one - other);
      expect(weigh(ends.map((end, index) => text.slice(ends[index - 1] ?? 0, end)))).toBe(weigh([text]));
    }),
  );
});

test('ASCII weighs the same as bytes and as text', () => {
  const text = samples.code ?? '';
  const bytes = new TextEncoder().encode(text);
  const scale = new TextScale();
  scale.addAscii(bytes, 0, 100);
  scale.addAscii(bytes, 100, bytes.length);
  expect(scale.tokens).toBe(weigh([text]));
});

test('a ratio applies only to its own script', () => {
  const ratios = { latin: 1, other: 2 };
  expect(weigh([samples.English ?? ''], ratios)).toBe(weigh([samples.English ?? '']));
  expect(weigh([samples.Chinese ?? ''], ratios)).toBeGreaterThan(1.9 * weigh([samples.Chinese ?? '']));
});
