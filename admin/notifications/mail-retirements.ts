/**
 * Mails that a model retires, 30 and 7 days ahead: to the owners of each organization that has used it in the last 30 days,
 * whatever alerts they want, because requests fail if they miss it. Each distance is recorded, so that replicas and restarts
 * repeat nothing; who begins to use the model in between gets it then.
 */
import type { Sql, TransactionSql } from 'postgres';
import { type DueRetirement, dueRetirements, type RetiringModel } from '../catalogue/retirements.ts';
import { hasUsed } from '../database/rows/has-used.ts';
import { notificationDefaults } from '../database/tables/notifications.ts';
import { daysToSend } from './alert-sql.ts';

/** Returns how many mails were queued. */
export async function mailRetirements(sql: Sql, models: readonly RetiringModel[], now: Date): Promise<number> {
  let queued = 0;
  for (const due of dueRetirements(models, now)) {
    queued += await sql.begin((transaction) => mail(transaction, due, now));
  }
  return queued;
}

/** None about an account whose address is unproven. */
async function mail(
  transaction: TransactionSql,
  { id, retiresAt, ahead, usedSince }: DueRetirement,
  at: Date,
): Promise<number> {
  const data = { model: id, retiresAt };
  const { count } = await transaction`
    WITH notified AS (
      INSERT INTO retirement_mails (account_id, model, retires_at, days_ahead)
      SELECT accounts.id, ${id}, ${retiresAt}::date, ${ahead}::smallint FROM accounts
      WHERE ownership <> 'unproven' AND ${hasUsed(transaction, { account: transaction`accounts.id`, model: id, since: usedSince })}
      ON CONFLICT DO NOTHING RETURNING account_id)
    INSERT INTO mails (account_id, recipient, language, kind, data, next_attempt_at, give_up_at, created_at)
    SELECT notified.account_id, users.email, coalesce(settings.language, ${notificationDefaults.language}), 'model_retiring',
      ${transaction.json(data)}::jsonb,
      ${at}::timestamptz, ${at}::timestamptz + make_interval(days => ${daysToSend}), ${at}::timestamptz
    FROM notified
    JOIN memberships AS owner ON owner.account_id = notified.account_id AND owner.role = 'owner'
    JOIN users ON users.id = owner.user_id AND users.deleted_at IS NULL
    LEFT JOIN notification_settings AS settings ON settings.account_id = notified.account_id
    ORDER BY notified.account_id, users.id`;
  return count;
}
