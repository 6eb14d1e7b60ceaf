/** Rows that grow with every request are deleted once they are not needed; anything that is needed stays. */
import { afterAll, expect, test } from 'bun:test';
import { deleteKey } from '../../../admin/keys/change-key.ts';
import { createKey } from '../../../admin/keys/create-key.ts';
import { createPlaygroundKey } from '../../../admin/keys/session-keys.ts';
import { deliverOutbox } from '../../../admin/wallets/deliver-outbox.ts';
import { purgeExpired, purgeKeys, purgeOutbox } from '../../../admin/workers/purge-expired.ts';
import { startHarness } from '../../harness.ts';

const harness = await startHarness();
const { sql, db } = harness.database;
const customer = await harness.createCustomer({ usd: '1' });
const { accountId } = customer;

afterAll(() => harness.stop());

const inDays = (days: number) => new Date(Date.now() + days * 86_400_000);

test('outbox rows that were delivered thirty days ago are deleted, and no others', async () => {
  const rows = async () => (await sql`SELECT id FROM outbox WHERE account_id = ${accountId}`).length;
  const before = await rows();
  expect(before).toBeGreaterThan(1);
  await sql`UPDATE outbox SET delivered_at = NULL WHERE id = (SELECT min(id) FROM outbox WHERE account_id = ${accountId})`;
  await purgeOutbox(sql, inDays(29));
  expect(await rows()).toBe(before);
  await purgeOutbox(sql, inDays(31));
  expect(await rows()).toBe(1);
});

test('deleted keys that were never used are deleted after thirty days', async () => {
  const make = () =>
    createKey(db, harness.keyPepper, { accountId, name: 'short-lived', expiresAt: null, kind: 'billing' });
  const [present, unused, used] = [await make(), await make(), await make()];
  for (const { id } of [unused, used]) await deleteKey(db, { id, accountId, kind: 'billing' });
  await sql`
    INSERT INTO usage_totals (account_id, bucket_15m, key_id, model, requests, prompt_tokens, cached_prompt_tokens,
      cache_write_tokens, completion_tokens, reasoning_tokens, cost_nano, last_charged_at)
    VALUES (${accountId}, now(), ${used.id}, 'test/chat', 1, 1, 0, 0, 1, 0, 1, now())`;
  const rows = async () => {
    const ids = [present.id, unused.id, used.id];
    return (await sql<{ id: string }[]>`SELECT id FROM api_keys WHERE id = ANY(${ids})`).map(({ id }) => Number(id));
  };
  await purgeKeys(sql, inDays(29));
  expect(await rows()).toHaveLength(3);
  await purgeKeys(sql, inDays(31));
  expect((await rows()).sort()).toEqual([present.id, used.id].sort());
});

test('expired rows are deleted every hour, but a playground key only after Redis was updated', async () => {
  const { accountId, userId } = await harness.createCustomer({ usd: '1' });
  const sessionId = crypto.randomUUID();
  const key = await db.transaction((transaction) =>
    createPlaygroundKey(transaction, harness.keyPepper, { accountId, userId, sessionId }),
  );
  await deliverOutbox({ sql, keeper: harness.keeper }, accountId);
  const paymentId = crypto.randomUUID();
  await sql`
    INSERT INTO payments (id, account_id, method, status, currency, amount_minor, credit_nano, rub_per_usd, margin_ppm,
      rub_kopecks, return_url, email, expires_at)
    VALUES (${paymentId}, ${accountId}, 'yookassa', 'expired', 'RUB', 100, 1, 900000, 0, 100, '', '', now())`;
  const long = sql`now() - interval '91 days'`;
  await sql`
    INSERT INTO payment_events (payment_id, kind, body, received_at) VALUES (${paymentId}, 'notification', '', ${long})`;
  await sql`UPDATE api_keys SET expires_at = ${long} WHERE id = ${key.id}`;
  await sql`UPDATE outbox SET delivered_at = ${long} WHERE account_id = ${accountId}`;
  await sql`
    INSERT INTO refresh_tokens (user_id, family, token_hash, expires_at)
    VALUES (${userId}, ${sessionId}, ${sessionId}, ${long})`;
  await sql`
    INSERT INTO mail_tokens (user_id, purpose, email, token_hash, expires_at)
    VALUES (${userId}, 'verify_email', '', ${sessionId}, ${long})`;
  await sql`
    INSERT INTO idempotent_answers (key_hash, body_hash, status, answer, expires_at)
    VALUES (${sessionId}, '', 200, '', ${long})`;
  const left = async () => {
    const rows = await sql<{ name: string }[]>`
      SELECT 'key' AS name FROM api_keys WHERE id = ${key.id}
      UNION ALL SELECT 'message to Redis' FROM outbox WHERE account_id = ${accountId} AND delivered_at <= ${long}
      UNION ALL SELECT 'notification' FROM payment_events WHERE payment_id = ${paymentId}
      UNION ALL SELECT 'session' FROM refresh_tokens WHERE family = ${sessionId}
      UNION ALL SELECT 'link' FROM mail_tokens WHERE token_hash = ${sessionId}
      UNION ALL SELECT 'answer' FROM idempotent_answers WHERE key_hash = ${sessionId}`;
    return new Set(rows.map(({ name }) => name));
  };
  const all = ['key', 'message to Redis', 'notification', 'session', 'link', 'answer'];
  expect(await left()).toEqual(new Set(all));
  await purgeExpired(sql);
  expect(await left()).toEqual(new Set(['key']));
  await deliverOutbox({ sql, keeper: harness.keeper }, accountId);
  await purgeExpired(sql);
  expect(await left()).toEqual(new Set());
});
