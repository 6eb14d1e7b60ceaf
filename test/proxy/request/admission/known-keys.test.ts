/** The keys for which a proxy need not query Redis. */
import { expect, test } from 'bun:test';
import { KnownKeys } from '../../../../proxy/request/admission/known-keys.ts';

test('a confirmed key is known until it is forgotten, or for as long as the caller allows', () => {
  let nowMs = 0;
  const keys = new KnownKeys(() => nowMs);
  expect(keys.firstHashOf('a', 60)).toBeUndefined();
  keys.confirm('a', 'first');
  nowMs = 60;
  expect(keys.firstHashOf('a', 60)).toBe('first');
  nowMs = 61;
  expect(keys.firstHashOf('a', 60)).toBeUndefined();
  expect(keys.firstHashOf('a', Number.POSITIVE_INFINITY)).toBe('first');
  keys.forget('a');
  expect(keys.firstHashOf('a', Number.POSITIVE_INFINITY)).toBeUndefined();
});
