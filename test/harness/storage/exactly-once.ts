/** What holds for every batch, whatever died while it was run. */
import { expect } from 'bun:test';
import { shardOfAccount } from '../../../shared/wallet/shard.ts';
import type { Harness } from '../../harness.ts';
import { guardTimeoutMs, readLedger, waitFor } from '../account-view.ts';
import { violationsAtRest } from '../books.ts';
import type { Customer } from '../customers.ts';
import { expireDue } from '../wallet/shard-state.ts';
import type { BatchResults } from './run-batch.ts';

/** As if the minute had passed for which a killed proxy keeps a batch. */
export async function ageLease({ redis }: Harness, batchId: string): Promise<void> {
  if ((await redis.hget(`batch:${batchId}`, 'owner')) !== null)
    await redis.hset(`batch:${batchId}`, 'from', 0, 'ends', 0);
}

/** The holds of killed proxies would expire after ninety seconds; a batch that has ended holds nothing itself. */
export async function endHolds({ redis, keeper }: Harness, { accountId }: Customer): Promise<void> {
  const shard = shardOfAccount(accountId);
  const holds = `{s${shard}}:holds`;
  for (const id of await redis.zrange(holds, '0', '-1')) await redis.zadd(holds, 1, id);
  await expireDue(keeper, shard);
}

/** Every line once, every charge once, and each charge is the cost that its line says. */
export async function expectExactlyOnce(
  harness: Harness,
  customer: Customer,
  { lines, results: { batch, output, errors } }: { readonly lines: number; readonly results: BatchResults },
) {
  const ids = [...output, ...errors].map(({ custom_id: id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids).toHaveLength(lines);
  expect(batch.request_counts).toEqual({ total: lines, completed: output.length, failed: errors.length });
  await endHolds(harness, customer);
  const sum = output.reduce((all, { response }) => all + Math.round((response?.body.usage?.cost ?? 0) * 1e9), 0);
  await waitFor('all charges', guardTimeoutMs, async () => {
    const { spentNano } = await readLedger(harness, customer.accountId);
    return spentNano === BigInt(sum);
  });
  const rows = await harness.database.sql<{ id: string; cost: string }[]>`
    SELECT request_id AS id, charged_nano AS cost FROM charged_requests WHERE account_id = ${customer.accountId}
      AND charged_nano > 0`;
  const charged = new Map(rows.map(({ id, cost }) => [id, Number(cost)]));
  for (const { response } of output) {
    expect(charged.get(response?.request_id ?? '')).toBe(Math.round((response?.body.usage?.cost ?? 0) * 1e9));
  }
  expect(charged.size).toBe(output.length);
  expect(await violationsAtRest(harness, [customer.accountId])).toEqual([]);
}
