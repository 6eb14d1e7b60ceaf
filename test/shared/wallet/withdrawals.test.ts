/** Money that is leaving a wallet: it cannot be spent, and it leaves once or comes back. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { Withdrawals } from '../../../shared/wallet/withdrawals.ts';
import { guardTimeoutMs, waitFor } from '../../harness/account-view.ts';
import { expireDue } from '../../harness/wallet/shard-state.ts';
import {
  reserveRequestOf,
  startWalletBench,
  type TestAccount,
  type WalletBench,
} from '../../harness/wallet/wallet-bench.ts';

let bench: WalletBench;
let withdrawals: Withdrawals;
beforeAll(async () => {
  bench = await startWalletBench();
  withdrawals = new Withdrawals(bench.redis);
});
afterAll(() => bench.stop());

const holdMs = 60_000;
const withdrawalOf = ({ accountId }: TestAccount) => ({ id: Bun.randomUUIDv7(), accountId });
const all = (amountNano: bigint) => ({ amountNano, lowestNano: amountNano, holdMs });
const take = ({ accountId }: TestAccount, amountNano: bigint, holdId: string | null) =>
  bench.keeper.credit({ accountId, creditSeq: 2, amountNano: -amountNano, holdId });

test('money that is set aside cannot be spent, and leaves the wallet once', async () => {
  const account = await bench.openAccount(1_000n);
  const withdrawal = withdrawalOf(account);
  expect(await withdrawals.setAside(withdrawal, all(950n))).toMatchObject({ ok: true, amountNano: 950n });
  expect(await withdrawals.setAside(withdrawal, all(950n))).toMatchObject({ ok: true, amountNano: 950n });
  expect(await bench.balances(account)).toEqual([50n, 950n, 0n]);
  expect(await bench.wallet.reserve(reserveRequestOf(account))).toMatchObject({ ok: false, reason: 'short' });

  expect(await take(account, 950n, withdrawal.id)).toBe('applied');
  expect(await take(account, 950n, withdrawal.id)).toBe('duplicate');
  expect(await bench.balances(account)).toEqual([50n, 0n, 0n]);
  expect(await withdrawals.setAside(withdrawal, all(10n))).toEqual({ ok: false, reason: 'ended' });
});

test('a withdrawal that is cancelled returns its money', async () => {
  const account = await bench.openAccount(1_000n);
  const withdrawal = withdrawalOf(account);
  await withdrawals.setAside(withdrawal, all(400n));
  await withdrawals.giveBack(withdrawal);
  await withdrawals.giveBack(withdrawal);
  expect(await bench.balances(account)).toEqual([1_000n, 0n, 0n]);
});

test('a withdrawal of more than is available is refused, or holds what there is', async () => {
  const account = await bench.openAccount(1_000n);
  await bench.wallet.reserve(reserveRequestOf(account));
  expect(await withdrawals.setAside(withdrawalOf(account), all(901n))).toEqual({
    ok: false,
    reason: 'short',
    availableNano: 900n as never,
  });
  const partial = { amountNano: 5_000n, lowestNano: 1n, holdMs };
  expect(await withdrawals.setAside(withdrawalOf(account), partial)).toMatchObject({ ok: true, amountNano: 900n });
  expect(await withdrawals.setAside(withdrawalOf(account), partial)).toMatchObject({ ok: false, reason: 'short' });
  expect(await bench.balances(account)).toEqual([0n, 1_000n, 0n]);
});

test('an abandoned withdrawal expires without a charge, and can be set aside again', async () => {
  const account = await bench.openAccount(1_000n);
  const withdrawal = withdrawalOf(account);
  await withdrawals.setAside(withdrawal, { ...all(400n), holdMs: 0 });
  await waitFor('the hold to expire', guardTimeoutMs, async () => (await expireDue(bench.keeper, account.shard)) === 1);
  expect(await bench.balances(account)).toEqual([1_000n, 0n, 0n]);
  expect(await bench.entries(account)).toEqual([]);
  expect(await withdrawals.setAside(withdrawal, all(400n))).toMatchObject({ ok: true });
});

test('a withdrawal whose hold was lost is taken from what is available', async () => {
  const account = await bench.openAccount(1_000n);
  expect(await take(account, 300n, Bun.randomUUIDv7())).toBe('applied');
  expect(await bench.balances(account)).toEqual([700n, 0n, 0n]);
});

test('nothing is set aside in a Redis that has not been compared with the ledger', async () => {
  const account = await bench.openAccount(1_000n);
  await bench.keeper.writeMeta(account.shard, { mode: 'recovering', epoch: 2, identity: account.identity });
  expect(await withdrawals.setAside(withdrawalOf(account), all(1n))).toEqual({ ok: false, reason: 'unavailable' });
});
