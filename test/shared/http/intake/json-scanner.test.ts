/** The structure of a JSON text is limited before it is parsed, however the text is split into chunks. */
import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { type JsonLimits, JsonScanner } from '../../../../shared/http/intake/json-scanner.ts';

const limitless: JsonLimits = {
  depth: 1e9,
  objectsAndArrays: 1e9,
  members: 1e9,
  values: 1e9,
  escapes: 1e9,
};

/** What the limits count, computed from the parsed value. */
function structureOf(value: unknown, depth = 1): Omit<JsonLimits, 'escapes'> {
  if (typeof value !== 'object' || value === null)
    return { depth: depth - 1, objectsAndArrays: 0, members: 0, values: 0 };
  const items = Object.values(value);
  const inside = items.map((item) => structureOf(item, depth + 1));
  const sum = (name: 'objectsAndArrays' | 'members' | 'values') =>
    inside.reduce((total, each) => total + each[name], 0);
  return {
    depth: Math.max(depth, ...inside.map((each) => each.depth)),
    objectsAndArrays: 1 + sum('objectsAndArrays'),
    members: (Array.isArray(value) ? 0 : items.length) + sum('members'),
    // One more than the commas of each object or array.
    values: 1 + Math.max(0, items.length - 1) + sum('values'),
  };
}

function isTaken(chunks: readonly string[], limits: Partial<JsonLimits>): boolean {
  const scanner = new JsonScanner({ ...limitless, ...limits });
  try {
    for (const chunk of chunks) scanner.push(chunk);
    return true;
  } catch (error) {
    expect(error).toMatchObject({ code: 'body_too_complex' });
    return false;
  }
}

/** The text in chunks, split at these offsets. */
function cut(text: string, places: readonly number[]): string[] {
  const ordered = [...new Set(places.map((place) => place % (text.length + 1)))].toSorted((one, other) => one - other);
  return [...ordered, text.length].map((place, index) => text.slice(ordered[index - 1] ?? 0, place));
}

const json = fc.tuple(fc.jsonValue({ maxDepth: 6 }), fc.array(fc.nat(), { maxLength: 12 }));

test('a text at a limit is accepted and a text above it is refused, in any chunks', () => {
  fc.assert(
    fc.property(json, ([value, places]) => {
      const text = JSON.stringify(value);
      const chunks = cut(text, places);
      const structure = { ...structureOf(value), escapes: text.split('\\\\').join('\\').split('\\').length - 1 };
      expect(isTaken(chunks, structure)).toBe(true);
      for (const [name, count] of Object.entries(structure)) {
        if (count > 0)
          expect({ name, text, taken: isTaken(chunks, { [name]: count - 1 }) }).toEqual({ name, text, taken: false });
      }
    }),
    { numRuns: 500 },
  );
});

test('several texts count together towards the limit', () => {
  const scanner = new JsonScanner({ ...limitless, objectsAndArrays: 3, depth: 1 });
  const next = (text: string) => {
    scanner.begin();
    scanner.push(text);
  };
  next('[');
  next('"an open string [[[[');
  next('{}');
  next('[]');
  expect(() => next('[]')).toThrow('more than 3 objects and arrays');
});
