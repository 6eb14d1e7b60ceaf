/** Entries that could not be booked are stored unchanged, and booked once by a version that can read them. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import fc from 'fast-check';
import { keepRejects, type Reject, retryRejects } from '../../../../admin/ledger/charges/rejects.ts';
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

test('entries that are read again are stored once, and others of the same draw too', async () => {
  const accountId = await ledger.openAccount();
  const [one, other] = [entryOf(accountId, { cost: 'much' }), entryOf(accountId, { cost: 'more' })];
  const before = await kept();
  for (const rejects of [[one], [one, other], [other, one]]) await keepRejects(ledger.sql, shard, rejects);
  expect(await kept()).toBe(before + 2);
  await ledger.sql`DELETE FROM usage_rejects`;
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

/** A draw as an admin stores it that cannot read what it packs. */
function drawOf(accountId: number, charges: readonly { request: string; cost: bigint; uncharged?: string }[]): Reject {
  const detail = encodeChargeDetail(detailOf());
  const packed = charges.map(
    ({ request, cost, uncharged = '0' }) => `["${request}","${cost}","${uncharged}",${detail}]`,
  );
  const spent = charges.reduce((sum, { cost }) => sum + cost, 0n);
  const fields = {
    ...{ kind: 'charges', account: String(accountId), key: '1', epoch: '1', seq: String(charges.length) },
    ...{ spent: String(spent), charges: `[${packed.join(',')}]` },
  };
  return { entry: { id: '1763750000000-1', fields }, problem: 'the version before could not read it' };
}

const costs = fc.array(fc.bigInt({ min: 1n, max: 1_000_000n }), { minLength: 1, maxLength: 20 });

test('each charge of a stored draw is booked exactly once, however often the draw is stored and retried', async () => {
  const property = fc.asyncProperty(costs, fc.nat(), async (amounts, place) => {
    const accountId = await ledger.openAccount();
    const before = await readBooks(ledger);
    const charges = amounts.map((cost) => ({ request: Bun.randomUUIDv7(), cost }));
    const alone = charges[place % charges.length] ?? { request: '', cost: 0n };
    // One was booked before, on its own.
    const single = entryOf(accountId, { request: alone.request, cost: String(alone.cost) });
    await keepRejects(ledger.sql, shard, [single, drawOf(accountId, charges), drawOf(accountId, charges)]);
    await Promise.all([retryRejects(ledger.sql), retryRejects(ledger.sql)]);
    await keepRejects(ledger.sql, shard, [drawOf(accountId, charges)]);
    await retryRejects(ledger.sql);
    const { balances, requests, violations } = await readBooks(ledger);
    expect(balances.get(accountId)).toBe(-amounts.reduce((sum, cost) => sum + cost, 0n));
    expect(requests.size - before.requests.size).toBe(charges.length);
    for (const { request, cost } of charges) expect(requests.get(request)).toBe(`2:${cost}`);
    expect(violations).toEqual([]);
    expect(await kept()).toBe(0);
  });
  await ledger.sql`DELETE FROM usage_rejects`;
  await fc.assert(property, { numRuns: 25 });
});

test('what cannot be booked of a stored draw stays, charge by charge and once, and the rest is booked', async () => {
  await ledger.sql`DELETE FROM usage_rejects`;
  const accountId = await ledger.openAccount();
  const charge = (change = {}) => ({ request: Bun.randomUUIDv7(), cost: 5n, ...change });
  const malformed = charge({ uncharged: '0.5' });
  const ofNobody = [charge(), charge()];
  await keepRejects(ledger.sql, shard, [drawOf(accountId, [charge(), malformed]), drawOf(999_999, ofNobody)]);
  await Promise.all([retryRejects(ledger.sql), retryRejects(ledger.sql)]);
  expect(await retryRejects(ledger.sql)).toBe(0);
  expect((await readBooks(ledger)).balances.get(accountId)).toBe(-5n);
  const rows = await ledger.sql<{ request: string; problem: string }[]>`
    SELECT entry::jsonb ->> 'request' AS request, problem FROM usage_rejects`;
  expect(rows.map(({ request, problem }) => `${request}: ${problem}`).toSorted()).toEqual(
    [
      `${malformed.request}: field uncharged is missing or malformed`,
      ...ofNobody.map(({ request }) => `${request}: there is no account 999999, or the month of the request is sealed`),
    ].toSorted(),
  );
});
