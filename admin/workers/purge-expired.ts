/** Forgets what has no use any more. Each purge returns how many rows are gone. */
import type { Sql } from 'postgres';
import { deletedKeyDays } from '../outbox/publish-key.ts';

/** Everything but mails, which the worker that sends them forgets. */
export async function purgeExpired(sql: Sql): Promise<void> {
  await purgeRefreshTokens(sql);
  await purgeMailTokens(sql);
  await purgeIdempotentAnswers(sql);
  const now = new Date();
  await purgeOutbox(sql, now);
  await purgeKeys(sql, now);
}

/** Refresh tokens that have been worthless for a while. Until then a reuse is still told from an unknown token. */
export async function purgeRefreshTokens(sql: Sql): Promise<number> {
  const result = await sql`DELETE FROM refresh_tokens WHERE expires_at < now() - interval '7 days'`;
  return result.count;
}

/** Tokens of mailed links that have expired. */
export async function purgeMailTokens(sql: Sql): Promise<number> {
  const result = await sql`DELETE FROM mail_tokens WHERE expires_at < now()`;
  return result.count;
}

/** Answers that are not given again any more. */
export async function purgeIdempotentAnswers(sql: Sql): Promise<number> {
  const result = await sql`DELETE FROM idempotent_answers WHERE expires_at < now()`;
  return result.count;
}

/** What Redis has heard of long ago. The row of a credit is only an order; the credit itself is in the ledger. */
export async function purgeOutbox(sql: Sql, now: Date): Promise<number> {
  const result = await sql`DELETE FROM outbox WHERE delivered_at < ${now}::timestamptz - interval '30 days'`;
  return result.count;
}

/** Deleted keys that nobody ever used. A key that was used stays as a row, because ledger lines name it. */
export async function purgeKeys(sql: Sql, now: Date): Promise<number> {
  const result = await sql`
    DELETE FROM api_keys AS key
    WHERE deleted_at < ${now}::timestamptz - ${deletedKeyDays} * interval '1 day'
      AND NOT EXISTS (SELECT FROM usage_totals WHERE key_id = key.id)
      AND NOT EXISTS (SELECT FROM outbox WHERE key_id = key.id AND delivered_at IS NULL)`;
  return result.count;
}

/** Mails that were sent or given up long ago: who got what is nobody's business for ever. */
export async function purgeMails(sql: Sql, now: Date): Promise<number> {
  await forgetFarewells(sql);
  const result = await sql`
    DELETE FROM mails WHERE state <> 'queued' AND next_attempt_at < ${now}::timestamptz - interval '90 days'`;
  return result.count;
}

/** The mail that confirms a deletion is the last place that has the address: it goes once the mail is out, or given up. */
export async function forgetFarewells(sql: Sql): Promise<void> {
  await sql`DELETE FROM mails WHERE kind = 'account_deleted' AND state <> 'queued'`;
}
