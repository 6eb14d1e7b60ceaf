/** `gateway archive`, and what is read of the months that it has archived: by the API, the command line, and DuckDB. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { makePartitions } from '../../../admin/database/partitions.ts';
import { type Customer, testPassword } from '../../harness/customers.ts';
import { type Harness, startHarness } from '../../harness.ts';
import type { Receipt, RequestList, TransactionList } from '../api/response-types.ts';
import { type Api, logIn, startApi } from '../api/start-api.ts';
import { bookPast, makePrice, payPast, sealBefore } from '../ledger/past-charges.ts';
import { type Gateway, gatewayOf } from './run-gateway.ts';

const january = new Date('2026-01-10T00:00:00Z');
const count = 250;

let harness: Harness;
let gateway: Gateway;
let customer: Customer;
let ids: string[];
let api: Api;
let token: string;
let folder: string;

beforeAll(async () => {
  harness = await startHarness();
  const run = gatewayOf(harness);
  folder = join(harness.directory, 'archive');
  gateway = (args, options) => run(args, { environment: { ARCHIVE_DIR: folder }, ...options });
  const { database } = harness;
  customer = await harness.createCustomer({ usd: '0' });
  const { accountId } = customer;
  await makePartitions(database.sql, january);
  await payPast(database, { accountId, amountNano: 1_000_000n, at: january });
  const priceVersion = await makePrice(database);
  ids = await bookPast(database, { accountId, priceVersion, from: january, count, numbered: 0 });
  await sealBefore(database, new Date('2026-04-01T00:00:00Z'));
  api = await startApi(harness, { environment: { ARCHIVE_DIR: folder } });
  token = await logIn(api, customer.email, testPassword);
});
afterAll(async () => {
  await api.stop();
  await harness.stop();
});

async function readEverything() {
  const receipts = [ids[0], ids[99], ids.at(-1)].map((id) =>
    api.call<Receipt>('GET', `/api/requests/${id}`, { token }),
  );
  return {
    receipts: (await Promise.all(receipts)).map(({ body }) => body),
    requests: (await api.call<RequestList>('GET', '/api/requests?limit=50', { token })).body,
    transactions: (await api.call<TransactionList>('GET', '/api/transactions?limit=80&offset=30', { token })).body,
    export: (await api.call('GET', '/api/transactions/export', { token })).body,
    shown: (await gateway(['transactions', '--email', customer.email, '--limit', '7'])).out,
    receipt: (await gateway(['receipt', ids[99] ?? ''])).out,
  };
}

test('needs a place, and a number of months', async () => {
  const without = await gateway(['archive', '--months', '2'], { environment: {} });
  expect([without.exitCode, without.problem]).toEqual([2, expect.stringContaining('ARCHIVE_DIR or ARCHIVE_S3_URL')]);
  for (const months of ['1', '1.5', 'x', '1000'])
    expect((await gateway(['archive', '--months', months])).exitCode).toBe(2);
});

test('what is read of a month is the same after it was archived, and DuckDB reads its file', async () => {
  const before = await readEverything();
  const archived = await gateway<{ months: { month: string; requests: number; charged: string }[] }>([
    ...['archive', '--months', '2', '--json'],
  ]);
  expect(archived.exitCode).toBe(0);
  expect(archived.json.months[0]).toMatchObject({
    ...{ month: '2026-01-01', requests: count, charged: '0.000025' },
    file: { name: 'usage-2026-01.parquet', sha256: expect.stringMatching(/^[0-9a-f]{64}$/) },
  });
  expect((await gateway(['archive', '--months', '2'])).out).toBe('No sealed month is old enough.\n');
  expect(await readEverything()).toEqual(before);
  const verified = await gateway(['verify', '--month', '2026-01']);
  expect([verified.exitCode, verified.out]).toEqual([0, expect.stringContaining('2026-01 is what was sealed')]);

  const connection = await (await DuckDBInstance.create()).connect();
  const read = await connection.runAndReadAll(`
    SELECT count(*), sum(cost_nano) FILTER (WHERE rank = 2), min(charged_at)::varchar, count(DISTINCT request_id),
      max(len(dimension_values)) FROM '${join(folder, 'usage-2026-01.parquet')}' WHERE account_id = ${customer.accountId}`);
  connection.closeSync();
  expect(read.getRows()).toEqual([
    [BigInt(count + 1), 25_000n, expect.stringContaining('2026-01-10'), BigInt(count), 2n],
  ]);
});

test('gateway doctor and the API say when the files are not there', async () => {
  const archiveOf = async (environment = { ARCHIVE_DIR: folder }) => {
    const { json } = await gateway<{ checks: { check: string }[] }>(['doctor', '--json'], { environment });
    return json.checks.filter(({ check }) => check === 'archive');
  };
  expect(await archiveOf()).toEqual([
    expect.objectContaining({ status: 'ok', detail: '1 month of charges, all there' }),
  ]);
  const [file, away] = [join(folder, 'usage-2026-01.parquet'), join(folder, 'away')];
  await rename(file, away);
  try {
    expect(await archiveOf()).toEqual([
      expect.objectContaining({ status: 'fail', detail: 'usage-2026-01.parquet is missing' }),
    ]);
    const other = await startApi(harness, { environment: { ARCHIVE_DIR: folder } });
    try {
      const refused = await other.call('GET', `/api/requests/${ids[5]}`, { token });
      expect([refused.status, refused.error?.code]).toEqual([503, 'archive_unavailable']);
    } finally {
      await other.stop();
    }
  } finally {
    await rename(away, file);
  }
});
