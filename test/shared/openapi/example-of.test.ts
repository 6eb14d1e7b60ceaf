/** Examples are composed of the examples of fields. */
import { expect, test } from 'bun:test';
import { Type } from '@sinclair/typebox';
import { schemaJson } from '../../../shared/openapi/documents.ts';
import { exampleOf } from '../../../shared/openapi/example-of.ts';

const name = Type.String({ description: 'The name.', example: 'production' });

test('an object has the examples of its fields, at any depth', () => {
  const schema = Type.Object({
    key: Type.Object({ name }),
    names: Type.Array(name),
    rows: Type.Array(Type.Object({ name })),
  });
  expect(exampleOf(schema)).toEqual({
    key: { name: 'production' },
    names: ['production'],
    rows: [{ name: 'production' }],
  });
});

test('an optional field is in the example only if it has one of its own', () => {
  const schema = Type.Object({ name: Type.Optional(name), other: Type.Optional(Type.String()) });
  expect(exampleOf(schema)).toEqual({ name: 'production' });
});

test('fields without an example show the plainest value that is valid', () => {
  const schema = Type.Object({
    count: Type.Integer({ minimum: 0 }),
    flag: Type.Boolean(),
    word: Type.String({ enum: ['open', 'closed'] }),
    none: Type.String({ nullable: true }),
    at: Type.String({ format: 'date-time' }),
    ids: Type.Array(Type.Integer()),
  });
  expect<unknown>(exampleOf(schema)).toEqual({
    count: 0,
    flag: false,
    word: 'open',
    none: null,
    at: '2030-01-01T12:00:00.000Z',
    ids: [],
  });
});

test('overrides replace fields, and an example of the whole replaces those of its fields', () => {
  const schema = Type.Object({ name, count: Type.Integer({ minimum: 0 }) });
  expect(exampleOf(schema, { count: 3 })).toEqual({ name: 'production', count: 3 });
  expect(exampleOf({ ...schema, example: { name: 'other', count: 1 } })).toEqual({ name: 'other', count: 1 });
});

test('a required field that has nothing to show is an error that names its description', () => {
  expect(() => exampleOf(Type.Object({ id: Type.String({ description: 'The id of the key.' }) }))).toThrow(
    'there is no example of: The id of the key.',
  );
});

test('a published schema keeps properties named like the members that it leaves out', () => {
  const schema = Type.Object({
    example: name,
    expected: Type.String({ expected: 'a text', description: 'The text.' }),
  });
  expect(schemaJson(schema)).toEqual({
    type: 'object',
    required: ['example', 'expected'],
    properties: {
      example: { type: 'string', description: 'The name.' },
      expected: { type: 'string', description: 'The text.' },
    },
  });
});
