/**
 * Finds charges that a wallet has made and the ledger has never seen: wallets number their charges, and the numbers of
 * one epoch have no gaps. A wallet that survives into a new epoch continues its numbering, after a failover possibly
 * from a few numbers earlier; a repair explains all gaps before it. Up to a sealed month, there were none when it was sealed.
 *
 * When a shard has recovered, proxies send again what it may have forgotten. Charges that the ledger already had then
 * get new numbers and are ignored by it, so gaps from that time, and from earlier epochs, mean nothing; recovery has
 * compared the sums, and D1 still does.
 *
 * Events of an account are committed in order, so a gap in one snapshot cannot be filled later: everything still in the
 * stream comes after everything that is booked.
 */
import type { TransactionSql } from 'postgres';
import { shardCount } from '../../../../shared/wallet/shard.ts';
import type { OpenMonths } from '../../../ledger/seals/open-months.ts';
import { type Scope, type Violation, violationsMax } from '../reconciliation.ts';
import { missingCharge } from './compare-readings.ts';

/** A proxy forgets a charge two minutes after it was booked, and resends within seconds of a recovery. */
const replaysEnd = '2 minutes';

/**
 * Counting finds the few accounts that are worth sorting: those whose numbers after the sealed ones are not n numbers from
 * first to last with the right sum.
 */
export async function findGaps(
  sql: TransactionSql,
  { accountId }: Scope,
  { fromId }: OpenMonths,
): Promise<Violation[]> {
  const only = accountId === undefined ? sql`` : sql`AND account_id = ${accountId}`;
  const rows = await sql<{ account_id: string; epoch: string; after: string; before: string }[]>`
    WITH sealed AS (
      SELECT account_id, epoch, wallet_seq AS last FROM archived_positions WHERE true ${only}
    ), numbered AS (
      SELECT account_id, epoch, wallet_seq, charged_at, coalesce(sealed.last, 0) AS sealed
      FROM usage_events LEFT JOIN sealed USING (account_id, epoch)
      WHERE wallet_seq > coalesce(sealed.last, 0) AND request_id >= ${fromId}::uuid ${only}
    ), counted AS (
      SELECT account_id, epoch, min(sealed) AS sealed, min(wallet_seq) AS first, max(wallet_seq) AS last,
        count(*) AS count, sum(wallet_seq) AS sum
      FROM numbered GROUP BY account_id, epoch
    ), suspicious AS (
      SELECT account_id, epoch FROM counted
      WHERE first <> sealed + 1 OR count <> last - first + 1 OR sum * 2 <> (first + last) * count
    ), ends AS (
      SELECT account_id, epoch, first, last FROM counted
      UNION ALL SELECT account_id, epoch, 1, last FROM sealed
    ), numbers AS (
      SELECT account_id, epoch, wallet_seq, max(charged_at) AS charged_at
      FROM numbered JOIN suspicious USING (account_id, epoch)
      GROUP BY account_id, epoch, wallet_seq
    ), steps AS (
      SELECT account_id, epoch, wallet_seq AS before, charged_at,
        lag(wallet_seq) OVER (PARTITION BY account_id, epoch ORDER BY wallet_seq) AS previous
      FROM numbers
    ), gaps AS (
      SELECT account_id, epoch, before, charged_at, coalesce(previous, (
        SELECT max(least(earlier.last, before - 1)) FROM ends AS earlier
        WHERE earlier.account_id = steps.account_id AND earlier.first < before
          AND (earlier.epoch < steps.epoch OR earlier.epoch = steps.epoch AND earlier.last < before)
      ), 0) AS after
      FROM steps
    )
    SELECT account_id, epoch, after, before FROM gaps
    WHERE before > after + 1 AND NOT EXISTS (
      SELECT FROM shards WHERE shards.shard = gaps.account_id % ${shardCount} AND shards.epoch > 1
        AND (shards.epoch > gaps.epoch OR gaps.charged_at < shards.opened_at + ${replaysEnd}::interval)
    ) AND NOT EXISTS (
      SELECT FROM repairs WHERE repairs.account_id = gaps.account_id
        AND (repairs.epoch, repairs.wallet_seq) >= (gaps.epoch, gaps.before - 1)
    ) AND NOT EXISTS (
      SELECT FROM archived_positions AS archived WHERE archived.account_id = gaps.account_id
        AND (archived.epoch, archived.wallet_seq) >= (gaps.epoch, gaps.before - 1)
    )
    ORDER BY account_id, epoch, before LIMIT ${violationsMax}`;
  return rows.map((row) =>
    missingCharge({
      accountId: Number(row.account_id),
      after: Number(row.after),
      last: Number(row.before) - 1,
      at: { epoch: Number(row.epoch) },
    }),
  );
}
