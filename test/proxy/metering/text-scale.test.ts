/** Text is weighed within a few hundredths of what a current tokenizer counts, wherever it is cut, and never fails. */
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { countTokens } from '../../../local/demo-provider/tokens.ts';
import { TextScale, weigh } from '../../../proxy/metering/text-scale.ts';
import { samples } from '../../harness/providers/text-samples.ts';

describe('weighed between 80 % and 110 % of its tokens', () => {
  test.each(Object.entries(samples))('%s', (_name, text) => {
    const share = weigh([text]) / countTokens(text);
    expect(share).toBeGreaterThan(0.8);
    expect(share).toBeLessThan(1.1);
  });
});

test('any text has a weight of at most its bytes', () => {
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

test('wherever a text is cut into pieces, it weighs the same', () => {
  fc.assert(
    fc.property(fc.constantFrom(...Object.values(samples)), fc.array(fc.nat(3_000)), (text, cuts) => {
      const ends = [...new Set([...cuts, text.length])].sort((one, other) => one - other);
      expect(weigh(ends.map((end, index) => text.slice(ends[index - 1] ?? 0, end)))).toBe(weigh([text]));
    }),
  );
});

test('ASCII weighs in bytes what it weighs as text', () => {
  const text = samples.code ?? '';
  const bytes = new TextEncoder().encode(text);
  const scale = new TextScale();
  scale.addAscii(bytes, 0, 100);
  scale.addAscii(bytes, 100, bytes.length);
  expect(scale.tokens).toBe(weigh([text]));
});

test('a ratio counts for the script that it is of', () => {
  const ratios = { latin: 1, other: 2 };
  expect(weigh([samples.English ?? ''], ratios)).toBe(weigh([samples.English ?? '']));
  expect(weigh([samples.Chinese ?? ''], ratios)).toBeGreaterThan(1.9 * weigh([samples.Chinese ?? '']));
});
