/**
 * Orphans are charges that the ledger may have booked before they were made in this Redis, because one before it has lost
 * writes; they have no wallet number. Once the ledger has decided, wallets are told, and corrected where they were charged
 * something else. For entries of one shard that are booked and not yet removed from the stream.
 */
import type { Sql } from 'postgres';
import type { Shard } from '../../../shared/shard.ts';
import type { WalletKeeper } from '../../../shared/wallet/wallet-keeper.ts';
import { arrayLiteral, type Item } from './array-literal.ts';
import type { Charge } from './read-usage-entry.ts';

/** Safe to repeat, as entries are read again by the next admin where one dies before it has removed them. */
export async function absorbOrphans(
  { sql, keeper }: { sql: Sql; keeper: WalletKeeper },
  shard: Shard,
  charges: Iterable<Charge>,
): Promise<void> {
  const orphans = [...charges].filter(({ walletSeq }) => walletSeq === null);
  if (orphans.length === 0) return;
  const differences = await readDifferences(sql, orphans);
  const absorbed = orphans.map(({ accountId, keyId, requestId, rank }) => ({
    accountId,
    keyId,
    requestId,
    rank,
    differenceNano: differences.get(`${requestId} ${rank}`) ?? 0n,
  }));
  await keeper.absorb(shard, absorbed);
}

/**
 * What each of these very entries has changed when it was booked. The ledger keeps the epoch and the time of the entry
 * that it has booked, so one that it has ignored, because the charge was booked from another Redis before, is not found.
 */
async function readDifferences(sql: Sql, orphans: readonly Charge[]): Promise<ReadonlyMap<string, bigint>> {
  const of = (value: (charge: Charge) => Item) => arrayLiteral(orphans.map(value));
  const rows = await sql<{ request_id: string; rank: number; difference: string }[]>`
    WITH entries AS (
      SELECT
        unnest(${of(({ requestId }) => requestId)}::uuid[]) AS request_id,
        unnest(${of(({ rank }) => rank)}::smallint[]) AS rank,
        unnest(${of(({ epoch }) => epoch)}::bigint[]) AS epoch,
        unnest(${of(({ chargedAt }) => chargedAt)}::timestamptz[]) AS charged_at
    )
    SELECT request_id, rank, events.cost_nano - coalesce(estimates.cost_nano, 0) AS difference
    FROM entries JOIN usage_events AS events USING (request_id, rank, epoch, charged_at)
    LEFT JOIN LATERAL (
      SELECT cost_nano FROM usage_events
      WHERE usage_events.request_id = entries.request_id AND usage_events.rank < entries.rank
    ) AS estimates ON true
    WHERE events.wallet_seq IS NULL`;
  return new Map(rows.map(({ request_id, rank, difference }) => [`${request_id} ${rank}`, BigInt(difference)]));
}
