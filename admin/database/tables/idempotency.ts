/**
 * Stored responses that are replayed when a request is repeated. Neither the Idempotency-Key nor the response can be
 * read from here: the former is hashed with a secret, the latter is encrypted under it.
 */
import { customType, index, pgTable, smallint, text, timestamp } from 'drizzle-orm/pg-core';

const bytes = customType<{ data: Buffer }>({ dataType: () => 'bytea' });

export const idempotentResponses = pgTable(
  'idempotent_answers',
  {
    /** A hash of the account, the endpoint and the Idempotency-Key. */
    keyHash: text('key_hash').primaryKey(),
    bodyHash: text('body_hash').notNull(),
    status: smallint().notNull(),
    /** Salt, nonce, ciphertext and tag. */
    response: bytes('answer').notNull(),
    expiresAt: timestamp('expires_at', { withTimezone: true }).notNull(),
  },
  (table) => [index('idempotent_answers_expiry').on(table.expiresAt)],
);
