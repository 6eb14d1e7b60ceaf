/** A deleted key leaves nothing behind in its wallet, however its requests and its leases end afterwards. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import fc from 'fast-check';
import { perRateLimit } from '../../../shared/limits/rate-limits.ts';
import { perSpendLimit } from '../../../shared/limits/spend-limits.ts';
import { nanoUsd } from '../../../shared/money.ts';
import { noKeyLimits } from '../../../shared/wallet/key-limits.ts';
import type { DrawRequest, LeaseParts } from '../../../shared/wallet/lease.ts';
import { expireDue } from '../../harness/wallet/shard-state.ts';
import { heldBy, type TestAccount, walletKeyOf } from '../../harness/wallet/wallet-bench.ts';
import { type ClockedBench, dayMs, lateNovemberMs, startClockedBench } from './clocked-bench.ts';

const nothing: LeaseParts = { amountNano: nanoUsd(0n), requests: 0, tokens: 0, streams: 0 };
const rateDefaults = perRateLimit(() => 1_000);

let clocked: ClockedBench;
beforeAll(async () => {
  clocked = await startClockedBench();
});
afterAll(() => clocked.bench.stop());

const deleteKey = ({ accountId, keyHash }: TestAccount) =>
  clocked.keeper.publishKey({
    ...{ id: accountId, accountId, hash: keyHash, version: 2, deleted: true, active: false, addressProven: true },
    ...{ expiresAt: null, allowedModels: null, limits: noKeyLimits },
  });

/** All that is kept of the key, apart from its record, which says for a day that it is deleted. */
async function keptOf(account: TestAccount): Promise<string[]> {
  const { redis } = clocked.bench;
  const fields = await redis.hkeys(walletKeyOf(account));
  const records = await redis.keys(`{s${account.shard}}:spend:${account.accountId}`);
  return [...records, ...fields.filter((field) => field.endsWith(`:${account.accountId}`))];
}

interface Lease {
  readonly leaseId: string;
  number: number;
}

function drawFrom(account: TestAccount, lease: Lease, given: Partial<DrawRequest>) {
  const { shard, accountId, keyHash, identity } = account;
  lease.number += 1;
  return clocked.wallet.draw({
    ...{ leaseId: lease.leaseId, number: lease.number, shard, accountId, keyHash, keyId: accountId, identity },
    ...{ rateDefaults, begun: 0, usedTokens: 0, keep: nothing, want: { ...nothing, amountNano: nanoUsd(500n) } },
    ...{ next: 'open', charges: [], promoted: [], isPacked: true, ...given },
  });
}

/** A lease with a request of its own, which gets a hold of its own only when the key is gone. */
async function endLease(account: TestAccount, lease: Lease): Promise<string> {
  const requestId = Bun.randomUUIDv7();
  const held = { ...nothing, amountNano: nanoUsd(90n) };
  const promoted = [{ ...{ requestId, amountNano: nanoUsd(90n), outputCap: 1, tokens: 4 }, ...progress }];
  await drawFrom(account, lease, { next: 'closed', keep: held, want: nothing, promoted, begun: 1 });
  const charges = [{ requestId: Bun.randomUUIDv7(), costNano: nanoUsd(3n), tokens: 1, detail: '[]' }];
  await drawFrom(account, lease, { next: 'ended', want: nothing, charges });
  return requestId;
}
const progress = { progressNano: nanoUsd(0n), detail: '[]' };

const ends = {
  settle: (account: TestAccount, requestId: string) => clocked.settle(account, requestId, 7n, 3),
  release: (account: TestAccount, requestId: string) => clocked.wallet.release(heldBy(account, requestId)),
  renewAndSettle: async (account: TestAccount, requestId: string) => {
    const state = { amountNano: nanoUsd(200n), costNano: nanoUsd(5n), detail: '{}' };
    await clocked.wallet.renew(heldBy(account, requestId), state);
    await clocked.settle(account, requestId, 150n, 9);
  },
  expire: async () => {},
};
const end = fc.constantFrom(...Object.values(ends));

test('a deleted key leaves nothing in its wallet, however its requests and leases end', async () => {
  const property = fc.asyncProperty(fc.array(end), fc.array(end), fc.option(end), async (before, after, ofLease) => {
    await clocked.setClock(lateNovemberMs);
    const spendNano = perSpendLimit(() => 1_000_000n);
    const account = await clocked.bench.openAccount(1_000_000n, { spendNano });
    const { accountId } = account;
    const spent = { accountId, scope: String(accountId), at: await clocked.now(), spentNano: perSpendLimit(() => 0n) };
    await clocked.keeper.hydrateSpend(spent);
    const begin = async () => (await clocked.begin(account, { rateDefaults, rateTokens: 5 })).requestId;
    const [early, late] = [await Promise.all(before.map(begin)), await Promise.all(after.map(begin))];
    const lease = { leaseId: Bun.randomUUIDv7(), number: 0 };
    if (ofLease !== null) expect((await drawFrom(account, lease, {})).status).toBe('open');
    for (const [index, finish] of before.entries()) await finish(account, early[index] ?? '');
    expect((await keptOf(account)).length).toBeGreaterThan(0);

    await deleteKey(account);
    for (const [index, finish] of after.entries()) await finish(account, late[index] ?? '');
    if (ofLease !== null) await ofLease(account, await endLease(account, lease));
    await clocked.setClock(lateNovemberMs + dayMs);
    await expireDue(clocked.keeper, account.shard);
    expect(await keptOf(account)).toEqual([]);
    const [, heldNano] = await clocked.bench.balances(account);
    expect(heldNano).toBe(0n);
    expect(Number(await clocked.bench.redis.hget(walletKeyOf(account), 'streams'))).toBe(0);
  });
  await fc.assert(property, { numRuns: 25 });
});
