/** The error about an invalid value, and what it does not reveal. */
import { expect, test } from 'bun:test';
import { Type } from '@sinclair/typebox';
import { checkQuery } from '../../../admin/http/request/check-query.ts';
import { checkValue } from '../../../shared/http/check-value.ts';

const schema = Type.Object(
  {
    company: Type.Object({ inn: Type.String({ pattern: '^\\d{10}$', expected: 'ten digits' }) }),
    items: Type.Array(Type.Object({ x: Type.Integer() }, { additionalProperties: false })),
    count: Type.Optional(Type.Integer({ minimum: 1 })),
  },
  { additionalProperties: false },
);
const company = { inn: '1234567890' };

test('a valid value is returned unchanged', () => {
  const value = { company, items: [{ x: 1 }] };
  expect(checkValue(schema, value)).toBe(value);
});

test.each([
  ['invalid_parameter', 'company.inn', { company: { inn: 'x' }, items: [] }],
  ['missing_parameter', 'company.inn', { company: {}, items: [] }],
  ['invalid_parameter', 'items[1].x', { company, items: [{ x: 1 }, { x: '1' }] }],
  ['invalid_parameter', 'items[0].y', { company, items: [{ x: 1, y: 2 }] }],
  ['invalid_parameter', 'items', { company, items: null }],
  ['invalid_parameter', 'count', { company, items: [], count: 0 }],
  ['invalid_parameter', 'count', { company, items: [], count: '5' }],
  ['invalid_parameter', 'a/b~c', { company, items: [], 'a/b~c': 1 }],
])('%s names %s', (code, param, value) => {
  expect(() => checkValue(schema, value)).toThrow(expect.objectContaining({ code, param }));
});

test('the message says what was expected, not what was sent', () => {
  expect(() => checkValue(schema, { company: { inn: 'secret' }, items: [] })).toThrow(
    "Invalid value for 'company.inn': expected ten digits.",
  );
});

test('a schema with `expected` keeps its description for the API reference', () => {
  const seats = Type.Object({
    seats: Type.Integer({ description: 'How many seats you pay for.', expected: 'an integer' }),
  });
  expect(() => checkValue(seats, { seats: 'two' })).toThrow("Invalid value for 'seats': expected an integer.");
});

test('query parameters are parsed as numbers only where numbers are expected', () => {
  const query = Type.Object({ limit: Type.Integer({ maximum: 50 }), name: Type.Optional(Type.String()) });
  expect(checkQuery(query, { limit: '7', name: '7', other: '1' })).toEqual({ limit: 7, name: '7' });
  for (const limit of ['', ' 7', '7x', '0x7', '7e0', '51', '1.5', 'Infinity', undefined]) {
    expect(() => checkQuery(query, { limit })).toThrow(expect.objectContaining({ param: 'limit' }));
  }
});
