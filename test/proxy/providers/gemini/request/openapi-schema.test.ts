/** Any client's JSON Schema becomes the subset that Gemini accepts. */
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { toOpenApiSchema } from '../../../../../proxy/providers/gemini/request/openapi-schema.ts';

/** The schema of a property, converted. */
function converted(schema: object, root: object = {}): unknown {
  const { properties } = toOpenApiSchema({ type: 'object', properties: { x: schema }, ...root });
  return (properties as { x: unknown }).x;
}

describe('null in a schema', () => {
  test('null in a list of types, in alternatives and in an enum becomes nullable', () => {
    const nullable = { type: 'string', nullable: true };
    expect(converted({ type: ['string', 'null'] })).toEqual(nullable);
    expect(converted({ anyOf: [{ type: 'string' }, { type: 'null' }] })).toEqual(nullable);
    expect(converted({ oneOf: [{ type: 'null' }, { type: 'string' }] })).toEqual(nullable);
    expect(converted({ type: ['string', 'null'], enum: ['a', null] })).toEqual({ ...nullable, enum: ['a'] });
    expect(converted({ type: 'string', nullable: true })).toEqual(nullable);
    expect(converted({ type: 'null' })).toEqual(nullable);
    expect(converted({ anyOf: [{ type: 'null' }] })).toEqual(nullable);
  });

  test('null beside several types keeps the choice between them', () => {
    expect(converted({ type: ['string', 'integer', 'null'], description: 'd' })).toEqual({
      description: 'd',
      anyOf: [{ type: 'string' }, { type: 'integer' }],
      nullable: true,
    });
  });
});

describe('values in a schema', () => {
  test('are strings in enums and constants', () => {
    expect(converted({ type: 'string', enum: ['a', 'b'] })).toEqual({ type: 'string', enum: ['a', 'b'] });
    expect(converted({ type: 'integer', enum: [1, 2] })).toEqual({ type: 'string', enum: ['1', '2'] });
    expect(converted({ enum: [1, 'b', { c: 1 }] })).toEqual({ type: 'string', enum: ['1', 'b', '{"c":1}'] });
    expect(converted({ const: 'only' })).toEqual({ type: 'string', enum: ['only'] });
    expect(converted({ anyOf: [{ const: 'a' }, { const: 'b' }], description: 'd' })).toEqual({
      type: 'string',
      enum: ['a', 'b'],
      description: 'd',
    });
    expect(converted({ type: 'boolean', enum: [true] })).toEqual({ type: 'boolean' });
  });

  test('lose the formats and keywords that the API refuses, and keep others', () => {
    expect(
      converted({
        type: 'string',
        format: 'email',
        default: 'a@b.c',
        examples: ['x'],
        minLength: 3,
        pattern: '^a',
        $comment: 'c',
        title: 'T',
      }),
    ).toEqual({ type: 'string', minLength: 3, pattern: '^a', title: 'T' });
    expect(converted({ type: 'string', format: 'date-time' })).toEqual({ type: 'string', format: 'date-time' });
    expect(converted({ type: 'integer', format: 'int64', exclusiveMinimum: 0, maximum: 9 })).toEqual({
      type: 'integer',
      format: 'int64',
      maximum: 9,
    });
  });

  test('always have a type', () => {
    expect(converted({})).toEqual({ type: 'string' });
    expect(converted({ description: 'anything' })).toEqual({ type: 'string', description: 'anything' });
    expect(converted({ properties: { a: true } })).toEqual({ type: 'object', properties: { a: { type: 'string' } } });
    expect(converted({ items: { type: 'STRING' } })).toEqual({ type: 'array', items: { type: 'string' } });
    expect(converted({ additionalProperties: { type: 'string' } })).toEqual({ type: 'object' });
  });
});

describe('arrays and objects in a schema', () => {
  test('always have items in arrays, and tuples become lists of any of their item schemas', () => {
    expect(converted({ type: 'array' })).toEqual({ type: 'array', items: { type: 'string' } });
    expect(converted({ type: 'array', prefixItems: [{ type: 'string' }, { type: 'number' }], items: false })).toEqual({
      type: 'array',
      items: { anyOf: [{ type: 'string' }, { type: 'number' }] },
    });
  });

  test('require only properties with a schema', () => {
    expect(converted({ type: 'object', properties: { a: { type: 'string' } }, required: ['a', 'b'] })).toEqual({
      type: 'object',
      properties: { a: { type: 'string' } },
      required: ['a'],
    });
    expect(converted({ type: 'object', properties: {}, required: ['a'] })).toEqual({ type: 'object' });
  });

  test('may have properties of any name', () => {
    const names = ['$ref', 'type', 'anyOf', 'enum', '__proto__'];
    const properties = JSON.parse(`{${names.map((name) => `"${name}":{"type":"integer"}`)}}`);
    const schema = converted({ type: 'object', properties }) as { properties: object };
    expect(Object.keys(schema.properties)).toEqual(names);
  });

  test('lose alternatives that only say which properties go together', () => {
    const properties = { a: { type: 'string' }, b: { type: 'string' } };
    expect(converted({ type: 'object', properties, anyOf: [{ required: ['a'] }, { required: ['b'] }] })).toEqual({
      type: 'object',
      properties,
    });
  });

  test('may require a property in one part that another part describes', () => {
    const described = { type: 'object', properties: { a: { type: 'string' } } };
    expect(converted({ allOf: [{ required: ['a'] }, described, {}] })).toEqual({ ...described, required: ['a'] });
  });

  test('become one schema with all properties for allOf', () => {
    const one = { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] };
    const other = { properties: { b: { type: 'integer' } }, required: ['b'] };
    expect(converted({ allOf: [one, other], description: 'd' })).toEqual({
      type: 'object',
      properties: { a: { type: 'string' }, b: { type: 'integer' } },
      required: ['a', 'b'],
      description: 'd',
    });
  });
});

describe('references in a schema', () => {
  test('are inlined, together with their sibling keywords', () => {
    const $defs = { city: { type: 'string', description: 'a city' }, 'a/b': { type: 'integer' } };
    expect(converted({ $ref: '#/$defs/city', description: 'home' }, { $defs })).toEqual({
      type: 'string',
      description: 'home',
    });
    expect(converted({ $ref: '#/$defs/a~1b' }, { $defs })).toEqual({ type: 'integer' });
    expect(converted({ allOf: [{ $ref: '#/$defs/city' }], default: 'x' }, { $defs })).toEqual($defs.city);
    expect(
      converted({ anyOf: [{ $ref: '#/definitions/d' }, { type: 'null' }] }, { definitions: { d: $defs.city } }),
    ).toEqual({ ...$defs.city, nullable: true });
  });

  test('references to a missing target become any object', () => {
    expect(converted({ $ref: '#/$defs/none' })).toEqual({ type: 'object' });
    expect(converted({ $ref: 'https://example.com/schema.json', description: 'd' })).toEqual({
      type: 'object',
      description: 'd',
    });
  });

  test('recursive references in a schema end', () => {
    const $defs = {
      node: { type: 'object', properties: { value: { type: 'string' }, next: { $ref: '#/$defs/node' } } },
      self: { $ref: '#/$defs/self' },
    };
    const text = JSON.stringify(converted({ $ref: '#/$defs/node' }, { $defs }));
    expect(text.match(/"value"/g)).toHaveLength(2);
    expect(text).not.toContain('$ref');
    expect(converted({ $ref: '#/$defs/self' }, { $defs })).toEqual({ type: 'object' });
    expect(JSON.stringify(toOpenApiSchema({ type: 'object', properties: { again: { $ref: '#' } } }))).not.toContain(
      '$ref',
    );
  });

  test('references and lists of types do not repeat a long text endlessly', () => {
    const long = 'x'.repeat(100_000);
    const properties = Object.fromEntries(
      Array.from({ length: 5_000 }, (_, index) => [`p${index}`, { $ref: '#/$defs/d' }]),
    );
    const schemas = [
      { type: 'object', properties, $defs: { d: { type: 'string', description: long } } },
      { title: long, type: Array.from({ length: 5_000 }, () => 'string') },
    ];
    for (const schema of schemas) {
      const own = JSON.stringify(schema).length;
      expect(JSON.stringify(toOpenApiSchema(schema)).length).toBeLessThan(10 * own);
    }
  });

  test('do not fill memory if they double at every step', () => {
    const $defs = Object.fromEntries(
      Array.from({ length: 40 }, (_, step) => [
        `d${step}`,
        { type: 'object', properties: { a: { $ref: `#/$defs/d${step + 1}` }, b: { $ref: `#/$defs/d${step + 1}` } } },
      ]),
    );
    expect(JSON.stringify(converted({ $ref: '#/$defs/d0' }, { $defs })).length).toBeLessThan(4_000_000);
  });

  test('references and endless depth are cut off before the stack overflows', () => {
    let schema: object = { type: 'string' };
    for (let depth = 0; depth < 1_000; depth += 1) schema = { type: 'array', items: schema };
    expect(JSON.stringify(converted(schema)).length).toBeLessThan(10_000);
  });
});

describe('the conversion of any schema', () => {
  const keyword = fc.constantFrom(
    ...['type', 'properties', 'items', 'prefixItems', 'anyOf', 'oneOf', 'allOf', 'enum', 'const', 'required', '$ref'],
    ...['$defs', 'description', 'format', 'nullable', 'minimum', 'additionalProperties', 'not', 'default', 'x'],
  );
  const { schema } = fc.letrec<{ schema: unknown; value: unknown }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      fc.constantFrom(
        'string',
        'object',
        'array',
        'null',
        '#',
        '#/$defs/x',
        '#/properties/x',
        'date-time',
        null,
        true,
        7,
      ),
      fc.array(tie('value'), { maxLength: 3 }),
      tie('schema'),
    ),
    schema: fc.dictionary(keyword, tie('value'), { maxKeys: 5 }),
  }));

  test('has a type or alternatives, only known keywords, and no reference', () => {
    fc.assert(
      fc.property(schema, (any) => {
        const seen = toOpenApiSchema({ type: 'object', properties: { x: any }, ...(any as object) });
        expect(faultsOf(seen)).toEqual([]);
      }),
      { numRuns: 2_000 },
    );
  });
});

const known = new Set([
  ...['type', 'anyOf', 'nullable', 'enum', 'format', 'properties', 'required', 'items'],
  ...['title', 'description', 'minimum'],
]);

/** The problems that the API would refuse. */
function faultsOf(schema: Record<string, unknown>): string[] {
  const nested = (value: unknown) => faultsOf(value as Record<string, unknown>);
  const { type, anyOf, enum: values, properties = {}, required = [], items } = schema;
  return [
    ...Object.keys(schema).filter((name) => !known.has(name)),
    ...['title', 'description', 'format'].filter((name) => !['undefined', 'string'].includes(typeof schema[name])),
    ...(schema.minimum === undefined || typeof schema.minimum === 'number' ? [] : ['minimum']),
    ...(typeof type === 'string' || Array.isArray(anyOf) ? [] : ['no type']),
    ...(type === 'array' && items === undefined ? ['no items'] : []),
    ...(values === undefined || (Array.isArray(values) && values.every((value) => typeof value === 'string'))
      ? []
      : ['enum']),
    ...(required as string[])
      .filter((name) => !Object.hasOwn(properties as object, name))
      .map((name) => `required ${name}`),
    ...Object.values(properties as object).flatMap(nested),
    ...(Array.isArray(anyOf) ? anyOf.flatMap(nested) : []),
    ...(items === undefined ? [] : nested(items)),
  ];
}
