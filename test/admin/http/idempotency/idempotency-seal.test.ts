/** Equivalent bodies have the same canonical form, and different ones do not. */
import { expect, test } from 'bun:test';
import { canonicalJson } from '../../../../admin/http/idempotency/idempotency-seal.ts';

test('the order of fields does not matter at any depth, but the order of items does', () => {
  const a = canonicalJson({ b: [{ y: 1, x: 2 }, 3], a: null });
  expect(a).toBe('{"a":null,"b":[{"x":2,"y":1},3]}');
  expect(canonicalJson({ a: null, b: [{ x: 2, y: 1 }, 3] })).toBe(a);
  expect(canonicalJson({ a: null, b: [3, { x: 2, y: 1 }] })).not.toBe(a);
});

test('types and names in a body matter', () => {
  const texts = [{ a: 1 }, { a: '1' }, { a: true }, { a: null }, {}, { b: 1 }, { a: [1] }, { a: { 0: 1 } }].map(
    canonicalJson,
  );
  expect(new Set(texts).size).toBe(texts.length);
});

test('a field named like the prototype is an ordinary field', () => {
  expect(canonicalJson(JSON.parse('{"__proto__": 1}'))).toBe('{"__proto__":1}');
});
