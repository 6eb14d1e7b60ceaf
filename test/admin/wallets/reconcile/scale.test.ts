/** Thousands of accounts are compared in seconds, and the wrong one among them is found. */
import { expect, test } from 'bun:test';
import { shardOfAccount } from '../../../../shared/wallet/shard.ts';
import { makeManyAccounts } from './many-accounts.ts';
import { noDrift, startReconcileBench } from './reconcile-bench.ts';

test('2,000 accounts with 40,000 charges are reconciled in seconds', async () => {
  const bench = await startReconcileBench();
  const ids = await makeManyAccounts(bench.harness, { accounts: 2_000, chargesEach: 20 });
  const startedAt = performance.now();
  expect(await bench.reconcile()).toMatchObject({ ok: true, accounts: 2_000, wallets: 2_000, undecided: 0 });
  expect(performance.now() - startedAt).toBeLessThan(5_000);

  const accountId = ids[1_234] ?? 0;
  await bench.harness.redis.hincrby(`{s${shardOfAccount(accountId)}}:wallet:${accountId}`, 'available', 1);
  const { drifting } = await bench.reconcile();
  expect(drifting).toEqual([{ accountId, email: null, drift: { ...noDrift, d2: 1n } }]);
  await bench.stop();
});
