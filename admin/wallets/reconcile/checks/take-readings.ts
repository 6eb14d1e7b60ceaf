/**
 * Reads accounts in Redis and in Postgres while requests run. The order makes the readings comparable: first the
 * wallets, then what is waiting in the stream, then the ledger. A charge of such a wallet that is not waiting was
 * booked before the ledger was read, because it leaves the stream only after the commit.
 */
import type { Sql } from 'postgres';
import { type Shard, shardOfAccount } from '../../../../shared/wallet/shard.ts';
import type { AuditedWallet, WalletAuditor } from '../../../../shared/wallet/wallet-auditor.ts';
import { readUsageEntry } from '../../../ledger/charges/read-usage-entry.ts';
import { type LedgerAccount, readLedgerAccounts } from './read-ledger-accounts.ts';

export interface ReconcileServices {
  readonly sql: Sql;
  readonly auditor: WalletAuditor;
}

/** One account at roughly one moment. */
export interface Reading {
  readonly wallet: AuditedWallet;
  readonly ledger: LedgerAccount;
  /** Charges of the account may still be on their way to the ledger, or back from it to a Redis that has lost them. */
  readonly chargesWait: boolean;
}

const accountsAtOnce = 500;
const readersAtOnce = 4;
/** Beyond this, every account of the shard counts as one with waiting charges. */
const entriesReadMax = 10_000;

/** Accounts without a wallet in Redis are left out: nothing can differ. `closely` also reads what a verdict needs. */
export async function takeReadings(
  services: ReconcileServices,
  { accountIds, closely }: { accountIds: readonly number[]; closely: boolean },
  take: (accountId: number, reading: Reading) => void,
): Promise<void> {
  const batches = [...Map.groupBy(accountIds, shardOfAccount)].flatMap(([shard, ids]) =>
    inBatches(ids).map((batch) => ({ shard, batch })),
  );
  const reader = async () => {
    for (let next = batches.pop(); next !== undefined; next = batches.pop()) {
      for (const [accountId, reading] of await readBatch(services, { ...next, closely })) take(accountId, reading);
    }
  };
  await Promise.all(Array.from({ length: readersAtOnce }, reader));
}

async function readBatch(
  { sql, auditor }: ReconcileServices,
  { shard, batch, closely }: { shard: Shard; batch: readonly number[]; closely: boolean },
) {
  const wallets = await auditor.readWallets(shard, batch);
  const waiting = wallets.size === 0 ? new Set<number>() : await accountsWaiting(auditor, shard);
  const ledger = wallets.size === 0 ? new Map() : await readLedgerAccounts(sql, [...wallets.keys()], { closely });
  const readings = new Map<number, Reading>();
  for (const [accountId, wallet] of wallets) {
    const account: LedgerAccount | undefined = ledger.get(accountId);
    const chargesWait = wallet.isRecovering || waiting === undefined || waiting.has(accountId);
    if (account !== undefined) readings.set(accountId, { wallet, ledger: account, chargesWait });
  }
  return readings;
}

/** Undefined if the stream is too long to be read: then any account may be waiting. */
async function accountsWaiting(auditor: WalletAuditor, shard: Shard): Promise<Set<number> | undefined> {
  const accounts = new Set<number>();
  const length = await auditor.waiting(shard);
  if (length === 0) return accounts;
  if (length > entriesReadMax) return undefined;
  for await (const entry of auditor.readWaiting(shard)) {
    const charge = readUsageEntry(entry);
    if (charge.kind === 'charge') accounts.add(charge.accountId);
  }
  return accounts;
}

function inBatches(ids: readonly number[]): number[][] {
  const batches: number[][] = [];
  for (let start = 0; start < ids.length; start += accountsAtOnce) {
    batches.push(ids.slice(start, start + accountsAtOnce));
  }
  return batches;
}
