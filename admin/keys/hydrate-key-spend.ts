/**
 * Sends a key's spending to Redis, from the ledger's totals: as the base of its spending limits, or only for display.
 */
import type { Sql } from 'postgres';
import { type PerSpendLimit, perSpendLimit, spendLimits, windowStart } from '../../shared/limits/spend-limits.ts';
import type { KeySpend, WalletKeeper } from '../../shared/wallet/wallet-keeper.ts';

type SpendRow = { readonly account_id: string } & PerSpendLimit<string>;

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

/** A charge booked after its window has ended counts for the window of the charge. */
async function readKeySpend(sql: Sql, keyId: number, at: Date): Promise<KeySpend | undefined> {
  const sums = spendLimits.map((limit) => {
    const since =
      limit.window === undefined ? sql`` : sql`FILTER (WHERE total.bucket_15m >= ${windowStart(limit, at)})`;
    return sql`, coalesce(sum(total.cost_nano) ${since}, 0) AS ${sql(limit.name)}`;
  });
  const [row] = await sql<SpendRow[]>`
    SELECT api_keys.account_id ${sums}
    FROM api_keys
    LEFT JOIN usage_totals AS total
      ON total.key_id IN (SELECT id FROM key_assignments WHERE key_id = ${keyId} UNION ALL SELECT ${keyId}::bigint)
    WHERE api_keys.id = ${keyId}
    GROUP BY api_keys.account_id`;
  if (row === undefined) return undefined;
  return {
    accountId: Number(row.account_id),
    keyId,
    at,
    spentNano: perSpendLimit(({ name }) => BigInt(row[name])),
  };
}
