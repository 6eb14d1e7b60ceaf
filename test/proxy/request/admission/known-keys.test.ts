/** The keys for which a proxy need not query Redis. */
import { expect, test } from 'bun:test';
import { KnownKeys } from '../../../../proxy/request/admission/known-keys.ts';

const anywhere = { accountId: 7, firstHash: 'first', rules: undefined };

test('a confirmed key is known until it is forgotten, or for as long as the caller allows', () => {
  let nowMs = 0;
  const keys = new KnownKeys(() => nowMs);
  expect(keys.find('a', 60)).toBeUndefined();
  keys.confirm('a', anywhere);
  nowMs = 60;
  expect(keys.find('a', 60)).toMatchObject(anywhere);
  nowMs = 61;
  expect(keys.find('a', 60)).toBeUndefined();
  expect(keys.find('a', Number.POSITIVE_INFINITY)).toMatchObject(anywhere);
  keys.forget('a');
  expect(keys.find('a', Number.POSITIVE_INFINITY)).toBeUndefined();
});

test('learning the rules of a known key does not confirm it again', () => {
  let nowMs = 0;
  const keys = new KnownKeys(() => nowMs);
  const rules = { mark: 'office', addresses: [], dataPolicies: [], cacheSeconds: undefined };
  keys.learnRules('a', rules);
  expect(keys.find('a', Number.POSITIVE_INFINITY)).toBeUndefined();
  keys.confirm('a', anywhere);
  nowMs = 61;
  keys.learnRules('a', rules);
  expect(keys.find('a', Number.POSITIVE_INFINITY)).toMatchObject({ firstHash: 'first', rules });
  expect(keys.find('a', 60)).toBeUndefined();
});
