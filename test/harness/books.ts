/** The books at rest (no request running, nothing on its way), checked for all accounts by the gateway's own code. */
import { reconcile } from '../../admin/wallets/reconcile/reconcile.ts';
import { driftKinds } from '../../admin/wallets/reconcile/reconciliation.ts';
import { shardOfAccount } from '../../shared/wallet/shard.ts';
import { Wallet } from '../../shared/wallet/wallet.ts';
import { WalletAuditor } from '../../shared/wallet/wallet-auditor.ts';
import type { Harness } from '../harness.ts';
import { guardTimeoutMs, readLedger, waitFor } from './account-view.ts';

const readingPauseMs = 50;

/** Waits until Redis and the ledger agree, then returns every violation found; expected to be empty. */
export async function violationsAtRest(harness: Harness, accountIds: readonly number[]): Promise<string[]> {
  await waitFor('Redis and the ledger to agree', guardTimeoutMs, async () => {
    const differences = await Promise.all(accountIds.map((id) => differenceOf(harness, id)));
    return differences.every((difference) => difference === 0n);
  });
  const { sql } = harness.database;
  const auditor = new WalletAuditor(harness.redis);
  const { drifting, violations } = await reconcile({ sql, auditor, pauseMs: readingPauseMs });
  return [
    ...drifting.map(({ accountId, drift }) => {
      const differences = driftKinds.map((kind) => `${kind} ${drift[kind]}`).join(', ');
      return `account ${accountId}: its wallet differs from the ledger by ${differences} nano-USD`;
    }),
    ...violations.map(({ message }) => message),
  ];
}

/** Its balance once nothing is held. Proxies would keep their leases for two more seconds: they are recalled. */
async function readAtRest({ keeper, redis }: Harness, accountId: number) {
  const wallet = await keeper.readWallet(accountId);
  if (wallet?.heldNano === 0n) return wallet;
  await new Wallet(redis).recall(shardOfAccount(accountId), accountId);
  return undefined;
}

/** The difference between Redis and the ledger, or undefined while something is held. */
async function differenceOf(harness: Harness, accountId: number): Promise<bigint | undefined> {
  const wallet = await readAtRest(harness, accountId);
  const [account] = await harness.database.sql<{ balance_nano: string }[]>`
    SELECT balance_nano FROM accounts WHERE id = ${accountId}`;
  if (wallet === undefined || account === undefined) return undefined;
  return wallet.availableNano - BigInt(account.balance_nano);
}

/** What an account has been charged, once nothing is held and the ledger has everything. */
export async function spentAtRest(harness: Harness, accountId: number): Promise<bigint> {
  const state = await waitFor('the wallet at rest', guardTimeoutMs, () => readAtRest(harness, accountId));
  return waitFor('the ledger', guardTimeoutMs, async () => {
    const { balanceNano, spentNano } = await readLedger(harness, accountId);
    return balanceNano === state.availableNano ? spentNano : undefined;
  });
}
