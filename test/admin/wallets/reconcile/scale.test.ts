/** Thousands of accounts are compared in batches, and the wrong one among them is found. */
import { expect, spyOn, test } from 'bun:test';
import type { Sql } from 'postgres';
import { allShards, shardOfAccount } from '../../../../shared/wallet/shard.ts';
import { makeManyAccounts } from './many-accounts.ts';
import { noDrift, startReconcileBench } from './reconcile-bench.ts';

test('2,000 accounts with 40,000 charges are reconciled in batches, not one by one', async () => {
  const bench = await startReconcileBench();
  const ids = await makeManyAccounts(bench.harness, { accounts: 2_000, chargesEach: 20 });
  const readWallets = spyOn(bench.auditor, 'readWallets');
  let statements = 0;
  const sql = countingSql(bench.harness.database.sql, () => {
    statements += 1;
  });
  expect(await bench.reconcile({ sql })).toMatchObject({ ok: true, accounts: 2_000, wallets: 2_000, undecided: 0 });
  expect(readWallets).toHaveBeenCalledTimes(allShards.length);
  expect(statements).toBeWithin(allShards.length, 1_000);
  readWallets.mockRestore();

  const accountId = ids[1_234] ?? 0;
  await bench.harness.redis.hincrby(`{s${shardOfAccount(accountId)}}:wallet:${accountId}`, 'available', 1);
  const { drifting } = await bench.reconcile();
  expect(drifting).toEqual([{ accountId, email: null, drift: { ...noDrift, d2: 1n } }]);
  await bench.stop();
});

function countingSql(sql: Sql, count: () => void): Sql {
  return new Proxy(sql, {
    apply: (target, self, parameters) => {
      count();
      return Reflect.apply(target, self, parameters);
    },
  });
}
