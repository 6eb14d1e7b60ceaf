/**
 * Charges that are drawn alone leave what a whole draw of them leaves, and nothing where that would do more than charge them: the
 * same wallet, lease, counts of budgets and entries of the usage stream.
 */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import fc from 'fast-check';
import { perSpendLimit } from '../../../shared/limits/spend-limits.ts';
import { nanoUsd } from '../../../shared/money.ts';
import { encodeChargeDetail } from '../../../shared/usage/charge-detail.ts';
import type { DrawRequest, LeaseParts } from '../../../shared/wallet/lease.ts';
import { detailOf } from '../../harness/wallet/charge-detail.ts';
import {
  noRateLimits,
  startWalletBench,
  type TestAccount,
  type WalletBench,
  walletKeyOf,
} from '../../harness/wallet/wallet-bench.ts';

const creditNano = 64_000n;
/** A 64th of it, as leases have. */
const leasedNano = creditNano / 64n;
const nothing: LeaseParts = { amountNano: nanoUsd(0n), requests: 0, tokens: 0, streams: 0 };

let bench: WalletBench;
beforeAll(async () => {
  bench = await startWalletBench();
});
afterAll(() => bench.stop());

interface Twin {
  readonly account: TestAccount;
  readonly leaseId: string;
}

async function openTwin({ hasBudget, overdrawn }: { hasBudget: boolean; overdrawn: boolean }): Promise<Twin> {
  const spendNano = perSpendLimit(() => (hasBudget ? 1_000_000n : null));
  const account = await bench.openAccount(creditNano, { spendNano });
  const { accountId } = account;
  if (hasBudget) {
    const spent = { accountId, scope: String(accountId), at: new Date(), spentNano: perSpendLimit(() => 5n) };
    await bench.keeper.hydrateSpend(spent);
  }
  const twin = { account, leaseId: Bun.randomUUIDv7() };
  const { status } = await draw(twin, 1, []);
  expect(status).toBe('open');
  if (overdrawn) await bench.redis.hset(walletKeyOf(account), 'available', '-7');
  return twin;
}

interface Cost {
  readonly requestId: string;
  readonly costNano: bigint;
}

function requestOf({ account, leaseId }: Twin, number: number, costs: readonly Cost[]): DrawRequest {
  const { shard, accountId, keyHash, identity } = account;
  const detail = encodeChargeDetail(detailOf({ variant: `"\\` }));
  return {
    ...{ leaseId, number, shard, accountId, keyHash, keyId: accountId, identity, rateDefaults: noRateLimits },
    ...{ begun: 0, usedTokens: 0, keep: nothing, want: { ...nothing, amountNano: nanoUsd(leasedNano) } },
    ...{ next: 'open', promoted: [], isPacked: true },
    charges: costs.map(({ requestId, costNano }) => ({ requestId, costNano: nanoUsd(costNano), tokens: 1, detail })),
  };
}

const draw = (twin: Twin, number: number, costs: readonly Cost[]) => bench.wallet.draw(requestOf(twin, number, costs));

/** Reading waits for entries where there are none. */
async function chargesOf(account: TestAccount) {
  if ((await bench.redis.xlen(`{s${account.shard}}:usage`)) === 0) return [];
  const entries = (await bench.entries(account)).filter(({ kind }) => kind === 'charge');
  return entries.map(({ cost, uncharged, detail, seq, spent, rank, request }) => {
    return { cost, uncharged, detail, seq, spent, rank, request };
  });
}

/** Everything that is kept of an account, without its number. */
async function stateOf(twin: Twin) {
  const { account } = twin;
  const [, , spent] = await bench.balances(account);
  const wallet = await bench.redis.hmget(walletKeyOf(account), 'available', 'held', 'spent', 'credited', 'seq');
  const { epoch, asked, ...counted } = await bench.redis.hgetall(`{s${account.shard}}:spend:${account.accountId}`);
  return { wallet, spent, counted, charges: await chargesOf(account) };
}

test('charges alone, a whole draw of them, and both again leave the same', async () => {
  const draws = fc.array(fc.array(fc.bigInt({ min: 0n, max: 400n }), { minLength: 1, maxLength: 5 }), { maxLength: 4 });
  const property = fc.asyncProperty(draws, fc.boolean(), fc.boolean(), async (batches, hasBudget, isRepeated) => {
    const [alone, whole] = [
      await openTwin({ hasBudget, overdrawn: false }),
      await openTwin({ hasBudget, overdrawn: false }),
    ];
    let leftNano = leasedNano;
    for (const [index, costs] of batches.entries()) {
      const charges = costs.map((costNano) => ({ requestId: Bun.randomUUIDv7(), costNano }));
      const sumNano = costs.reduce((sum, cost) => sum + cost, 0n);
      const request = requestOf(alone, index + 2, charges);
      const before = await stateOf(alone);
      const result = await bench.wallet.chargeLease(request);
      if (sumNano > leftNano) {
        expect(result).toBeUndefined();
        expect(await stateOf(alone)).toEqual(before);
        return;
      }
      leftNano -= sumNano;
      expect(result?.amountNano).toBe(nanoUsd(leftNano));
      if (isRepeated) expect((await bench.wallet.chargeLease(request))?.amountNano).toBe(nanoUsd(leftNano));
      const drawn = await bench.wallet.draw({
        ...requestOf(whole, index + 2, charges),
        want: nothing,
        keep: { ...nothing, amountNano: nanoUsd(leftNano) },
      });
      expect(drawn).toMatchObject({ status: 'open', amountNano: nanoUsd(leftNano) });
      expect(await stateOf(alone)).toEqual(await stateOf(whole));
    }
  });
  await fc.assert(property, { numRuns: 60, endOnFailure: true });
});

test('a wallet that is overdrawn is left to a whole draw, which charges no more than there is', async () => {
  const twin = await openTwin({ hasBudget: false, overdrawn: true });
  expect(await bench.wallet.chargeLease(requestOf(twin, 2, [{ requestId: 'one', costNano: 5n }]))).toBeUndefined();
});

test('entries with many charges are not written unless every admin reads them', async () => {
  const twin = await openTwin({ hasBudget: false, overdrawn: false });
  const request = { ...requestOf(twin, 2, [{ requestId: 'one', costNano: 5n }]), isPacked: false };
  expect(await bench.wallet.chargeLease(request)).toBeUndefined();
  expect(await chargesOf(twin.account)).toEqual([]);
});
