/**
 * Orphans are charges without a wallet number, which the ledger may have booked before they were made in this Redis,
 * because an earlier Redis has lost writes. Once the ledger has decided, wallets are notified, and corrected if they
 * were charged something else. For entries of one shard that are booked and not yet removed from the stream.
 */
import type { Sql } from 'postgres';
import type { Shard } from '../../../shared/wallet/shard.ts';
import type { WalletKeeper } from '../../../shared/wallet/wallet-keeper.ts';
import { arrayLiteral, type Item } from '../../database/array-literal.ts';
import type { Charge } from './read-usage-entry.ts';

/**
 * Safe to repeat: if this admin dies before it has removed the entries, the next one reads them again. Returns the accounts whose
 * wallets could not be corrected, which reconciling finds.
 */
export async function absorbOrphans(
  { sql, keeper }: { sql: Sql; keeper: WalletKeeper },
  shard: Shard,
  charges: Iterable<Charge>,
): Promise<ReadonlyMap<number, Error>> {
  const orphans = [...charges].filter(({ walletSeq }) => walletSeq === null);
  if (orphans.length === 0) return new Map();
  const differences = await readDifferences(sql, orphans);
  const absorbed = orphans.map(({ accountId, keyId, requestId, rank }) => ({
    accountId,
    keyId,
    requestId,
    rank,
    differenceNano: differences.get(`${requestId} ${rank}`) ?? 0n,
  }));
  return keeper.absorb(shard, absorbed);
}

/**
 * What each of these entries has changed when it was booked. The ledger stores the epoch and the time of the entry it
 * has booked, so an entry that it has ignored, because the charge had been booked from another Redis, is not found.
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
