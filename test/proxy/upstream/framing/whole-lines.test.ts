/** Pieces of a line, put together. */
import { expect, test } from 'bun:test';
import { WholeLines } from '../../../../proxy/upstream/framing/whole-lines.ts';
import { eventMaxCharacters } from '../../../../proxy/upstream/limits.ts';

const encoder = new TextEncoder();
const decoder = new TextDecoder();

function taken(pieces: readonly string[]): (string | undefined)[] {
  const lines = new WholeLines();
  return pieces.map((piece) => {
    const out = lines.take(encoder.encode(piece));
    return out === undefined ? undefined : decoder.decode(out);
  });
}

test('a piece in which a line ends goes on at once, as it is', () => {
  const lines = new WholeLines();
  for (const text of ['data: a\n\n', 'data: b\r\n\r\n', 'data: c\r\r', 'data: d\n\ndata: e']) {
    const piece = encoder.encode(text);
    expect(lines.take(piece)).toBe(piece);
  }
});

test('pieces in which none ends wait for the one in which it does', () => {
  expect(taken(['dat', 'a: ', 'a', '\n', '\n', 'data: b\n\n'])).toEqual([
    undefined,
    undefined,
    undefined,
    'data: a\n',
    '\n',
    'data: b\n\n',
  ]);
});

test('a line without end goes on once it is larger than an event may be', () => {
  const lines = new WholeLines();
  const piece = new Uint8Array(1024 * 1024).fill(120);
  const pieces = eventMaxCharacters / piece.byteLength;
  for (let taken = 0; taken < pieces; taken += 1) expect(lines.take(piece)).toBeUndefined();
  expect(lines.take(piece)?.byteLength).toBe(eventMaxCharacters + piece.byteLength);
});
