/** A history of more lines than are counted in one step: counted page by page, beside charges and other replicas. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test';
import { applyCharges } from '../../../admin/ledger/charges/apply-charges.ts';
import { catchUpLots } from '../../../admin/lots/catch-up-lots.ts';
import { countAllLots, countLots, forgetLots } from '../../../admin/lots/count-lots.ts';
import { type Harness, startHarness } from '../../harness.ts';
import { chargeOf } from '../ledger/ledger.ts';
import { pay } from './booked-money.ts';

let harness: Harness;
/** Its history is long; each test forgets what is counted of it. */
let accountId: number;
beforeAll(async () => {
  harness = await startHarness();
  accountId = await payAndUse();
});
beforeEach(() => harness.database.db.transaction((transaction) => forgetLots(transaction, accountId)));
afterAll(() => harness.stop());

const config = { billingTimeZone: 'Europe/Moscow' };
const batch = 5_000;
const batches = 21;

const charge = (accountId: number, count: number) =>
  applyCharges(
    harness.database.sql,
    Array.from({ length: count }, () => chargeOf(accountId, { costNano: 1_000n })),
  );

async function payAndUse(): Promise<number> {
  const { accountId } = await harness.createCustomer({ usd: '0' });
  for (let done = 0; done < batches; done += 1) {
    await pay(harness.database, { accountId, kopecks: 10_001n, nano: 7_000_000n });
    await charge(accountId, batch);
  }
  return accountId;
}

async function stored(accountId: number) {
  const { sql } = harness.database;
  return {
    lots: [...(await sql`SELECT * FROM lots WHERE account_id = ${accountId} ORDER BY line_id`)],
    parts: [
      ...(await sql`
        SELECT lot_parts.* FROM lot_parts JOIN lots ON line_id = lot_line_id WHERE account_id = ${accountId}
        ORDER BY lot_line_id, month, kind`),
    ],
    progress: [...(await sql`SELECT * FROM lot_progress WHERE account_id = ${accountId}`)],
  };
}

test('a long history counted beside charges and another replica equals a count from the beginning', async () => {
  const { db } = harness.database;
  const booked = async () => {
    for (let more = 0; more < 10; more += 1) await charge(accountId, 10);
  };
  await Promise.all([catchUpLots(db, accountId, config), countAllLots(db, config), booked()]);
  await countAllLots(db, config);
  const inPages = await stored(accountId);
  expect(inPages.lots).toHaveLength(batches);
  expect(inPages.progress).toMatchObject([{ spent_nano: String((batches * batch + 100) * 1_000) }]);

  await db.transaction(async (transaction) => {
    await forgetLots(transaction, accountId);
    await countLots(transaction, accountId, config);
  });
  expect(await stored(accountId)).toEqual(inPages);
});

test('a run that is killed is continued from its last page', async () => {
  const { db } = harness.database;
  const lines = async () => Number((await stored(accountId)).progress[0]?.line_id ?? 0);
  // The abort is checked at the start and before each page.
  let pagesLeft = 4;
  const { signal } = new AbortController();
  signal.throwIfAborted = () => {
    pagesLeft -= 1;
    if (pagesLeft < 0) throw new Error('killed');
  };
  await expect(catchUpLots(db, accountId, config, { signal })).rejects.toThrow('killed');
  const before = await lines();
  expect(before).toBeGreaterThan(0);
  await countAllLots(db, config);
  expect(await lines()).toBeGreaterThan(before);
  const inParts = await stored(accountId);
  await db.transaction((transaction) => forgetLots(transaction, accountId));
  await db.transaction((transaction) => countLots(transaction, accountId, config));
  expect(await stored(accountId)).toEqual(inParts);
});

test('catching up leaves a short history to the regular count', async () => {
  const { accountId: other } = await harness.createCustomer({ usd: '0' });
  await pay(harness.database, { accountId: other, kopecks: 10_001n, nano: 7_000_000n });
  await catchUpLots(harness.database.db, other, config);
  expect((await stored(other)).progress).toEqual([]);
});
