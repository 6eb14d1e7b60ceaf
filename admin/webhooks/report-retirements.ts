/**
 * Reports to webhooks that a model retires, 30 and 7 days ahead: to each organization that has used it in the last 30 days. Each
 * report is recorded, so that replicas and restarts repeat nothing; those who subscribe late receive it late.
 */
import type { Sql, TransactionSql } from 'postgres';
import { writeEventIn } from '../operations/webhook-events/write-event.ts';

export interface RetiringModel {
  readonly id: string;
  /** A day, in UTC: `2030-06-30`. */
  readonly retiresAt: string;
}

const daysAhead = [7, 30] as const;
const usedWithinDays = 30;
const dayMs = 86_400_000;

/** Returns how many events were written. */
export async function reportRetirements(sql: Sql, models: readonly RetiringModel[], now: Date): Promise<number> {
  let reported = 0;
  for (const model of models) {
    const daysLeft = daysUntil(model.retiresAt, now);
    const ahead = daysAhead.find((days) => daysLeft <= days);
    if (daysLeft < 0 || ahead === undefined) continue;
    reported += await sql.begin((transaction) => report(transaction, model, { ahead, daysLeft, now }));
  }
  return reported;
}

const daysUntil = (day: string, now: Date) => (Date.parse(day) - Math.floor(now.getTime() / dayMs) * dayMs) / dayMs;

async function report(
  transaction: TransactionSql,
  { id, retiresAt }: RetiringModel,
  { ahead, daysLeft, now }: { ahead: number; daysLeft: number; now: Date },
): Promise<number> {
  const usedSince = new Date(now.getTime() - usedWithinDays * dayMs);
  const told = await transaction<{ account_id: string }[]>`
    INSERT INTO retirement_notices (account_id, model, retires_at, days_ahead)
    SELECT DISTINCT account_id, ${id}, ${retiresAt}::date, ${ahead}::smallint FROM webhook_endpoints AS endpoint
    WHERE active AND 'model.retiring' = ANY(events) AND EXISTS (
      SELECT FROM usage_totals AS used
      WHERE used.account_id = endpoint.account_id AND used.model = ${id} AND used.bucket_15m >= ${usedSince})
    ON CONFLICT DO NOTHING RETURNING account_id`;
  for (const { account_id: accountId } of told) {
    await writeEventIn(transaction, Number(accountId), {
      type: 'model.retiring',
      data: { model: id, retiresAt, daysLeft },
    });
  }
  return told.length;
}
