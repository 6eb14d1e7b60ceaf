/**
 * Reports to webhooks that a model retires, 30 and 7 days ahead: to each organization that has used it in the last 30 days. Each
 * report is recorded, so that replicas and restarts repeat nothing; those who subscribe late receive it late.
 */
import type { Sql, TransactionSql } from 'postgres';
import { type DueRetirement, dueRetirements, type RetiringModel } from '../catalogue/retirements.ts';
import { hasUsed } from '../database/rows/has-used.ts';
import { writeEventIn } from '../operations/webhook-events/write-event.ts';

/** Returns how many events were written. */
export async function reportRetirements(sql: Sql, models: readonly RetiringModel[], now: Date): Promise<number> {
  let reported = 0;
  for (const due of dueRetirements(models, now)) {
    reported += await sql.begin((transaction) => report(transaction, due));
  }
  return reported;
}

async function report(
  transaction: TransactionSql,
  { id, retiresAt, ahead, daysLeft, usedSince }: DueRetirement,
): Promise<number> {
  const notified = await transaction<{ account_id: string }[]>`
    INSERT INTO retirement_notices (account_id, model, retires_at, days_ahead)
    SELECT DISTINCT account_id, ${id}, ${retiresAt}::date, ${ahead}::smallint FROM webhook_endpoints AS endpoint
    WHERE active AND 'model.retiring' = ANY(events) AND ${hasUsed(transaction, { account: transaction`endpoint.account_id`, model: id, since: usedSince })}
    ON CONFLICT DO NOTHING RETURNING account_id`;
  for (const { account_id: accountId } of notified) {
    await writeEventIn(transaction, Number(accountId), {
      type: 'model.retiring',
      data: { model: id, retiresAt, daysLeft },
    });
  }
  return notified.length;
}
