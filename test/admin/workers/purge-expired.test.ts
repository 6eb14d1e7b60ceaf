/** Rows that grow with every request are deleted once they are not needed; anything that is needed stays. */
import { afterAll, expect, test } from 'bun:test';
import { deleteKey } from '../../../admin/keys/change-key.ts';
import { createKey } from '../../../admin/keys/create-key.ts';
import { purgeKeys, purgeOutbox } from '../../../admin/workers/purge-expired.ts';
import { startHarness } from '../../harness.ts';

const harness = await startHarness();
const { sql, db } = harness.database;
const customer = await harness.createCustomer({ usd: '1' });
const { accountId } = customer;

afterAll(() => harness.stop());

const inDays = (days: number) => new Date(Date.now() + days * 86_400_000);

test('delivered outbox rows are deleted after thirty days, and no others', async () => {
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
