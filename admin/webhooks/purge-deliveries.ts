/** Deletes deliveries that customers no longer see. */
import type { Sql } from 'postgres';

/** For how long customers see what was sent. */
export const deliveryDays = 30;

/** Whatever became of them, and those of endpoints that were deleted. Returns how many rows it deleted. */
export async function purgeDeliveries(sql: Sql, now: Date): Promise<number> {
  const result = await sql`
    DELETE FROM webhook_deliveries WHERE created_at < ${now}::timestamptz - ${deliveryDays} * interval '1 day'`;
  return result.count;
}
