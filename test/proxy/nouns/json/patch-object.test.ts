/** Patching JSON text is equivalent to patching the value, and leaves every other byte unchanged. */
import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { patchedParts, patchObject } from '../../../../proxy/nouns/json/patch-object.ts';

const plainObject = fc.dictionary(fc.string(), fc.jsonValue(), { noNullPrototype: true });

test('replacing, adding and removing members has the same result as on the parsed value', () => {
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

test('a text in UTF-8 is patched like a string, with names of any script', () => {
  const anyText = fc.string({ unit: 'grapheme' });
  fc.assert(
    fc.property(
      fc.dictionary(anyText, fc.jsonValue({ stringUnit: 'grapheme' }), { noNullPrototype: true }),
      fc.dictionary(anyText, fc.option(fc.jsonValue({ stringUnit: 'grapheme' }), { nil: undefined })),
      fc.integer({ min: 0, max: 4 }),
      (object, changes, indent) => {
        const known = Object.keys(object).slice(0, 2);
        const patch = Object.fromEntries(
          [...Object.entries(changes), ...known.map((name) => [name, undefined] as const)].map(([name, value]) => [
            name,
            value === undefined ? undefined : JSON.stringify(value),
          ]),
        );
        const text = JSON.stringify(object, null, indent);
        const parts = patchedParts(Buffer.from(text), patch).map((part) => Buffer.from(part));
        expect(Buffer.concat(parts).toString()).toBe(patchObject(text, patch));
      },
    ),
    { numRuns: 500 },
  );
});

test('integers beyond JavaScript numbers, spaces and escapes stay unchanged', () => {
  const text = ' { "seed" : 12345678901234567890 , "a\\"b" : "}{,\\\\" , "model":"x","z":[ {"model":1} , 2e400 ] } ';
  expect(patchObject(text, { model: '"y"' })).toBe(
    '{"seed" : 12345678901234567890 , "a\\"b" : "}{,\\\\","z":[ {"model":1} , 2e400 ],"model":"y"}',
  );
});

test('duplicate members and names with escapes are replaced everywhere', () => {
  const patched = patchObject('{"n":100,"mod\\u0065l":"dear","model":"cheap","n":1}', { model: '"upstream"', n: '1' });
  expect(patched).toBe('{"model":"upstream","n":1}');
});

test('members can be added to an empty object', () => {
  expect(patchObject('{}', { a: '1', b: undefined })).toBe('{"a":1}');
});
