/** Deletes data that is no longer needed. Each purge returns how many rows it deleted. */
import type { Sql } from 'postgres';
import { deletedKeyDays } from '../keys/publish-key.ts';
import { purgeDeliveries } from '../webhooks/purge-deliveries.ts';

/** The database refuses to delete younger ones. */
const notificationDays = 90;

/** Everything but mails, which the worker that sends them purges. */
export async function purgeExpired(sql: Sql): Promise<void> {
  await purgeRefreshTokens(sql);
  await purgeMailTokens(sql);
  await purgeChallenges(sql);
  await purgeSignIns(sql);
  await purgeInvitations(sql);
  await purgeIdempotentResponses(sql);
  const now = new Date();
  await purgeOutbox(sql, now);
  await expirePlaygroundKeys(sql, now);
  await purgeKeys(sql, now);
  await purgeNotifications(sql, now);
  await purgeDeliveries(sql, now);
}

/** Refresh tokens that expired a week ago. Until then reuse can be distinguished from an unknown token. */
export async function purgeRefreshTokens(sql: Sql): Promise<number> {
  const result = await sql`DELETE FROM refresh_tokens WHERE expires_at < now() - interval '7 days'`;
  return result.count;
}

/** Expired tokens of mailed links. */
export async function purgeMailTokens(sql: Sql): Promise<number> {
  const result = await sql`DELETE FROM mail_tokens WHERE expires_at < now()`;
  return result.count;
}

/** Challenges that expired two days ago. Until then their wrong codes count. */
export async function purgeChallenges(sql: Sql): Promise<number> {
  const result = await sql`DELETE FROM factor_challenges WHERE expires_at < now() - interval '2 days'`;
  return result.count;
}

/** Sign-ins that never came back from an identity provider, and those that did. */
export async function purgeSignIns(sql: Sql): Promise<number> {
  const result = await sql`DELETE FROM oidc_sign_ins WHERE expires_at < now()`;
  return result.count;
}

/** Invitations that expired a month ago. Until then they can be sent again. */
export async function purgeInvitations(sql: Sql): Promise<number> {
  const result = await sql`DELETE FROM invitations WHERE expires_at < now() - interval '30 days'`;
  return result.count;
}

/** Responses that are no longer replayed. */
export async function purgeIdempotentResponses(sql: Sql): Promise<number> {
  const result = await sql`DELETE FROM idempotent_answers WHERE expires_at < now()`;
  return result.count;
}

/** Rows that were delivered to Redis long ago. A credit's row is only a message; the credit itself is in the ledger. */
export async function purgeOutbox(sql: Sql, now: Date): Promise<number> {
  const result = await sql`DELETE FROM outbox WHERE delivered_at < ${now}::timestamptz - interval '30 days'`;
  return result.count;
}

/** Expired playground keys are deleted, also in Redis. */
export async function expirePlaygroundKeys(sql: Sql, now: Date): Promise<number> {
  const result = await sql`
    WITH expired AS (
      UPDATE api_keys SET deleted_at = now(), version = version + 1
      WHERE session_id IS NOT NULL AND deleted_at IS NULL AND expires_at < ${now}::timestamptz
      RETURNING id, account_id)
    INSERT INTO outbox (topic, account_id, key_id) SELECT 'key', account_id, id FROM expired`;
  return result.count;
}

/**
 * Deleted keys that were never used or moved. A key that was used stays as a row, because ledger lines refer to it. One of a
 * playground need not outlast its expiry: a Redis that has it again refuses it.
 */
export async function purgeKeys(sql: Sql, now: Date): Promise<number> {
  const result = await sql`
    DELETE FROM api_keys AS key
    WHERE (deleted_at < ${now}::timestamptz - ${deletedKeyDays} * interval '1 day'
        OR (deleted_at IS NOT NULL AND session_id IS NOT NULL AND expires_at < ${now}::timestamptz))
      AND NOT EXISTS (SELECT FROM usage_totals WHERE key_id = key.id)
      AND NOT EXISTS (SELECT FROM archived_totals WHERE account_id = key.account_id AND key.id = ANY(key_ids))
      AND NOT EXISTS (SELECT FROM key_assignments WHERE key_id = key.id)
      AND NOT EXISTS (SELECT FROM outbox WHERE key_id = key.id AND delivered_at IS NULL)`;
  return result.count;
}

/** What providers have notified of, long after the payment was last asked about. Responses and confirmations stay. */
export async function purgeNotifications(sql: Sql, now: Date): Promise<number> {
  const result = await sql`
    DELETE FROM payment_events AS event USING payments AS payment
    WHERE event.kind = 'notification' AND event.received_at < ${now}::timestamptz - ${notificationDays} * interval '1 day'
      AND payment.id = event.payment_id AND payment.next_ask_at IS NULL`;
  return result.count;
}
