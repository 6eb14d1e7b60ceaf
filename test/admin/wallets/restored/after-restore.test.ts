/** `gateway after-restore` where a wallet changes all the time. The rehearsal of restores covers the rest. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { runAfterRestore } from '../../../../admin/wallets/restored/after-restore.ts';
import { WalletAuditor } from '../../../../shared/wallet/wallet-auditor.ts';
import { WalletCensus } from '../../../../shared/wallet/wallet-census.ts';
import { noDrift, type ReconcileBench, startReconcileBench } from '../reconcile/reconcile-bench.ts';

let bench: ReconcileBench;
beforeAll(async () => {
  bench = await startReconcileBench();
});
afterAll(() => bench.stop());

const actor = { name: 'cli:test', userId: null, address: null, requestId: null };

test('an account whose wallet keeps changing is named, and the others have their lost charges again', async () => {
  const accounts = [await bench.open('10'), await bench.open('10'), await bench.open('10')];
  const [, busy] = accounts;
  for (const account of accounts) {
    await bench.charge(account, 700n);
    await bench.loseLastCharge(account);
  }
  let isInUse = true;
  class AuditorUnderLoad extends WalletAuditor {
    override async readWallet(accountId: number) {
      const wallet = await super.readWallet(accountId);
      if (isInUse && busy?.accountId === accountId) await bench.hold(busy, 1n);
      return wallet;
    }
  }
  const { redis } = bench.harness;
  const services = { ...bench.services, auditor: new AuditorUnderLoad(redis), census: new WalletCensus(redis) };
  const run = () => runAfterRestore(services, { reason: 'restored', actor, patienceMs: 0 });
  const reclaimed = ({ accountId }: { accountId: number }) => ({ accountId, chargedNano: 700n, lostCreditsNano: 0n });

  const first = await run();
  expect(first.moving).toEqual([busy?.accountId ?? 0]);
  expect(new Set(first.reclaimed)).toEqual(new Set(accounts.filter((account) => account !== busy).map(reclaimed)));
  isInUse = false;
  const second = await run();
  expect(second).toMatchObject({
    moving: [],
    reclaimed: accounts.filter((account) => account === busy).map(reclaimed),
  });
  const { drift, violations } = await bench.reconcile();
  expect({ drift, violations }).toEqual({ drift: noDrift, violations: [] });
});
