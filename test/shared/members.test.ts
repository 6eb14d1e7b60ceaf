/** What remains of an object when members without a value are removed. */
import { expect, test } from 'bun:test';
import { withoutNullish, withoutUndefined } from '../../shared/members.ts';

const members = { zero: 0, empty: '', no: false, nothing: null, missing: undefined };

test('undefined members are removed, and null members only if they mean the same', () => {
  expect(Object.keys(withoutUndefined(members))).toEqual(['zero', 'empty', 'no', 'nothing']);
  expect(Object.keys(withoutNullish(members))).toEqual(['zero', 'empty', 'no']);
});

test('a member named __proto__ gives the result no other members', () => {
  const sent: Record<string, unknown> = JSON.parse('{"__proto__": {"n": 5}, "model": "m"}');
  for (const kept of [withoutUndefined(sent), withoutNullish(sent)]) {
    expect(Object.keys(kept)).toEqual(['__proto__', 'model']);
    expect(kept.n).toBeUndefined();
  }
});
