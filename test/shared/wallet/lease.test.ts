/**
 * Leases against a model of their proxies: whatever is drawn, repeated, lost, recalled or expired, in any order, a wallet is
 * never overdrawn, each charge is applied once, and limits let through exactly what they allow.
 */
import { afterAll, expect, test } from 'bun:test';
import fc from 'fast-check';
import { perRateLimit } from '../../../shared/limits/rate-limits.ts';
import { nanoUsd } from '../../../shared/money.ts';
import { type DrawRequest, type DrawResult, holdMs, type LeaseParts } from '../../../shared/wallet/lease.ts';
import type { Wallet } from '../../../shared/wallet/wallet.ts';
import { WalletAuditor } from '../../../shared/wallet/wallet-auditor.ts';
import { inCampaign } from '../../harness/campaigns.ts';
import { expireDue } from '../../harness/wallet/shard-state.ts';
import { heldBy, noRateLimits, type TestAccount, walletKeyOf } from '../../harness/wallet/wallet-bench.ts';
import { lateNovemberMs, startClockedBench } from './clocked-bench.ts';

const { bench, wallet, keeper, setClock, begin } = await startClockedBench();
const auditor = new WalletAuditor(bench.redis);
afterAll(() => bench.stop());

const nothing: LeaseParts = { amountNano: nanoUsd(0n), requests: 0, tokens: 0, streams: 0 };

interface LeasedRequest {
  readonly requestId: string;
  readonly amount: bigint;
  readonly tokens: number;
}

/** A proxy's side of a lease: what it has, what requests have of it, and what it has yet to draw. */
class Holder {
  leaseId = Bun.randomUUIDv7();
  number = 0;
  isOpen = false;
  isLimited = { requests: false, tokens: false, streams: false };
  free = { amount: 0n, requests: 0, tokens: 0, streams: 0 };
  begun = 0;
  running: LeasedRequest[] = [];
  charges: { requestId: string; cost: bigint; tokens: number }[] = [];
  promoted: LeasedRequest[] = [];
  late: DrawRequest[] = [];

  constructor(
    readonly account: TestAccount,
    readonly isPacked = true,
  ) {}

  begin(amount: bigint, tokens: number): boolean {
    const { free, isLimited } = this;
    const fits =
      amount <= free.amount &&
      (!isLimited.requests || free.requests >= 1) &&
      (!isLimited.tokens || free.tokens >= tokens) &&
      (!isLimited.streams || free.streams >= 1);
    if (!this.isOpen || !fits) return false;
    free.amount -= amount;
    if (isLimited.requests) free.requests -= 1;
    if (isLimited.tokens) free.tokens -= tokens;
    if (isLimited.streams) free.streams -= 1;
    this.begun += 1;
    this.running.push({ requestId: Bun.randomUUIDv7(), amount, tokens });
    return true;
  }

  end(index: number, cost: bigint, used: number): void {
    const [request] = this.running.splice(index, 1);
    if (request === undefined) return;
    this.charges.push({ requestId: request.requestId, cost, tokens: used });
    this.free.amount += request.amount - cost;
    if (this.isLimited.tokens) this.free.tokens += request.tokens;
    if (this.isLimited.streams) this.free.streams += 1;
  }

  promote(index: number): void {
    this.promoted.push(...this.running.splice(index, 1));
  }

  /** What its requests have; those to be promoted too, and what the charges are taken from. */
  get used(): LeaseParts {
    const all = [...this.running, ...this.promoted];
    const amount = all.reduce((sum, request) => sum + request.amount, 0n);
    return {
      amountNano: nanoUsd(amount + this.charges.reduce((sum, { cost }) => sum + cost, 0n)),
      requests: 0,
      tokens: this.isLimited.tokens ? all.reduce((sum, { tokens }) => sum + tokens, 0) : 0,
      streams: this.isLimited.streams ? all.length : 0,
    };
  }

  /** `returns` gives back what no request has. */
  drawRequest(want: LeaseParts, next: DrawRequest['next']): DrawRequest {
    if (next !== 'open') this.isOpen = false;
    const { free } = this;
    if (next !== 'open') this.free = { amount: 0n, requests: 0, tokens: 0, streams: 0 };
    const running = this.running.reduce((sum, { amount }) => sum + amount, 0n);
    const kept = next === 'open' ? free : this.free;
    const { tokens, streams } = {
      tokens: this.running.reduce((sum, request) => sum + request.tokens, 0),
      streams: this.running.length,
    };
    const request: DrawRequest = {
      leaseId: this.leaseId,
      number: this.number + 1,
      shard: this.account.shard,
      keyHash: this.account.keyHash,
      accountId: this.account.accountId,
      keyId: this.account.accountId,
      identity: this.account.identity,
      rateDefaults: noRateLimits,
      begun: this.begun,
      usedTokens: 0,
      keep: {
        amountNano: nanoUsd(running + kept.amount),
        requests: kept.requests,
        tokens: (this.isLimited.tokens ? tokens : 0) + kept.tokens,
        streams: (this.isLimited.streams ? streams : 0) + kept.streams,
      },
      want: next === 'open' ? want : nothing,
      next,
      charges: this.charges.map(({ requestId, cost, tokens: count }) => ({
        requestId,
        costNano: nanoUsd(cost),
        tokens: count,
        detail: '[]',
      })),
      isPacked: this.isPacked,
      promoted: this.promoted.map(({ requestId, amount, tokens: count }) => ({
        requestId,
        amountNano: nanoUsd(amount),
        outputCap: 1,
        tokens: count,
        progressNano: nanoUsd(0n),
        detail: '[]',
      })),
    };
    this.begun = 0;
    this.charges = [];
    this.promoted = [];
    return request;
  }

  /** What it has now, less what its requests have. */
  accept(result: DrawResult): void {
    this.number += 1;
    if (!('amountNano' in result)) {
      this.isOpen = false;
      this.free = { amount: 0n, requests: 0, tokens: 0, streams: 0 };
      this.running = [];
      this.leaseId = Bun.randomUUIDv7();
      this.number = 0;
      return;
    }
    this.isOpen = result.status === 'open';
    const { requests, tokens, streams } = result;
    this.isLimited = {
      requests: requests !== undefined,
      tokens: tokens !== undefined,
      streams: streams !== undefined,
    };
    const { amountNano, tokens: usedTokens, streams: usedStreams } = this.used;
    this.free = {
      amount: result.amountNano - amountNano,
      requests: requests ?? 0,
      tokens: (tokens ?? 0) - usedTokens,
      streams: (streams ?? 0) - usedStreams,
    };
    expect(this.free.amount).toBeGreaterThanOrEqual(0n);
    expect(Math.min(this.free.requests, this.free.tokens, this.free.streams)).toBeGreaterThanOrEqual(0);
  }
}

/** The charges of a draw that found its lease lost are sent one by one, and the lease is ended. */
async function giveUp(wallet: Wallet, account: TestAccount, request: DrawRequest): Promise<DrawResult> {
  for (const { requestId, costNano, tokens, detail } of request.charges)
    await wallet.settle({ ...heldBy(account, requestId), epoch: '' }, { costNano, tokens, detail });
  return wallet.draw({ ...request, number: request.number + 1, next: 'ended', charges: [] });
}

type Step =
  | {
      readonly kind: 'draw';
      readonly which: number;
      readonly amount: number;
      readonly shares: number;
      readonly fault: 'none' | 'repeated' | 'doubled';
    }
  | { readonly kind: 'begin'; readonly which: number; readonly amount: number; readonly tokens: number }
  | { readonly kind: 'end'; readonly which: number; readonly index: number; readonly part: number }
  | { readonly kind: 'promote' | 'close' | 'late'; readonly which: number; readonly index: number }
  | { readonly kind: 'exact'; readonly amount: number; readonly part: number }
  | { readonly kind: 'recall' }
  | { readonly kind: 'wait'; readonly ms: number };

const which = fc.nat(1);
const index = fc.nat(2);
const amount = fc.integer({ min: 1, max: 2_000 });
const part = fc.integer({ min: 0, max: 100 });
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant('draw' as const),
      which,
      amount: fc.integer({ min: 0, max: 40_000 }),
      shares: fc.nat(6),
      fault: fc.constantFrom('none' as const, 'none' as const, 'repeated' as const, 'doubled' as const),
    }),
  },
  {
    weight: 12,
    arbitrary: fc.record({ kind: fc.constant('begin' as const), which, amount, tokens: fc.nat(20) }),
  },
  { weight: 8, arbitrary: fc.record({ kind: fc.constant('end' as const), which, index, part }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constantFrom('promote' as const, 'close' as const, 'late' as const),
      which,
      index,
    }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('exact' as const), amount, part }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('recall' as const) }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('wait' as const), ms: fc.integer({ min: 1, max: holdMs + 1 }) }),
  },
);

/** The books of a wallet, and that nothing in Redis contradicts them. */
async function checkWallet(account: TestAccount): Promise<{ available: bigint; spent: bigint }> {
  const [available = 0n, held, spent = 0n] = await bench.balances(account);
  expect(available).toBeGreaterThanOrEqual(0n);
  const audited = await auditor.readWallet(account.accountId);
  expect(audited?.openHoldsNano).toBe(held ?? 0n);
  return { available, spent };
}

/** The ledger reads each charge once, with the wallet's number and sum after it. Orphans have none. */
async function checkEntries(account: TestAccount, charged: bigint): Promise<void> {
  const entries = (await bench.entries(account)).filter(({ kind }) => kind === 'charge');
  expect(new Set(entries.map(({ request }) => request)).size).toBe(entries.length);
  expect(entries.reduce((sum, { cost = '' }) => sum + BigInt(cost), 0n)).toBe(charged);
  let [seq, spent] = [0, 0n];
  for (const entry of entries) {
    spent += BigInt(entry.cost ?? '');
    if (entry.seq === '') continue;
    seq += 1;
    expect([entry.seq, entry.spent]).toEqual([String(seq), String(spent)]);
  }
}

test('whatever proxies do with leases, no wallet is overdrawn and each charge is applied once (campaign)', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 100_000, max: 4_000_000 }),
      fc.integer({ min: 64, max: 900 }),
      fc.array(step, { minLength: 30, maxLength: 120, size: 'max' }),
      async (credited, requestsPerMinute, steps) => {
        let now = lateNovemberMs;
        await setClock(now);
        const key = { ...perRateLimit(() => 0), requestsPerMinute, tokensPerMinute: 20_000, concurrentStreams: 640 };
        const account = await bench.openAccount(BigInt(credited), { key, account: perRateLimit(() => 0) });
        const holders = [new Holder(account), new Holder(account, false)];
        let charged = 0n;
        const draw = async (holder: Holder, request: DrawRequest, fault: string) => {
          const costs = request.charges.reduce((sum, { costNano }) => sum + costNano, 0n);
          if (fault === 'doubled') await wallet.draw(request);
          let result = await wallet.draw(request);
          if (fault === 'repeated') result = await wallet.draw(request);
          if (result.status === 'lost') result = await giveUp(wallet, account, request);
          charged += costs;
          holder.late.push(request);
          holder.accept(result);
          return result;
        };
        for (const taken of steps) {
          const holder = 'which' in taken ? holders[taken.which] : undefined;
          if (taken.kind === 'draw' && holder !== undefined) {
            const amountNano = nanoUsd(BigInt(taken.amount));
            const { shares } = taken;
            const request = holder.drawRequest(
              { amountNano, requests: shares, tokens: 40 * shares, streams: shares },
              'open',
            );
            const result = await draw(holder, request, taken.fault);
            // Others may have spent since a lease was filled up.
            if ('amountNano' in result) {
              const most = (await checkWallet(account)).available + result.amountNano;
              const kept = request.keep.amountNano;
              expect(result.amountNano <= kept || result.amountNano * 64n <= most).toBe(true);
            }
          } else if (taken.kind === 'begin') {
            holder?.begin(BigInt(taken.amount), taken.tokens);
          } else if (taken.kind === 'end' && holder !== undefined) {
            const request = holder.running[taken.index];
            if (request !== undefined) {
              holder.end(taken.index, (request.amount * BigInt(taken.part)) / 100n, request.tokens);
            }
          } else if (taken.kind === 'promote' && holder !== undefined && holder.number > 0) {
            const request = holder.running[taken.index];
            holder.promote(taken.index);
            await draw(holder, holder.drawRequest(nothing, 'open'), 'none');
            if (request !== undefined) {
              const cost = request.amount / 2n;
              await wallet.settle(heldBy(account, request.requestId), {
                costNano: nanoUsd(cost),
                detail: '[]',
                tokens: request.tokens,
              });
              charged += cost;
            }
          } else if (taken.kind === 'close' && holder !== undefined && holder.number > 0) {
            await draw(holder, holder.drawRequest(nothing, holder.running.length > 0 ? 'closed' : 'ended'), 'none');
          } else if (taken.kind === 'late' && holder !== undefined) {
            const [late] = holder.late.splice(taken.index, 1);
            const hasMoved = late !== undefined && (late.leaseId !== holder.leaseId || late.number < holder.number);
            if (hasMoved) await wallet.draw(late);
          } else if (taken.kind === 'exact') {
            const amountNano = nanoUsd(BigInt(taken.amount));
            const { requestId, reason } = await begin(account, { amountNano, outputCap: taken.amount });
            if (reason === 'ok') {
              const cost = (BigInt(taken.amount) * BigInt(taken.part)) / 100n;
              await wallet.settle(heldBy(account, requestId), { costNano: nanoUsd(cost), detail: '[]', tokens: 0 });
              charged += cost;
            }
          } else if (taken.kind === 'recall') {
            await wallet.recall(account.shard, account.accountId);
          } else if (taken.kind === 'wait') {
            now += taken.ms;
            await setClock(now);
            // What has expired is known to nobody but Redis: its proxy was frozen, and its requests have no cover any more.
            if ((await expireDue(keeper, account.shard)) > 0) {
              for (const frozen of holders) {
                const isGone = (await bench.redis.zscore(`{s${account.shard}}:holds`, frozen.leaseId)) === null;
                if (frozen.number > 0 && isGone) {
                  frozen.running = [];
                  await draw(frozen, frozen.drawRequest(nothing, 'closed'), 'none');
                }
              }
            }
          }
          expect((await checkWallet(account)).spent).toBe(charged);
        }
        for (const holder of holders) {
          while (holder.running.length > 0) holder.end(0, 0n, 0);
          if (holder.number > 0) await draw(holder, holder.drawRequest(nothing, 'ended'), 'none');
        }
        const { available, spent } = await checkWallet(account);
        expect(available + spent).toBe(BigInt(credited));
        await checkEntries(account, charged);
        expect(await bench.redis.exists(`{s${account.shard}}:leases:${account.accountId}`)).toBe(0);
        const fields = await bench.redis.hmgetBuffer(walletKeyOf(account), 'leased', `leased:${account.accountId}`);
        for (const packed of fields) expect([...(packed ?? [])].every((byte) => byte === 0)).toBe(true);
      },
    ),
    { numRuns: inCampaign(30, 120, 90) },
  );
});

test('a limit of requests lets through exactly that many, from leases and without (campaign)', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 700 }),
      fc.array(fc.record({ which: fc.nat(2), share: fc.integer({ min: 1, max: 12 }) }), { maxLength: 40 }),
      async (requestsPerMinute, fills) => {
        await setClock(lateNovemberMs);
        const key = { ...perRateLimit(() => 0), requestsPerMinute };
        const account = await bench.openAccount(1_000_000_000n, { key, account: perRateLimit(() => 0) });
        const holders = [new Holder(account), new Holder(account), new Holder(account)];
        let passed = 0;
        for (const { which: index, share } of fills) {
          const holder = holders[index] ?? new Holder(account);
          const want = { amountNano: nanoUsd(10_000n), requests: share, tokens: 0, streams: 0 };
          holder.accept(await wallet.draw(holder.drawRequest(want, 'open')));
          // A part of what it got stays unused.
          for (let tried = 0; tried < share - 1 && holder.begin(1n, 0); tried += 1) passed += 1;
          if ((await begin(account, { amountNano: nanoUsd(1n) })).reason === 'ok') passed += 1;
        }
        const passExactly = async () => {
          while ((await begin(account, { amountNano: nanoUsd(1n) })).reason === 'ok') passed += 1;
        };
        // Others get nothing of what a lease has, which remains usable.
        await passExactly();
        for (const holder of holders) if (holder.begin(1n, 0)) passed += 1;
        for (const holder of holders.filter(({ number }) => number > 0)) {
          holder.accept(await wallet.draw(holder.drawRequest(nothing, 'closed')));
        }
        await passExactly();
        expect(passed).toBe(requestsPerMinute);
      },
    ),
    { numRuns: inCampaign(20, 60, 40) },
  );
});
