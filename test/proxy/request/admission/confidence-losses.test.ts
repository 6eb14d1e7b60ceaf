/** What requests that are sent before their hold is confirmed can lose, by any sequence of what keys and Redis may do. */
import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { Confidence, type Expectation, lossMaxNano } from '../../../../proxy/request/admission/confidence.ts';
import { nanoUsd } from '../../../../shared/money.ts';
import type { Reservation } from '../../../../shared/wallet/reserve-reply.ts';
import { shardOfAccount } from '../../../../shared/wallet/shard.ts';
import type { ReserveRequest } from '../../../../shared/wallet/wallet.ts';
import { noRates, reserveRequestOf } from '../../../harness/wallet/wallet-bench.ts';

const account = { accountId: 7, shard: shardOfAccount(7), keyHash: 'hash', identity: 'redis-1' };
const request = (change: Partial<ReserveRequest> = {}): ReserveRequest => reserveRequestOf(account, change);
const reservation = (change: Partial<Reservation> = {}): Reservation => ({
  ...{ ok: true, accountId: 7, keyId: 8, outputCap: 100, amountNano: nanoUsd(100n), epoch: '3' },
  ...{ rates: noRates, streamsLeft: undefined, leftNano: nanoUsd(1_000_000n) },
  ...change,
});

type Step =
  | { readonly confirm: string; readonly leftNano: bigint }
  | { readonly begin: string; readonly amountNano: bigint }
  | { readonly end: number; readonly outcome: 'confirmed' | 'refused' }
  | { readonly refuse: string }
  | { readonly waitMs: number };

const key = fc.constantFrom('a', 'b', 'c', 'd');
const stepOf: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ confirm: key, leftNano: fc.bigInt({ min: 0n, max: 20_000_000_000n }) }) },
  { weight: 8, arbitrary: fc.record({ begin: key, amountNano: fc.bigInt({ min: 1n, max: lossMaxNano + 1n }) }) },
  { weight: 6, arbitrary: fc.record({ end: fc.nat(20), outcome: fc.constantFrom('confirmed', 'refused') }) },
  { weight: 1, arbitrary: fc.record({ refuse: key }) },
  {
    weight: 4,
    arbitrary: fc.record({
      waitMs: fc.oneof(fc.nat(2_000), fc.integer({ min: 20_000, max: 61_000 }), fc.nat(4_000_000)),
    }),
  },
);

test('no keys can have more than a quarter of a dollar refused for an account in any minute', () => {
  const play = (steps: readonly Step[]) => {
    let nowMs = 0;
    const confidence = new Confidence(() => nowMs);
    const running: { held: Expectation; request: ReserveRequest }[] = [];
    const losses: { atMs: number; amountNano: bigint }[] = [];
    for (const step of steps) {
      if ('waitMs' in step) nowMs += step.waitMs;
      else if ('refuse' in step) confidence.refuse(step.refuse, 'short');
      else if ('confirm' in step) {
        const leftNano = nanoUsd(step.leftNano);
        confidence.confirm(request({ keyHash: step.confirm }), reservation({ leftNano }));
      } else if ('begin' in step) {
        const begun = request({ keyHash: step.begin, amountNano: nanoUsd(step.amountNano) });
        const held = confidence.begin(begun);
        if (held !== undefined) running.push({ held, request: begun });
      } else {
        const [ended] = running.splice(step.end % Math.max(1, running.length), 1);
        if (ended === undefined) continue;
        confidence.end(ended.held, ended.request, step.outcome);
        if (step.outcome === 'refused') losses.push({ atMs: nowMs, amountNano: ended.request.amountNano });
      }
    }
    for (const { atMs } of losses) {
      const within = losses.filter((loss) => loss.atMs >= atMs && loss.atMs < atMs + 60_000);
      expect(within.reduce((sum, { amountNano }) => sum + amountNano, 0n)).toBeLessThanOrEqual(lossMaxNano);
    }
    expect(confidence.lostNano).toBe(nanoUsd(losses.reduce((sum, { amountNano }) => sum + amountNano, 0n)));
  };
  fc.assert(fc.property(fc.array(stepOf, { maxLength: 300, size: 'max' }), play), { numRuns: 1_000 });
});
