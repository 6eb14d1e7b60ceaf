/** GET /api/errors reads no more keys than it can show, however many keys an account has created and deleted. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { keysOfAccountMax } from '../../../../admin/keys/create-key.ts';
import { addErrors } from '../../../../shared/health/request-errors.ts';
import { testPassword } from '../../../harness/customers.ts';
import { type Harness, startHarness } from '../../../harness.ts';
import { type Api, logIn, startApi } from '../start-api.ts';

let harness: Harness;
let api: Api;
beforeAll(async () => {
  harness = await startHarness();
  api = await startApi(harness);
});
afterAll(async () => {
  await api.stop();
  await harness.stop();
});

interface Errors {
  readonly total: number;
  readonly errors: readonly { readonly keyId: number; readonly count: number }[];
}

const today = () => new Date().toISOString().slice(0, 10);

async function newCustomer() {
  const customer = await harness.createCustomer({ usd: '0' });
  return { ...customer, token: await logIn(api, customer.email, testPassword) };
}

/** Keys that were deleted so many days ago, each with one error of today. Returns their ids. */
async function addDeleted(accountId: number, { days, count }: { days: number; count: number }): Promise<number[]> {
  const rows = await harness.database.sql<{ id: string; hash: string }[]>`
    INSERT INTO api_keys (account_id, kind, name, prefix, hash, deleted_at)
    SELECT ${accountId}, 'proxy', 'gone', 'ms-gone', gen_random_uuid()::text, now() - ${days} * interval '1 day'
    FROM generate_series(1, ${count}) RETURNING id, hash`;
  const failed = rows.map(({ hash }) => ({ keyHash: hash, day: today(), code: 'invalid_json', count: 1 }));
  await addErrors(harness.redis, failed);
  return rows.map(({ id }) => Number(id));
}

async function hashesRead(): Promise<number> {
  const stats = await harness.redis.info('commandstats');
  return Number(/cmdstat_hgetall:calls=(\d+)/.exec(stats)?.[1] ?? 0);
}

test('errors of keys that exist or were deleted in the range count, those of earlier keys do not', async () => {
  const { accountId, proxyKeyId, token } = await newCustomer();
  const [present] = await harness.database.sql<{ hash: string }[]>`SELECT hash FROM api_keys WHERE id = ${proxyKeyId}`;
  await addErrors(harness.redis, [{ keyHash: present?.hash ?? '', day: today(), code: 'invalid_json', count: 5 }]);
  const [recent] = await addDeleted(accountId, { days: 3, count: 1 });
  await addDeleted(accountId, { days: 40, count: 1 });
  const { body } = await api.call<Errors>('GET', '/api/errors', { token });
  expect(body.total).toBe(6);
  expect(body.errors.map(({ keyId, count }) => [keyId, count])).toEqual([
    [proxyKeyId, 5],
    [recent ?? 0, 1],
  ]);
});

test('the errors of the most recently deleted keys count if more were deleted than are read', async () => {
  const { accountId, token } = await newCustomer();
  await addDeleted(accountId, { days: 20, count: 200 });
  const newest = await addDeleted(accountId, { days: 1, count: keysOfAccountMax - 1 });
  const before = await hashesRead();
  const { body } = await api.call<Errors>('GET', '/api/errors', { token });
  // One hash per key for each of at most two months.
  expect((await hashesRead()) - before).toBeLessThanOrEqual(2 * keysOfAccountMax);
  expect(new Set(body.errors.map(({ keyId }) => keyId))).toEqual(new Set(newest));
});
