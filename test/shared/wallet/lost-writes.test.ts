/**
 * Charges in a Redis that has lost writes, or whose clock was set back: what the scripts and the replay buffer do so
 * that each is charged once and for no more than was delivered. The simulation found each of these cases by chance.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Decision } from '../../../proxy/request/settlement/decision.ts';
import { nanoUsd } from '../../../shared/money.ts';
import type { DrawRequest } from '../../../shared/wallet/lease.ts';
import { allShards } from '../../../shared/wallet/shard.ts';
import { replayBufferOf } from '../../harness/wallet/replay-buffer.ts';
import { expireDue } from '../../harness/wallet/shard-state.ts';
import {
  heldBy,
  noRateLimits,
  reserveRequestOf,
  type TestAccount,
  walletKeyOf,
} from '../../harness/wallet/wallet-bench.ts';
import { type ClockedBench, lateNovemberMs, startClockedBench } from './clocked-bench.ts';

const everyShard = new Set(allShards);

let clocked: ClockedBench;

beforeAll(async () => {
  clocked = await startClockedBench();
});

afterAll(() => clocked.bench.stop());

const orphansKeyOf = ({ shard, accountId }: TestAccount) => `{s${shard}}:orphans:${accountId}`;
const requestKeyOf = ({ shard }: TestAccount, requestId: string) => `{s${shard}}:request:${requestId}`;
const charge = (nano: bigint) => ({ costNano: nanoUsd(nano), detail: '{}', tokens: 0 });
const progress = (amount: bigint, cost: bigint) => ({
  amountNano: nanoUsd(amount),
  costNano: nanoUsd(cost),
  detail: `{"cost":${cost}}`,
});

async function openAccount(creditedNano = 1_000n): Promise<TestAccount> {
  await clocked.setClock(lateNovemberMs);
  return clocked.bench.openAccount(creditedNano);
}

async function charges(account: TestAccount) {
  return (await clocked.bench.entries(account)).filter(({ kind }) => kind === 'charge');
}

/** Redis has forgotten the request; everything else is as it was. */
async function forget(account: TestAccount, requestId: string): Promise<void> {
  await clocked.bench.redis.del(requestKeyOf(account, requestId));
}

async function beginEpoch(account: TestAccount, epoch: number): Promise<void> {
  await clocked.keeper.writeMeta(account.shard, { mode: 'open', epoch, identity: account.identity });
}

describe('a hydrated wallet', () => {
  const hydrateWith = async (orphans: Record<string, string>, booked: { rank: number; chargedNano: bigint }) => {
    const account = await openAccount();
    const requestId = Bun.randomUUIDv7();
    await clocked.bench.redis.del(walletKeyOf(account));
    for (const [suffix, value] of Object.entries(orphans)) {
      await clocked.bench.redis.hset(orphansKeyOf(account), `${requestId}${suffix}`, value);
    }
    expect(await clocked.keeper.readOrphans(account.accountId)).toEqual([requestId]);
    const { chargedNano } = booked;
    await clocked.bench.hydrate(account.accountId, 1_000n, chargedNano, new Map([[requestId, booked]]));
    return clocked.bench.balances(account);
  };

  test('charges an orphan in full if the ledger has nothing for its request', async () => {
    expect(await hydrateWith({ ':2': '150:0' }, { rank: 0, chargedNano: 0n })).toEqual([850n, 0n, 150n]);
  });

  test('charges an orphan only for what it adds to a booked estimate', async () => {
    expect(await hydrateWith({ ':2': '150:0' }, { rank: 1, chargedNano: 40n })).toEqual([850n, 0n, 150n]);
  });

  test('does not charge an orphan whose rank the ledger has booked, even at a different cost', async () => {
    expect(await hydrateWith({ ':2': '150:0' }, { rank: 2, chargedNano: 140n })).toEqual([860n, 0n, 140n]);
    expect(await hydrateWith({ ':1': '10:0' }, { rank: 2, chargedNano: 140n })).toEqual([860n, 0n, 140n]);
  });

  test('charges an orphan with an estimate once, by its highest rank', async () => {
    const both = { ':1': '40:0', ':2': '150:0' };
    expect(await hydrateWith(both, { rank: 0, chargedNano: 0n })).toEqual([850n, 0n, 150n]);
    expect(await hydrateWith(both, { rank: 1, chargedNano: 40n })).toEqual([850n, 0n, 150n]);
  });
});

test("a charge that was cut to the wallet's balance is replayed as charged, not as requested", async () => {
  const account = await openAccount(140n);
  const buffer = replayBufferOf(clocked.wallet);
  const held = heldBy(account, Bun.randomUUIDv7());
  await buffer.submit({ kind: 'settle', held, ...charge(150n) });
  expect(await clocked.bench.balances(account)).toEqual([0n, 0n, 140n]);

  await clocked.bench.redis.flushall();
  await clocked.setClock(lateNovemberMs);
  await buffer.replay(everyShard);
  expect(await charges(account)).toMatchObject([{ rank: '2', cost: '140', uncharged: '10' }]);
  expect(await clocked.bench.redis.hgetall(orphansKeyOf(account))).toEqual({
    [`${held.requestId}:2`]: expect.stringMatching(/^140:0:140:\d+-\d+:\d+:$/),
  });
});

describe('a repeated final charge', () => {
  test('returns the newest entry of the stream, whatever the clock says', async () => {
    const account = await openAccount();
    const { requestId } = await clocked.begin(account);
    const { streamId } = await clocked.settle(account, requestId, 40n);
    for (const minutes of [-10, 0, 10]) {
      await clocked.setClock(lateNovemberMs + minutes * 60_000);
      expect(await clocked.settle(account, requestId, 40n)).toEqual({ streamId, chargedNano: nanoUsd(40n) });
    }
    await clocked.bench.redis.xtrim(`{s${account.shard}}:usage`, 'MAXLEN', 0);
    expect(await clocked.settle(account, requestId, 40n)).toMatchObject({ streamId: '' });
  });

  test("stays in the proxy's replay buffer until it is booked, even if the clock was set back", async () => {
    const account = await openAccount();
    const { requestId } = await clocked.begin(account);
    const settle: Decision = { kind: 'settle', held: heldBy(account, requestId), ...charge(40n) };
    // The first reply was lost; when the charge is sent again, another server with a slower clock has taken over.
    await clocked.wallet.settle(settle.held, settle);
    await clocked.setClock(lateNovemberMs - 600_000);
    const buffer = replayBufferOf(clocked.wallet);
    await buffer.submit(settle);
    await buffer.confirm(0);
    await buffer.confirm(200_000);
    expect(buffer.size).toBe(1);
    await clocked.bench.redis.xtrim(`{s${account.shard}}:usage`, 'MAXLEN', 0);
    await buffer.confirm(200_000);
    expect(buffer.size).toBe(0);
  });
});

describe('an estimate', () => {
  test('replaces a lower one if the ledger has booked it, and a late settle posts the difference', async () => {
    const account = await openAccount();
    const requestId = Bun.randomUUIDv7();
    await clocked.bench.redis.set(requestKeyOf(account, requestId), '1:0');
    await clocked.keeper.restoreOutcomes(account.shard, new Map([[requestId, '1:180']]));
    await clocked.settle(account, requestId, 200n);
    expect(await clocked.bench.balances(account)).toEqual([980n, 0n, 20n]);
  });

  test('never replaces a final charge', async () => {
    const account = await openAccount();
    const requestId = Bun.randomUUIDv7();
    await clocked.settle(account, requestId, 30n);
    await clocked.keeper.restoreOutcomes(account.shard, new Map([[requestId, '1:180']]));
    expect(await clocked.bench.redis.get(requestKeyOf(account, requestId))).toBe('2:30');
  });

  test('is charged only in the Redis and in the epoch in which the shard is open', async () => {
    const account = await openAccount();
    const { shard, identity } = account;
    const { requestId } = await clocked.begin(account);
    await clocked.wallet.renew(heldBy(account, requestId), progress(100n, 30n));
    await clocked.setClock(lateNovemberMs + 200_000);
    const expire = (epoch: number) => clocked.keeper.expire({ shard, epoch, limit: 10 });
    await clocked.keeper.writeMeta(shard, { mode: 'open', epoch: 1, identity: 'another' });
    expect(await expire(1)).toBe(0);
    await clocked.keeper.writeMeta(shard, { mode: 'recovering', epoch: 1, identity });
    expect(await expire(1)).toBe(0);
    await clocked.keeper.writeMeta(shard, { mode: 'open', epoch: 2, identity });
    expect(await expire(1)).toBe(0);
    expect(await clocked.bench.balances(account)).toEqual([900n, 100n, 0n]);
    expect(await expire(2)).toBe(1);
    expect(await clocked.bench.balances(account)).toEqual([970n, 0n, 30n]);
  });
});

describe('the progress of a request', () => {
  test('does not fall when a renewal arrives after a newer one', async () => {
    const account = await openAccount();
    const { requestId } = await clocked.begin(account);
    const held = heldBy(account, requestId);
    await clocked.wallet.renew(held, progress(100n, 70n));
    await clocked.wallet.renew(held, progress(100n, 20n));
    await clocked.setClock(lateNovemberMs + 200_000);
    await expireDue(clocked.keeper, account.shard);
    expect(await charges(account)).toMatchObject([{ rank: '1', cost: '70', detail: '{"cost":70}' }]);
  });
});

describe('a lease from before a recovery', () => {
  const nothing = { amountNano: nanoUsd(0n), requests: 0, tokens: 0, streams: 0 };
  const drawOf = (account: TestAccount, rest: Pick<DrawRequest, 'number'> & Partial<DrawRequest>): DrawRequest => ({
    ...{ leaseId: 'lease', shard: account.shard, accountId: account.accountId, keyId: account.accountId },
    ...{ keyHash: account.keyHash, identity: account.identity, rateDefaults: noRateLimits, isPacked: true },
    ...{ begun: 0, usedTokens: 0, keep: nothing, want: nothing, next: 'open', charges: [], promoted: [], ...rest },
  });
  const running = (account: TestAccount, amountNano: bigint) => ({
    ...{ requestId: `running-of-${account.accountId}`, amountNano: nanoUsd(amountNano), outputCap: 1, tokens: 0 },
    ...{ progressNano: nanoUsd(0n), detail: '[]' },
  });

  const openLease = async () => {
    const account = await openAccount(64_000n);
    const want = { ...nothing, amountNano: nanoUsd(1_000n) };
    const result = await clocked.wallet.draw(drawOf(account, { number: 1, want }));
    expect(result).toMatchObject({ status: 'open', amountNano: 1_000n });
    await beginEpoch(account, 2);
    return account;
  };

  test('is not drawn from: its charges are sent one by one', async () => {
    const account = await openLease();
    const charged = { requestId: 'charged', costNano: nanoUsd(10n), tokens: 0, detail: '[]' };
    for (const next of ['open', 'closed', 'ended'] as const) {
      const result = await clocked.wallet.draw(drawOf(account, { number: 2, charges: [charged], next }));
      expect(result.status).toBe('lost');
    }
    expect(await clocked.bench.balances(account)).toEqual([63_000n, 1_000n, 0n]);
    expect(await charges(account)).toEqual([]);
  });

  test('gives its running requests holds of their own, with its last draw', async () => {
    const account = await openLease();
    const last = drawOf(account, { number: 3, next: 'ended', promoted: [running(account, 600n)] });
    expect((await clocked.wallet.draw(last)).status).toBe('ended');
    expect(await clocked.bench.balances(account)).toEqual([63_400n, 600n, 0n]);
    // One that was on its way until then changes nothing, as its repetition does.
    expect((await clocked.wallet.draw(drawOf(account, { number: 2 }))).status).toBe('stale');
    expect((await clocked.wallet.draw(last)).status).toBe('ended');
    expect(await clocked.bench.balances(account)).toEqual([63_400n, 600n, 0n]);
  });

  test('does not lower the number of concurrent requests when one of them ends', async () => {
    const account = await openLease();
    await clocked.begin(account);
    const promoted = running(account, 600n);
    await clocked.wallet.draw(drawOf(account, { number: 3, next: 'ended', promoted: [promoted] }));
    await clocked.settle(account, promoted.requestId, 10n);
    const fields = ['streams', `streams:${account.accountId}`];
    expect(await clocked.bench.redis.hmget(walletKeyOf(account), ...fields)).toEqual(['1', '1']);
  });

  test('has no more for them than is left of it', async () => {
    const account = await openLease();
    await clocked.wallet.draw(drawOf(account, { number: 3, next: 'ended', promoted: [running(account, 1_500n)] }));
    expect(await clocked.bench.balances(account)).toEqual([63_000n, 1_000n, 0n]);
  });
});

describe('a final charge without its hold, in a later epoch than its confirmation', () => {
  const settleLate = async (available: bigint, cost: bigint) => {
    const account = await openAccount(available);
    const request = reserveRequestOf(account, { amountNano: nanoUsd(available < 100n ? available : 100n) });
    const { requestId } = request;
    await clocked.wallet.reserve(request);
    await clocked.wallet.release(request);
    await forget(account, requestId);
    await beginEpoch(account, 2);
    await clocked.settle(account, requestId, cost);
    const absorb = (differenceNano: bigint) =>
      clocked.keeper.absorb(account.shard, [
        { accountId: account.accountId, keyId: account.accountId, requestId, rank: 2, differenceNano },
      ]);
    return { account, requestId, absorb };
  };

  test('is charged as an orphan, without a sequence number of the wallet', async () => {
    const { account } = await settleLate(1_000n, 40n);
    expect(await clocked.bench.balances(account)).toEqual([960n, 0n, 40n]);
    expect(await charges(account)).toMatchObject([{ rank: '2', cost: '40', seq: '', spent: '' }]);
  });

  test('is given back once if the ledger had already booked it', async () => {
    const { account, absorb } = await settleLate(1_000n, 40n);
    await absorb(0n);
    await absorb(0n);
    expect(await clocked.bench.balances(account)).toEqual([1_000n, 0n, 0n]);
    expect(await clocked.bench.redis.exists(orphansKeyOf(account))).toBe(0);
  });

  test('stays if the ledger has just booked it, and is corrected by an estimate booked before', async () => {
    const booked = await settleLate(1_000n, 40n);
    await booked.absorb(40n);
    expect(await clocked.bench.balances(booked.account)).toEqual([960n, 0n, 40n]);
    const estimated = await settleLate(1_000n, 40n);
    await estimated.absorb(15n);
    expect(await clocked.bench.balances(estimated.account)).toEqual([985n, 0n, 15n]);
  });

  test('is distinguished from its earlier estimate', async () => {
    const account = await openAccount();
    const requestId = Bun.randomUUIDv7();
    await clocked.wallet.renew(heldBy(account, requestId), progress(100n, 30n));
    await clocked.setClock(lateNovemberMs + 200_000);
    await expireDue(clocked.keeper, account.shard);
    await beginEpoch(account, 2);
    await clocked.settle(account, requestId, 40n);
    const decided = { accountId: account.accountId, keyId: account.accountId, requestId };
    await clocked.keeper.absorb(account.shard, [{ ...decided, rank: 1, differenceNano: 0n }]);
    expect(await clocked.bench.balances(account)).toEqual([990n, 0n, 10n]);
    await clocked.keeper.absorb(account.shard, [{ ...decided, rank: 2, differenceNano: 40n }]);
    expect(await clocked.bench.balances(account)).toEqual([960n, 0n, 40n]);
  });

  test('takes no wallet below zero', async () => {
    const { account } = await settleLate(30n, 40n);
    expect(await clocked.bench.balances(account)).toEqual([0n, 0n, 30n]);
    expect(await charges(account)).toMatchObject([{ cost: '30', uncharged: '10' }]);
  });

  test("changes the wallet's version, so that a concurrent rebase fails", async () => {
    const account = await openAccount();
    const before = await clocked.bench.redis.hget(walletKeyOf(account), 'version');
    await beginEpoch(account, 2);
    await clocked.settle(account, Bun.randomUUIDv7(), 0n);
    expect(await clocked.bench.redis.hget(walletKeyOf(account), 'version')).not.toBe(before);
  });

  test('is an orphan even if a renewal restored its hold, because the ledger may know better', async () => {
    const account = await openAccount();
    const requestId = Bun.randomUUIDv7();
    const held = heldBy(account, requestId);
    await clocked.wallet.renew(held, progress(100n, 30n));
    await clocked.settle(account, requestId, 40n);
    expect(await clocked.bench.balances(account)).toEqual([960n, 0n, 40n]);
    expect(await charges(account)).toMatchObject([{ rank: '2', cost: '40', seq: '' }]);
    const booked = {
      accountId: account.accountId,
      keyId: account.accountId,
      requestId,
      rank: 2,
      differenceNano: 0n,
    } as const;
    await clocked.keeper.absorb(account.shard, [booked]);
    expect(await clocked.bench.balances(account)).toEqual([1_000n, 0n, 0n]);
  });

  test('is kept as an orphan if the wallet is missing, with or without its hold', async () => {
    const account = await openAccount();
    const { requestId } = await clocked.begin(account);
    await clocked.bench.redis.del(walletKeyOf(account));
    await clocked.settle(account, requestId, 40n);
    expect(await clocked.bench.redis.hgetall(orphansKeyOf(account))).toEqual({
      [`${requestId}:2`]: expect.stringMatching(/^40:0:40:\d+-\d+:\d+:$/),
    });
  });

  test('is an ordinary charge if its hold still exists', async () => {
    const account = await openAccount();
    const { requestId } = await clocked.begin(account);
    await beginEpoch(account, 2);
    await clocked.settle(account, requestId, 40n);
    expect(await charges(account)).toMatchObject([{ cost: '40', seq: '1', spent: '40' }]);
    expect(await clocked.bench.redis.exists(orphansKeyOf(account))).toBe(0);
  });
});
