/** The books at rest (no request running, nothing on its way), checked for all accounts by the gateway's own code. */
import { reconcile } from '../../admin/wallets/reconcile/reconcile.ts';
import { driftKinds } from '../../admin/wallets/reconcile/reconciliation.ts';
import { didNotRun } from '../../shared/redis/can-send.ts';
import { whenReady } from '../../shared/redis/connect.ts';
import { shardOfAccount } from '../../shared/wallet/shard.ts';
import { Wallet } from '../../shared/wallet/wallet.ts';
import { WalletAuditor } from '../../shared/wallet/wallet-auditor.ts';
import type { Harness } from '../harness.ts';
import { guardTimeoutMs, readLedger, waitFor } from './account-view.ts';

const readingPauseMs = 50;
const reconnectPauseMs = 20;

/** Waits until Redis and the ledger agree, then returns every violation found; expected to be empty. */
export function violationsAtRest(harness: Harness, accountIds: readonly number[]): Promise<string[]> {
  return whileConnected(harness, () => readViolations(harness, accountIds));
}

/** Reads again if the connection was lost: after a failover it may have been one to the former master. */
async function whileConnected<Result>({ redis }: Harness, read: () => Promise<Result>): Promise<Result> {
  const until = Date.now() + guardTimeoutMs;
  for (;;) {
    await whenReady(redis, guardTimeoutMs);
    try {
      return await read();
    } catch (error) {
      const isLost = didNotRun(error) || (error instanceof Error && error.message === 'Connection is closed.');
      if (!isLost || Date.now() > until) throw error;
    }
    // A command that is refused without being sent would be refused for ever: nothing else runs between two promises.
    await Bun.sleep(reconnectPauseMs);
  }
}

async function readViolations(harness: Harness, accountIds: readonly number[]): Promise<string[]> {
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

/** Its balance once nothing is held. */
function readAtRest(harness: Harness, accountId: number) {
  return readHolding(harness, accountId, 0n);
}

/** Its wallet if it holds so much. Proxies would keep their leases for two more seconds: they are recalled. */
export async function readHolding({ keeper, redis }: Harness, accountId: number, heldNano: bigint) {
  const wallet = await keeper.readWallet(accountId);
  if (wallet?.heldNano === heldNano) return wallet;
  await new Wallet(redis).recall(shardOfAccount(accountId), accountId);
  return undefined;
}

/** The difference between Redis and the ledger, or undefined while something is held or Redis may have lost charges. */
async function differenceOf(harness: Harness, accountId: number): Promise<bigint | undefined> {
  const wallet = await readAtRest(harness, accountId);
  const audited = await new WalletAuditor(harness.redis).readWallet(accountId);
  if (audited?.isRecovering === true) return undefined;
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
