/** Forgets what has no use any more: tokens, answers that are not given again, deleted keys, and orders that were delivered. */
import type { Sql } from 'postgres';
import { purgeMailTokens } from '../auth/mail-links/purge-mail-tokens.ts';
import { purgeRefreshTokens } from '../auth/sessions/purge-refresh-tokens.ts';
import { purgeIdempotentAnswers } from '../http/idempotency/idempotency-purge.ts';
import { purgeKeys } from '../keys/purge-keys.ts';
import { purgeOutbox } from '../outbox/purge-outbox.ts';

export async function purgeExpired(sql: Sql): Promise<void> {
  await purgeRefreshTokens(sql);
  await purgeMailTokens(sql);
  await purgeIdempotentAnswers(sql);
  const now = new Date();
  await purgeOutbox(sql, now);
  await purgeKeys(sql, now);
}
