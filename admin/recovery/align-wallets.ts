/**
 * Sets wallets that are behind the ledger, because Redis has lost writes, to what the ledger says. For shards that are
 * recovering: no new request comes, and what running ones still charge moves the wallet's version, which makes the
 * attempt fail and be repeated.
 */
import type { Sql } from 'postgres';
import type { Log } from '../../shared/log.ts';
import { type Shard, shardCount } from '../../shared/shard.ts';
import type { AuditedWallet, WalletAuditor } from '../../shared/wallet/wallet-auditor.ts';

interface AlignServices {
  readonly sql: Sql;
  readonly auditor: WalletAuditor;
  readonly log: Log;
}

interface AccountRow {
  readonly id: string;
  readonly credited_nano: string;
  readonly spent_nano: string;
  readonly credit_seq: string;
}

const accountsAtOnce = 500;
const attemptsMax = 10;
const drainTimeoutMs = 10_000;
const drainPollMs = 20;

/** Returns how many wallets were set. */
export async function alignWallets(services: AlignServices, shard: Shard): Promise<number> {
  let aligned = 0;
  const batches = services.sql<{ id: string }[]>`
    SELECT id FROM accounts WHERE id % ${shardCount} = ${shard}`.cursor(accountsAtOnce);
  for await (const batch of batches)
    aligned += await alignAccounts(
      services,
      shard,
      batch.map((row) => Number(row.id)),
    );
  return aligned;
}

async function alignAccounts(services: AlignServices, shard: Shard, accountIds: readonly number[]): Promise<number> {
  let waiting = accountIds;
  let aligned = 0;
  for (let attempt = 0; waiting.length > 0 && attempt < attemptsMax; attempt += 1) {
    const wallets = await services.auditor.readWallets(shard, waiting);
    if (wallets.size === 0) return aligned;
    // Once the stream is empty, the ledger has every charge of the wallets as they were read.
    await streamIsBooked(services.auditor, shard);
    const rows = await services.sql<AccountRow[]>`
      SELECT id, credited_nano, spent_nano, credit_seq FROM accounts WHERE id = ANY(${[...wallets.keys()]}::bigint[])`;
    const moved: number[] = [];
    for (const row of rows) {
      const wallet = wallets.get(Number(row.id));
      if (wallet === undefined || agrees(wallet, row)) continue;
      if (await align(services, wallet, row)) aligned += 1;
      else moved.push(Number(row.id));
    }
    waiting = moved;
  }
  if (waiting.length > 0) throw new Error(`wallets of shard ${shard} change faster than they can be aligned`);
  return aligned;
}

async function align(services: AlignServices, wallet: AuditedWallet, row: AccountRow): Promise<boolean> {
  const result = await services.auditor.rebase({
    accountId: Number(row.id),
    version: wallet.version,
    creditedNano: BigInt(row.credited_nano),
    spentNano: BigInt(row.spent_nano),
    creditSeq: Number(row.credit_seq),
  });
  if (!result.ok) return result.reason === 'wallet_missing';
  const { availableNano } = wallet;
  services.log.warn(
    { accountId: row.id, availableBefore: String(availableNano), availableAfter: String(result.availableNano) },
    'a wallet was set to what the ledger says',
  );
  return true;
}

function agrees(wallet: AuditedWallet, row: AccountRow): boolean {
  return (
    wallet.spentNano === BigInt(row.spent_nano) &&
    wallet.creditedNano === BigInt(row.credited_nano) &&
    wallet.creditSeq === Number(row.credit_seq) &&
    wallet.heldNano === wallet.openHoldsNano &&
    wallet.availableNano + wallet.heldNano + wallet.spentNano === wallet.creditedNano
  );
}

async function streamIsBooked(auditor: WalletAuditor, shard: Shard): Promise<void> {
  const until = Date.now() + drainTimeoutMs;
  while ((await auditor.waiting(shard)) > 0) {
    if (Date.now() > until) throw new Error(`the usage stream of shard ${shard} is not being booked`);
    await Bun.sleep(drainPollMs);
  }
}
