/**
 * The limits against a reference: the same algorithm as a leaky bucket in whole numbers. One minute's worth fits in; a
 * request adds 60,000 units for each that it counts, and `limit` units drain in a millisecond, so nothing is ever rounded.
 */
import { afterAll, expect, test } from 'bun:test';
import fc from 'fast-check';
import { heldBy, noRateLimits } from '../../harness/wallet/wallet-bench.ts';
import { lateNovemberMs, startClockedBench } from './clocked-bench.ts';

const { bench, wallet, setClock, begin, settle } = await startClockedBench();

afterAll(() => bench.stop());

const unit = 60_000;

class Bucket {
  readonly #limit: number;
  #level = 0;
  #atMs: number;

  constructor(limit: number, nowMs: number) {
    this.#limit = limit;
    this.#atMs = nowMs;
  }

  drain(nowMs: number): void {
    this.#level = Math.max(0, this.#level - (nowMs - this.#atMs) * this.#limit);
    this.#atMs = nowMs;
  }

  fits(count: number): boolean {
    return this.#level + count * unit <= unit * this.#limit;
  }

  add(count: number): void {
    this.#level += count * unit;
  }

  /** Corrects what was counted before `elapsedMs`; what has drained since is not given back. */
  correct(difference: number, elapsedMs: number): void {
    if (difference >= 0) this.#level = Math.min(this.#level + difference * unit, unit * this.#limit);
    else this.#level = Math.max(0, this.#level + Math.min(0, difference * unit + elapsedMs * this.#limit));
  }

  get left(): number {
    return Math.max(0, Math.floor((unit * this.#limit - this.#level) / unit));
  }
}

type Step =
  | { readonly kind: 'wait'; readonly ms: number }
  | { readonly kind: 'begin'; readonly tokens: number }
  | { readonly kind: 'settle' | 'release'; readonly which: number; readonly used: number };

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('wait' as const), ms: fc.integer({ min: 1, max: 40_000 }) }) },
  {
    weight: 6,
    arbitrary: fc.record({ kind: fc.constant('begin' as const), tokens: fc.integer({ min: 0, max: 500 }) }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constantFrom('settle' as const, 'release' as const),
      which: fc.nat(100),
      used: fc.integer({ min: 0, max: 700 }),
    }),
  },
);

test('limits admit exactly what a leaky bucket in whole numbers admits', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 90 }),
      fc.integer({ min: 1, max: 2_000 }),
      fc.array(step, { maxLength: 60 }),
      async (requests, tokens, steps) => {
        let now = lateNovemberMs;
        await setClock(now);
        const account = await bench.openAccount(1_000_000_000n);
        const buckets = { requests: new Bucket(requests, now), tokens: new Bucket(tokens, now) };
        const running: { requestId: string; counted: number; atMs: number }[] = [];
        for (const each of steps) {
          if (each.kind === 'wait') now += each.ms;
          await setClock(now);
          buckets.requests.drain(now);
          buckets.tokens.drain(now);
          if (each.kind === 'begin') {
            const change = {
              rateDefaults: { ...noRateLimits, requestsPerMinute: requests, tokensPerMinute: tokens },
              rateTokens: each.tokens,
            };
            const { requestId, result, reason } = await begin(account, change);
            const fits = buckets.requests.fits(1) && buckets.tokens.fits(each.tokens);
            expect(reason).toBe(fits ? 'ok' : 'limited');
            if (!fits) continue;
            buckets.requests.add(1);
            buckets.tokens.add(each.tokens);
            running.push({ requestId, counted: each.tokens, atMs: now });
            const left = { requests: { remaining: buckets.requests.left }, tokens: { remaining: buckets.tokens.left } };
            expect(result).toMatchObject({ rates: left });
          } else if (each.kind !== 'wait' && running.length > 0) {
            const [ended] = running.splice(each.which % running.length, 1);
            if (ended === undefined) continue;
            const used = each.kind === 'release' ? 0 : each.used;
            if (each.kind === 'release') await wallet.release(heldBy(account, ended.requestId));
            else await settle(account, ended.requestId, 1n, used);
            buckets.tokens.correct(used - ended.counted, now - ended.atMs);
          }
        }
      },
    ),
    { numRuns: 150, seed: 20_261_122 },
  );
});

test('a limit of any size is filled by exactly its number of requests', async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 400 }), async (limit) => {
      await setClock(lateNovemberMs);
      const account = await bench.openAccount(1_000_000_000n);
      const change = { rateDefaults: { ...noRateLimits, requestsPerMinute: limit } };
      const outcomes = await Promise.all(Array.from({ length: limit + 3 }, () => begin(account, change)));
      expect(outcomes.filter(({ reason }) => reason === 'ok')).toHaveLength(limit);
    }),
    { numRuns: 25, seed: 7 },
  );
});
