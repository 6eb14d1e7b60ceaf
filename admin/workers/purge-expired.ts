/** Forgets what has no use any more: tokens, and answers that are not given again. */
import type { Sql } from 'postgres';
import { purgeMailTokens } from '../auth/purge-mail-tokens.ts';
import { purgeRefreshTokens } from '../auth/purge-refresh-tokens.ts';
import { purgeIdempotentAnswers } from '../http/idempotency-purge.ts';

export async function purgeExpired(sql: Sql): Promise<void> {
  await purgeRefreshTokens(sql);
  await purgeMailTokens(sql);
  await purgeIdempotentAnswers(sql);
}
