/** Tells Redis what a key with a spending limit has spent, by the ledger's totals. */
import type { Sql } from 'postgres';
import type { WalletKeeper } from '../../shared/wallet/wallet-keeper.ts';

const dayMs = 86_400_000;

interface SpendRow {
  readonly account_id: string;
  readonly day_nano: string;
  readonly month_nano: string;
  readonly total_nano: string;
}

/** Days and months are those of UTC. A charge that is booked later than its day has ended counts in the day it was made. */
export async function hydrateKeySpend(
  services: { sql: Sql; keeper: WalletKeeper },
  keyId: number,
  now: Date,
): Promise<void> {
  const day = new Date(Math.floor(now.getTime() / dayMs) * dayMs);
  const month = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), 1));
  const [row] = await services.sql<SpendRow[]>`
    SELECT api_keys.account_id,
      coalesce(sum(total.cost_nano) FILTER (WHERE total.quarter >= ${day}), 0) AS day_nano,
      coalesce(sum(total.cost_nano) FILTER (WHERE total.quarter >= ${month}), 0) AS month_nano,
      coalesce(sum(total.cost_nano), 0) AS total_nano
    FROM api_keys LEFT JOIN usage_totals AS total ON total.key_id = api_keys.id
    WHERE api_keys.id = ${keyId}
    GROUP BY api_keys.account_id`;
  if (row === undefined) return;
  await services.keeper.hydrateSpend({
    accountId: Number(row.account_id),
    keyId,
    day: day.getTime() / dayMs,
    dayNano: BigInt(row.day_nano),
    month: now.getUTCFullYear() * 100 + now.getUTCMonth() + 1,
    monthNano: BigInt(row.month_nano),
    totalNano: BigInt(row.total_nano),
  });
}
