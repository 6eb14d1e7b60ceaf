/** What counts for a body is at least the memory that its copies take in JavaScript. */
import { estimateShallowMemoryUsageOf } from 'bun:jsc';
import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { Body } from '../../../../shared/http/intake/body.ts';
import { smallBodyMemory, valueMemory, waitingMemory, workMemory } from '../../../../shared/http/intake/body-memory.ts';

const kibibyte = 1024;
/** Besides its characters, a string has a header. */
const headBytes = 256;

/** Strings of one script or of several, long enough that their characters outweigh their headers. */
const texts = fc
  .array(
    fc.oneof(
      fc.constantFrom('word ', 'ж', 'слово ', 'é', '世界', '🎉', '\\n', '"'),
      fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 }),
    ),
    { minLength: 1, maxLength: 12 },
  )
  .map((parts) => parts.join('').repeat(Math.ceil((16 * kibibyte) / parts.join('').length)))
  .filter((text) => text.isWellFormed());

test('a text, its parsed value and the body sent upstream take no more memory than is counted', () => {
  fc.assert(
    fc.property(texts, (content) => {
      const sent = new TextEncoder().encode(JSON.stringify({ content }));
      const text = new TextDecoder().decode(sent);
      const value: { content: string } = JSON.parse(text);
      const memory = [text, value.content, `${text} `].reduce(
        (sum, each) => sum + estimateShallowMemoryUsageOf(each),
        0,
      );
      const isAscii = text.length === sent.length;
      const encoded = isAscii ? 0 : sent.length;
      expect(smallBodyMemory(text, sent.length)).toBeGreaterThanOrEqual(memory + encoded - 3 * headBytes);
      expect(workMemory(sent.length, isAscii)).toBeGreaterThanOrEqual(memory + 2 * sent.length - 3 * headBytes);
      expect(waitingMemory(sent.length, isAscii)).toBeLessThan(workMemory(sent.length, isAscii));
      expect(valueMemory(value)).toBeGreaterThanOrEqual(estimateShallowMemoryUsageOf(value.content) - headBytes);
    }),
    { numRuns: 200 },
  );
});

test('one letter beyond Latin-1 more than doubles the memory counted for an English text', () => {
  const english = 'word '.repeat(1_000);
  expect(smallBodyMemory(english, 5_000)).toBe(15_000);
  expect(smallBodyMemory(`ж${english}`, 5_002)).toBe(6 * 5_001 + 5_002);
});

test('a body counts once, with its last reported size, and not at all after its release', () => {
  let total = 0;
  const body = new Body((more) => {
    if (total + more > 100) throw new Error('too much');
    total += more;
  });
  body.count(60);
  body.count(20);
  expect(() => body.count(101)).toThrow('too much');
  expect(total).toBe(20);
  body.release();
  body.count(50);
  body.release();
  expect(total).toBe(0);
});
