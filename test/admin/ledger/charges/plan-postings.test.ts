/** Only the request and the rank decide what is booked: duplicates, order and races change nothing. */
import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { type Head, planPostings } from '../../../../admin/ledger/charges/plan-postings.ts';
import type { Charge } from '../../../../admin/ledger/charges/read-usage-entry.ts';
import { detailOf } from '../../../harness/wallet/charge-detail.ts';

function charge(requestId: string, rank: 1 | 2, costNano: bigint): Charge {
  return {
    kind: 'charge',
    requestId,
    accountId: 1,
    keyId: 1,
    assignmentId: null,
    rank,
    costNano,
    unchargedNano: 0n,
    detail: detailOf({ estimated: rank === 1 }),
    epoch: 1,
    walletSeq: null,
    walletSpentNano: null,
    chargedAt: new Date(0),
  };
}

const total = (charges: readonly Charge[], before: ReadonlyMap<string, Head> = new Map()) =>
  planPostings(charges, before).differenceByAccount.get(1) ?? 0n;

test('a final cost replaces an estimate by the difference, in either order', () => {
  const [estimate, final] = [charge('a', 1, 30n), charge('a', 2, 25n)];
  expect(planPostings([estimate, final], new Map()).postings.map(({ differenceNano }) => differenceNano)).toEqual([
    30n,
    -5n,
  ]);
  expect(total([final, estimate])).toBe(25n);
  expect(total([final], new Map([['a', { rank: 1, chargedNano: 30n }]]))).toBe(-5n);
  expect(total([estimate], new Map([['a', { rank: 2, chargedNano: 25n }]]))).toBe(0n);
});

test('any mix of duplicates, split into any batches, books each request’s final cost', () => {
  const arbitraryCharges = fc.array(
    fc.record({ request: fc.integer({ min: 0, max: 5 }), rank: fc.constantFrom(1 as const, 2 as const) }),
    { maxLength: 40 },
  );
  fc.assert(
    fc.property(arbitraryCharges, fc.array(fc.integer({ min: 1, max: 7 }), { maxLength: 20 }), (picks, sizes) => {
      // The cost is a function of (request, rank), as it is in Redis: an outcome is written once.
      const charges = picks.map(({ request, rank }) => charge(String(request), rank, BigInt(request * 10 + rank)));
      let heads = new Map<string, Head>();
      let booked = 0n;
      const rest = [...charges];
      while (rest.length > 0) {
        const plan = planPostings(rest.splice(0, sizes.pop() ?? 3), heads);
        heads = new Map([...heads, ...plan.heads]);
        booked += plan.differenceByAccount.get(1) ?? 0n;
      }
      const highest = new Map<string, bigint>();
      for (const { requestId, costNano } of charges) {
        const known = highest.get(requestId) ?? 0n;
        highest.set(requestId, costNano > known ? costNano : known);
      }
      expect(booked).toBe([...highest.values()].reduce((sum, cost) => sum + cost, 0n));
    }),
  );
});
