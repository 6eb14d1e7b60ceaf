/** Forgets deleted keys that nobody ever used. A key that was used stays as a row, because ledger lines name it. */
import type { Sql } from 'postgres';
import { deletedKeyDays } from '../outbox/publish-key.ts';

/** Returns how many keys are gone. */
export async function purgeKeys(sql: Sql, now: Date): Promise<number> {
  const result = await sql`
    DELETE FROM api_keys AS key
    WHERE deleted_at < ${now}::timestamptz - ${deletedKeyDays} * interval '1 day'
      AND NOT EXISTS (SELECT FROM usage_totals WHERE key_id = key.id)
      AND NOT EXISTS (SELECT FROM outbox WHERE key_id = key.id AND delivered_at IS NULL)`;
  return result.count;
}
