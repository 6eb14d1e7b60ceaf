/** Entries that could not be booked are stored unchanged, and booked once by a version that can read them. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { keepRejects, retryRejects } from '../../../../admin/ledger/charges/rejects.ts';
import { encodeChargeDetail } from '../../../../shared/usage/charge-detail.ts';
import { allShards } from '../../../../shared/wallet/shard.ts';
import { detailOf } from '../../../harness/wallet/charge-detail.ts';
import { openLedger, readBooks, type TestLedger } from '../ledger.ts';

let ledger: TestLedger;

beforeAll(async () => {
  ledger = await openLedger();
});

afterAll(() => ledger.close());

const [shard] = allShards;
if (shard === undefined) throw new Error('there are no shards');

const entryOf = (accountId: number, change: Record<string, string> = {}) => ({
  entry: {
    id: '1763750000000-0',
    fields: {
      ...{ kind: 'charge', account: String(accountId), key: '1', request: Bun.randomUUIDv7(), rank: '2', epoch: '1' },
      ...{ cost: '70', uncharged: '0', seq: '1', spent: '70', detail: encodeChargeDetail(detailOf()) },
      ...change,
    },
  },
  problem: 'the version before could not read it',
});
const kept = async () => (await ledger.sql`SELECT FROM usage_rejects`).length;

test('stored charges that can be read are booked once, however often they are retried', async () => {
  const accountId = await ledger.openAccount();
  await keepRejects(ledger.sql, shard, [entryOf(accountId), entryOf(accountId)]);
  const booked = await Promise.all([retryRejects(ledger.sql), retryRejects(ledger.sql)]);
  expect(Math.max(...booked)).toBe(2);
  expect(await retryRejects(ledger.sql)).toBe(0);
  const { balances, violations } = await readBooks(ledger);
  expect(balances.get(accountId)).toBe(-140n);
  expect(violations).toEqual([]);
  expect(await kept()).toBe(0);
});

test('entries that still cannot be read, and charges of unknown accounts, stay', async () => {
  const accountId = await ledger.openAccount();
  await keepRejects(ledger.sql, shard, [
    entryOf(accountId, { kind: 'kind of tomorrow' }),
    entryOf(accountId),
    entryOf(999_999),
  ]);
  expect(await retryRejects(ledger.sql)).toBe(1);
  expect(await kept()).toBe(2);
});
