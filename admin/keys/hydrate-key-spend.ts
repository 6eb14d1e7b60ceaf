/**
 * Sends a key's spending to Redis, from the ledger's totals: as the base of its spending limits, or only for display.
 */
import type { Sql } from 'postgres';
import type { KeySpend, WalletKeeper } from '../../shared/wallet/wallet-keeper.ts';

const dayMs = 86_400_000;

interface SpendRow {
  readonly account_id: string;
  readonly day_nano: string;
  readonly month_nano: string;
  readonly total_nano: string;
}

interface SpendServices {
  readonly sql: Sql;
  readonly keeper: WalletKeeper;
}

export async function hydrateKeySpend({ sql, keeper }: SpendServices, keyId: number, now: Date): Promise<void> {
  const spend = await readKeySpend(sql, keyId, now);
  if (spend !== undefined) await keeper.hydrateSpend(spend);
}

export async function showKeySpend({ sql, keeper }: SpendServices, keyId: number, now: Date): Promise<void> {
  const spend = await readKeySpend(sql, keyId, now);
  if (spend !== undefined) await keeper.showSpend(spend);
}

/** Days and months are in UTC. A charge booked after its day has ended counts for the day of the charge. */
async function readKeySpend(sql: Sql, keyId: number, now: Date): Promise<KeySpend | undefined> {
  const day = new Date(Math.floor(now.getTime() / dayMs) * dayMs);
  const month = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), 1));
  const [row] = await sql<SpendRow[]>`
    SELECT api_keys.account_id,
      coalesce(sum(total.cost_nano) FILTER (WHERE total.bucket_15m >= ${day}), 0) AS day_nano,
      coalesce(sum(total.cost_nano) FILTER (WHERE total.bucket_15m >= ${month}), 0) AS month_nano,
      coalesce(sum(total.cost_nano), 0) AS total_nano
    FROM api_keys LEFT JOIN usage_totals AS total ON total.key_id = api_keys.id
    WHERE api_keys.id = ${keyId}
    GROUP BY api_keys.account_id`;
  if (row === undefined) return undefined;
  return {
    accountId: Number(row.account_id),
    keyId,
    day: day.getTime() / dayMs,
    dayNano: BigInt(row.day_nano),
    month: now.getUTCFullYear() * 100 + now.getUTCMonth() + 1,
    monthNano: BigInt(row.month_nano),
    totalNano: BigInt(row.total_nano),
  };
}
