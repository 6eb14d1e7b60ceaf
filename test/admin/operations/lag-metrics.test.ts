/** While one store is unavailable, what waits in the other one is still reported. */
import { afterAll, expect, test } from 'bun:test';
import { register } from 'prom-client';
import { connectDatabase } from '../../../admin/database/connect.ts';
import { measureLag } from '../../../admin/operations/lag-metrics.ts';
import { parseRedisAddress } from '../../../shared/redis/address.ts';
import { connectRedis } from '../../../shared/redis/connect.ts';
import { allShards } from '../../../shared/wallet/shard.ts';
import { keysOfShard } from '../../../shared/wallet/wallet-keys.ts';
import { startHarness } from '../../harness.ts';

const harness = await startHarness();
const [shard] = allShards;
if (shard === undefined) throw new Error('there are no shards');
/** Nothing listens there. */
const nowhere = '127.0.0.1:1';
const awayDatabase = connectDatabase(`postgres://gateway@${nowhere}/gateway`, { connections: 1 });
const awayRedis = connectRedis(parseRedisAddress(`redis://${nowhere}`), () => {});

afterAll(async () => {
  awayRedis.disconnect();
  await awayDatabase.close();
  await harness.stop();
});

async function shown(name: string, queue?: string): Promise<number | undefined> {
  const values = (await register.getSingleMetric(name)?.get())?.values ?? [];
  return values.find(({ labels }) => queue === undefined || labels.queue === queue)?.value;
}

test('the charges that wait in Redis are reported with their age without Postgres', async () => {
  const minuteAgo = Date.now() - 60_000;
  const readAt = await shown('gateway_lag_read_at_seconds');
  await harness.redis.xadd(keysOfShard(shard).usage, `${minuteAgo}-0`, 'kind', 'charge');
  await expect(measureLag({ db: awayDatabase.db, redis: harness.redis })).rejects.toThrow();
  expect(await shown('gateway_queue_entries', 'usage')).toBe(1);
  expect(await shown('gateway_queue_oldest_age_seconds', 'usage')).toBeGreaterThanOrEqual(60);
  expect(await shown('gateway_lag_read_at_seconds')).toBe(readAt);
});

test('the mails and credits that wait in Postgres are reported without Redis', async () => {
  const { accountId } = await harness.createCustomer({ usd: '1' });
  await harness.database.sql`UPDATE outbox SET delivered_at = NULL WHERE account_id = ${accountId}`;
  const readAt = await shown('gateway_lag_read_at_seconds');
  await expect(measureLag({ db: harness.database.db, redis: awayRedis })).rejects.toThrow();
  expect(await shown('gateway_queue_entries', 'outbox')).toBeGreaterThan(0);
  expect(await shown('gateway_lag_read_at_seconds')).toBe(readAt);
});

test('the time of the measurement is reported with both stores', async () => {
  const before = Math.floor(Date.now() / 1_000);
  await measureLag({ db: harness.database.db, redis: harness.redis });
  expect(await shown('gateway_lag_read_at_seconds')).toBeGreaterThanOrEqual(before);
});
