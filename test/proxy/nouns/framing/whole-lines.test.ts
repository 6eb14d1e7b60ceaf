/** Assembling the chunks of a line. */
import { expect, test } from 'bun:test';
import { WholeLines } from '../../../../proxy/nouns/framing/framing.ts';
import { eventMaxCharacters } from '../../../../proxy/nouns/limits.ts';

const encoder = new TextEncoder();
const decoder = new TextDecoder();

function taken(chunks: readonly string[]): (string | undefined)[] {
  const lines = new WholeLines();
  return chunks.map((chunk) => {
    const out = lines.take(encoder.encode(chunk));
    return out === undefined ? undefined : decoder.decode(out);
  });
}

test('a chunk in which a line ends is passed on immediately and unchanged', () => {
  const lines = new WholeLines();
  for (const text of ['data: a\n\n', 'data: b\r\n\r\n', 'data: c\r\r', 'data: d\n\ndata: e']) {
    const chunk = encoder.encode(text);
    expect(lines.take(chunk)).toBe(chunk);
  }
});

test('chunks without a line end wait for the one that has it', () => {
  expect(taken(['dat', 'a: ', 'a', '\n', '\n', 'data: b\n\n'])).toEqual([
    undefined,
    undefined,
    undefined,
    'data: a\n',
    '\n',
    'data: b\n\n',
  ]);
});

test('a line without end is passed on once it exceeds the limit of an event', () => {
  const lines = new WholeLines();
  const chunk = new Uint8Array(1024 * 1024).fill(120);
  const chunks = eventMaxCharacters / chunk.byteLength;
  for (let taken = 0; taken < chunks; taken += 1) expect(lines.take(chunk)).toBeUndefined();
  expect(lines.take(chunk)?.byteLength).toBe(eventMaxCharacters + chunk.byteLength);
});
