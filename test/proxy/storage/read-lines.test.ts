/** Lines of an object are the same wherever its chunks are split. */
import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { LineTooLong, readLines } from '../../../proxy/storage/read-lines.ts';

async function* chunksOf(bytes: Uint8Array, sizes: readonly number[]): AsyncGenerator<Uint8Array> {
  for (let at = 0, turn = 0; at < bytes.length; turn += 1) {
    const size = sizes[turn % sizes.length] ?? 1;
    yield bytes.subarray(at, at + size);
    at += size;
  }
}

const linesIn = (bytes: Uint8Array, sizes: readonly number[], max = 1_000_000) =>
  Array.fromAsync(readLines(chunksOf(bytes, sizes), max));

const text = fc.array(fc.oneof(fc.constantFrom('\n', '\r', 'слово', '🎉', ' '), fc.string({ maxLength: 5 })), {
  maxLength: 40,
});
const sizes = fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 1, maxLength: 4 });

test('lines of any text are found in chunks of any size', async () => {
  await fc.assert(
    fc.asyncProperty(text, sizes, async (parts, chunkSizes) => {
      const whole = parts.join('').replace(/^\uFEFF/, '');
      const expected = whole.split('\n');
      if (expected.at(-1) === '') expected.pop();
      const withoutMarks = expected.map((line) => line.replace(/^\uFEFF/, ''));
      expect(await linesIn(Buffer.from(whole), chunkSizes)).toEqual(withoutMarks);
    }),
  );
});

test('a line that is too long is refused before all of it has been read, and so is what is not UTF-8', async () => {
  let read = 0;
  async function* endless() {
    for (;;) {
      read += 1;
      yield new Uint8Array(100).fill(97);
    }
  }
  await expect(Array.fromAsync(readLines(endless(), 1_000))).rejects.toBeInstanceOf(LineTooLong);
  expect(read).toBeLessThan(15);
  await expect(linesIn(Buffer.from([0x61, 0xff, 0x0a]), [1])).rejects.toBeInstanceOf(TypeError);
});

test('a line may have as many bytes as allowed, and not one more', async () => {
  const line = Buffer.from('слово');
  expect(await linesIn(line, [3], line.length)).toEqual(['слово']);
  await expect(linesIn(Buffer.concat([line, Buffer.from('\n')]), [3], line.length - 1)).rejects.toBeInstanceOf(
    LineTooLong,
  );
});
