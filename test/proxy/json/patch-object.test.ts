/** Patching JSON text means the same as patching the value, and leaves every other byte alone. */
import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { patchObject } from '../../../proxy/json/patch-object.ts';

const plainObject = fc.dictionary(fc.string(), fc.jsonValue(), { noNullPrototype: true });

test('replacing, adding and removing members gives what it would give on the parsed value', () => {
  fc.assert(
    fc.property(
      plainObject,
      plainObject,
      fc.array(fc.string()),
      fc.integer({ min: 0, max: 4 }),
      (object, added, removed, indent) => {
        const patch: Record<string, string | undefined> = Object.create(null);
        const expected: Record<string, unknown> = Object.assign(Object.create(null), object);
        for (const name of [...removed, ...Object.keys(object).slice(0, 1)]) {
          patch[name] = undefined;
          delete expected[name];
        }
        for (const [name, value] of Object.entries(added)) {
          patch[name] = JSON.stringify(value);
          expected[name] = value;
        }
        const patched: unknown = JSON.parse(patchObject(JSON.stringify(object, null, indent), patch));
        expect(patched).toEqual(JSON.parse(JSON.stringify(expected)));
      },
    ),
    { numRuns: 500 },
  );
});

test('integers that no JavaScript number holds, spaces and escapes stay as they are', () => {
  const text = ' { "seed" : 12345678901234567890 , "a\\"b" : "}{,\\\\" , "model":"x","z":[ {"model":1} , 2e400 ] } ';
  expect(patchObject(text, { model: '"y"' })).toBe(
    '{"seed" : 12345678901234567890 , "a\\"b" : "}{,\\\\","z":[ {"model":1} , 2e400 ],"model":"y"}',
  );
});

test('a member that stands twice, or is spelled with escapes, is replaced wherever it stands', () => {
  const patched = patchObject('{"n":100,"mod\\u0065l":"dear","model":"cheap","n":1}', { model: '"upstream"', n: '1' });
  expect(patched).toBe('{"model":"upstream","n":1}');
});

test('an empty object takes members', () => {
  expect(patchObject('{}', { a: '1', b: undefined })).toBe('{"a":1}');
});
