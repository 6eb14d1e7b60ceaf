/** Which requests are the same: a model of what counts, against what is computed from their bytes. */
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { canonicalRequest } from '../../../../proxy/request/cache/canonical-request.ts';

const path = '/v1/chat/completions';
const of = (text: string, demands: unknown = [], at = path) =>
  canonicalRequest({ path: at, value: JSON.parse(text), text, demands });
const ofValue = (value: object, demands?: unknown) => of(JSON.stringify(value), demands);

const name = fc.string({ minLength: 1, maxLength: 6 }).filter((text) => text !== 'properties' && text !== '__proto__');
const { json } = fc.letrec((tie) => ({
  json: fc.oneof(
    { maxDepth: 4 },
    fc.oneof(
      fc.string(),
      fc.boolean(),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.integer(),
      fc.constant(null),
    ),
    fc.array(tie('json'), { maxLength: 4 }),
    fc.dictionary(name, tie('json'), { maxKeys: 4 }),
  ),
}));
const body = fc.dictionary(name, json, { maxKeys: 5 }).map((members) => ({ model: 'm', ...members }));

/** The same JSON with its members in another order, and white space between them. */
function shuffled(value: unknown, next: () => number): string {
  const space = () => ['', ' ', '\n\t'][Math.abs(next()) % 3] ?? '';
  if (Array.isArray(value)) return `[${value.map((item) => space() + shuffled(item, next)).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value)
    .map((member) => ({ member, key: next() }))
    .sort((one, other) => one.key - other.key);
  return `{${members.map(({ member: [key, item] }) => `${space()}${JSON.stringify(key)}${space()}:${shuffled(item, next)}`).join(',')}${space()}}`;
}

/** A generator of its own, so that a failure is repeated. */
function seeded(seed: number): () => number {
  let state = seed | 1;
  return () => {
    state = Math.imul(state ^ (state >>> 15), 2_246_822_519) ^ (state << 7);
    return state >>> 1;
  };
}

/** All places of a value, as paths of members. */
function placesOf(value: unknown, before: readonly string[] = []): (readonly string[])[] {
  if (typeof value !== 'object' || value === null) return [before];
  return [before, ...Object.entries(value).flatMap(([key, item]) => placesOf(item, [...before, key]))];
}

function replacedAt(value: unknown, [first, ...rest]: readonly string[], replacement: unknown): unknown {
  if (first === undefined) return replacement;
  const copy = Array.isArray(value) ? [...value] : { ...(value as object) };
  (copy as Record<string, unknown>)[first] = replacedAt((value as Record<string, unknown>)[first], rest, replacement);
  return copy;
}

/** What is the same to every reader of JSON; members of the body that are null are as good as missing. */
function meaning(value: object): unknown {
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== null));
}

describe('two requests', () => {
  test('are the same whatever the order of their members and their white space', () => {
    fc.assert(
      fc.property(body, fc.integer(), (value, seed) => {
        expect(of(shuffled(value, seeded(seed)))).toBe(ofValue(value) as string);
      }),
      { numRuns: 1_000 },
    );
  });

  test('are different once any value in them is another one', () => {
    fc.assert(
      fc.property(body, json, fc.nat(), (value, replacement, at) => {
        const places = placesOf(value).slice(1);
        const place = places[at % places.length] ?? [];
        const changed = replacedAt(value, place, replacement) as object;
        fc.pre(!Bun.deepEquals(meaning(changed), meaning(value), true));
        expect(ofValue(changed)).not.toBe(ofValue(value) as string);
      }),
      { numRuns: 2_000 },
    );
  });

  test('are the same if they differ in how they are delivered and who asks', () => {
    const plain = ofValue({ model: 'm', temperature: 0 }) as string;
    const others = { stream: true, stream_options: { include_usage: true }, user: 'a', safety_identifier: 'b' };
    expect(ofValue({ model: 'm', temperature: 0, ...others, metadata: { a: 'b' }, prompt_cache_key: 'c' })).toBe(plain);
    expect(ofValue({ model: 'm', temperature: 0, seed: null })).toBe(plain);
  });

  test.each([
    ['a routing demand', { provider: { only: ['a'] } }],
    ['a list of models', { models: ['a'] }],
    ['a service tier', { service_tier: 'flex' }],
    ['a format', { response_format: { type: 'json_object' } }],
    ['a member that the gateway does not know', { something: 1 }],
  ])('are different with %s', (_name, more) => {
    expect(ofValue({ model: 'm', ...more })).not.toBe(ofValue({ model: 'm' }) as string);
  });

  test('are different at another endpoint, and under other demands of their key', () => {
    const text = '{"model":"m"}';
    expect(of(text, [], '/v1/messages')).not.toBe(of(text) as string);
    expect(of(text, [{ owner: 'key', policy: { zdr: true } }])).not.toBe(of(text) as string);
  });

  test('of the Responses API are different if they differ in what its response repeats', () => {
    const one = of('{"model":"m","user":"a"}', [], '/v1/responses');
    expect(of('{"model":"m","user":"b"}', [], '/v1/responses')).not.toBe(one as string);
    expect(of('{"model":"m","user":"a","stream":true}', [], '/v1/responses')).toBe(one as string);
  });
});

describe('a schema', () => {
  const schema = (properties: string) => `{"model":"m","response_format":{"properties":${properties}}}`;

  test('is another one if its properties are in another order, in which the model writes them', () => {
    expect(of(schema('{"a":{},"b":{}}'))).not.toBe(of(schema('{"b":{},"a":{}}')) as string);
    expect(of(schema('{"a":{"x":1,"y":2},"b":{}}'))).toBe(of(schema('{"a":{"y":2,"x":1},"b":{}}')) as string);
  });

  test('whose properties are numbers is not compared, since their order is not known', () => {
    expect(of(schema('{"2":{},"1":{}}'))).toBeUndefined();
  });
});

test('integers beyond 2^53 keep every digit', () => {
  const one = of('{"model":"m","seed":9007199254740993}');
  expect(of('{"model":"m","seed":9007199254740992}')).not.toBe(one as string);
  expect(of('{"seed":9007199254740993, "model":"m"}')).toBe(one as string);
});
