/** Assembling the binary frames of AWS's streams. */
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { WholeFrames } from '../../../../proxy/nouns/framing/framing.ts';
import { eventMaxCharacters } from '../../../../proxy/nouns/limits.ts';
import { frame, joined } from '../../providers/bedrock/frames.ts';

function taken(chunks: readonly Uint8Array[]): (Uint8Array | undefined)[] {
  const frames = new WholeFrames();
  return chunks.map((chunk) => frames.take(chunk));
}

const sizesOf = (chunks: readonly (Uint8Array | undefined)[]) => chunks.map((chunk) => chunk?.byteLength);

test('frames are returned whole, in order and without losing a byte, wherever the network splits them', () => {
  const payloads = fc.array(fc.record({ text: fc.string({ maxLength: 300 }) }), { minLength: 1, maxLength: 8 });
  const cuts = fc.array(fc.nat(5_000), { maxLength: 30 });
  fc.assert(
    fc.property(payloads, cuts, (events, offsets) => {
      const frames = events.map((event) => frame('contentBlockDelta', event));
      const bytes = joined(frames);
      const ends = frames.map((_, index) => joined(frames.slice(0, index + 1)).byteLength);
      const sorted = [...new Set([0, bytes.byteLength, ...offsets.filter((offset) => offset < bytes.byteLength)])].sort(
        (one, other) => one - other,
      );
      const framing = new WholeFrames();
      let given = 0;
      for (const [index, start] of sorted.entries()) {
        const end = sorted[index + 1];
        if (end === undefined) break;
        const out = framing.take(bytes.subarray(start, end));
        if (out !== undefined) expect(Buffer.compare(out, bytes.subarray(given, given + out.byteLength))).toBe(0);
        given += out?.byteLength ?? 0;
        // Everything that is complete, and nothing else.
        expect(given).toBe(Math.max(0, ...ends.filter((frameEnd) => frameEnd <= end)));
      }
      expect(given).toBe(bytes.byteLength);
    }),
  );
});

test('a chunk of whole frames is passed on immediately and unchanged', () => {
  const chunk = joined([frame('messageStart', {}), frame('messageStop', {})]);
  expect(taken([chunk])[0]?.buffer).toBe(chunk.buffer);
});

describe('bytes that cannot be a frame are passed on immediately:', () => {
  const sound = frame('messageStart', { role: 'assistant' });

  test('a corrupt prelude, with everything after it', () => {
    for (let offset = 0; offset < 12; offset += 1) {
      const damaged = joined([sound, sound]);
      damaged[sound.byteLength + offset] = (damaged[sound.byteLength + offset] ?? 0) ^ 1;
      const head = damaged.subarray(0, sound.byteLength + 12);
      expect([offset, sizesOf(taken([head]))]).toEqual([offset, [head.byteLength]]);
    }
  });

  test('a frame that is larger than the limit of an event, or smaller than any frame', () => {
    for (const length of [eventMaxCharacters + 1, 0xffff_ffff, 15, 0]) {
      expect([length, sizesOf(taken([prelude(length)]))]).toEqual([length, [12]]);
    }
    expect(taken([prelude(eventMaxCharacters)])).toEqual([undefined]);
  });
});

test('a large frame in small chunks is assembled once', () => {
  const large = frame('contentBlockDelta', { text: 'x'.repeat(4 * 1024 * 1024) });
  const framing = new WholeFrames();
  const chunkBytes = 4_096;
  let given: Uint8Array | undefined;
  for (let start = 0; start < large.byteLength; start += chunkBytes) {
    expect(given).toBeUndefined();
    given = framing.take(large.subarray(start, start + chunkBytes));
  }
  expect(given?.byteLength).toBe(large.byteLength);
});

/** A valid prelude for a frame of this length. */
function prelude(length: number): Uint8Array {
  const bytes = new Uint8Array(12);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, length);
  view.setUint32(8, Bun.hash.crc32(bytes.subarray(0, 8)));
  return bytes;
}
