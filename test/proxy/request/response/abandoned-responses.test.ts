/** How many whole responses are read to their end concurrently after their clients have left. */
import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { AbandonedResponses, abandonedResponsesMax } from '../../../../proxy/request/response/abandoned-responses.ts';

const steps = fc.array(fc.record({ accountId: fc.nat(40), enters: fc.boolean() }), {
  minLength: 500,
  maxLength: 3_000,
});

test('abandoned responses never exceed the limits per account and in all, and places are free again', () => {
  const play = (played: readonly { readonly accountId: number; readonly enters: boolean }[]) => {
    const abandoned = new AbandonedResponses();
    const inside = new Map<number, number>();
    const all = () => [...inside.values()].reduce((sum, count) => sum + count, 0);
    for (const { accountId, enters } of played) {
      const ofAccount = inside.get(accountId) ?? 0;
      if (enters) {
        const fits = ofAccount < abandonedResponsesMax.account && all() < abandonedResponsesMax.proxy;
        expect(abandoned.acquire(accountId)).toBe(fits);
        if (fits) inside.set(accountId, ofAccount + 1);
      } else if (ofAccount > 0) {
        abandoned.release(accountId);
        inside.set(accountId, ofAccount - 1);
      }
      expect(abandoned.size).toBe(all());
    }
  };
  fc.assert(fc.property(steps, play), { numRuns: 50 });
});

test('abandoned responses of many accounts are limited together', () => {
  const abandoned = new AbandonedResponses();
  const entered = Array.from({ length: 2 * abandonedResponsesMax.proxy }, (_, account) => abandoned.acquire(account));
  expect(entered.filter(Boolean)).toHaveLength(abandonedResponsesMax.proxy);
});
