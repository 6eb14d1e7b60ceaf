/** The input of a custom tool is read out of a function's arguments while they arrive. */
import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { CustomInput } from '../../../../proxy/api/responses/response/custom-input.ts';

/** The chunks of the input, and the input. */
function read(chunks: readonly string[]): { deltas: string[]; text: string } {
  const input = new CustomInput();
  const deltas = chunks.map((chunk) => input.push(chunk));
  deltas.push(input.end());
  return { deltas, text: input.text };
}

const text = fc.string({ unit: 'binary' });
const space = fc.stringMatching(/^[ \n\r\t]{0,3}$/);
/** A JSON string, each character of which is written as it is or escaped in one of the ways that JSON has. */
const written = fc
  .array(fc.tuple(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 1 }), fc.boolean()))
  .map((parts) => ({
    input: parts.map(([part]) => part).join(''),
    json: parts
      .map(([part, isEscaped]) => (isEscaped ? escapedUnits(part) : JSON.stringify(part).slice(1, -1)))
      .join(''),
  }));

function escapedUnits(part: string): string {
  return Array.from({ length: part.length }, (_, index) => part.charCodeAt(index))
    .map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`)
    .join('');
}

function splitAt(whole: string, cuts: readonly number[]): string[] {
  const places = [...new Set(cuts.map((cut) => cut % (whole.length + 1)))].sort((one, other) => one - other);
  return [0, ...places].map((start, index) => whole.slice(start, places[index] ?? whole.length));
}

test('the input of a custom tool is read as it was written, whatever its escapes and chunks', () => {
  fc.assert(
    fc.property(written, space, space, fc.array(fc.nat()), ({ input, json }, before, within, cuts) => {
      const whole = `${before}{${within}"input"${within}:${within}"${json}"${before}}`;
      const { deltas, text: result } = read(splitAt(whole, cuts));
      expect(result).toBe(input);
      expect(deltas.join('')).toBe(input);
      for (const delta of deltas) expect(delta.isWellFormed()).toBe(true);
    }),
    { numRuns: 2_000 },
  );
});

test('the input of a custom tool is passed on as it arrives', () => {
  expect(read(['{"inp', 'ut": "a', '\\', 'nb\\ud83d', '\\ude42', 'c"', '}']).deltas).toEqual([
    '',
    'a',
    '',
    '\nb',
    '🙂',
    'c',
    '',
    '',
  ]);
});

test('arguments that a model writes against the schema are passed on as the input', () => {
  fc.assert(
    fc.property(text, fc.array(fc.nat()), (anything, cuts) => {
      const { deltas, text: result } = read(splitAt(anything, cuts));
      expect(result).toBe(read([anything]).text);
      expect(deltas.join('')).toBe(result);
      if (!anything.trimStart().startsWith('{')) expect(result).toBe(anything);
    }),
  );
  expect(read(['{"note":1,"inp', 'ut":"late"}']).text).toBe('late');
  expect(read(['{"patch":"x"}']).text).toBe('{"patch":"x"}');
  expect(read([`{${' '.repeat(100)}"input":"far"}`]).text).toBe('far');
  expect(read(['']).text).toBe('');
});

test('an input that is cut off keeps what arrived, with no half character', () => {
  const whole = '{"input":"a\\ud83d\\ude42b\\u00e9"}';
  for (let end = 0; end <= whole.length; end += 1) {
    const { text: result } = read([whole.slice(0, end)]);
    expect(result.isWellFormed()).toBe(true);
  }
  expect(read(['{"input":"a\\ud83d']).text).toBe('a\ufffd');
});
