/** Generated audio is counted by its length, wherever it is split. */
import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { AudioScale } from '../../../proxy/pricing/audio-scale.ts';

function countInPieces(format: unknown, pieces: readonly Uint8Array[]): number {
  const scale = new AudioScale(format);
  for (const piece of pieces) scale.add(Buffer.from(piece).toString('base64'));
  return scale.tokens;
}

test('audio of any length in pieces of any size is 20 tokens a second', () => {
  const pieces = fc.array(fc.integer({ min: 0, max: 9_000 }), { maxLength: 40 });
  fc.assert(
    fc.property(pieces, fc.constantFrom('pcm16', 'wav', 'flac', undefined), (sizes, format) => {
      const seconds = sizes.reduce((sum, size) => sum + size, 0) / 48_000;
      const tokens = countInPieces(
        format,
        sizes.map((size) => new Uint8Array(size)),
      );
      expect(tokens).toBe(Math.ceil(seconds * 20));
    }),
  );
});

test.each([
  ['mp3', 160_000],
  ['aac', 128_000],
  ['opus', 64_000],
])('a minute of %s at %d bits a second is 1,200 tokens', (format, bitsPerSecond) => {
  expect(countInPieces(format, [new Uint8Array((bitsPerSecond / 8) * 60)])).toBe(1_200);
});
