/**
 * Lots counted from a real ledger: in any steps, after a kill anywhere, and from the beginning again, with one result.
 */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { applyCharges } from '../../../admin/ledger/charges/apply-charges.ts';
import { closeMonth, countAllLots, countLots, forgetLots } from '../../../admin/lots/count-lots.ts';
import { SeededRandom } from '../../harness/seeded-random.ts';
import { type Harness, startHarness } from '../../harness.ts';
import { chargeOf } from '../ledger/ledger.ts';
import { pay as bookPayment, giveBack as bookReturn, bringBack } from './booked-money.ts';

let harness: Harness;
beforeAll(async () => {
  harness = await startHarness();
});
afterAll(() => harness.stop());

const config = { billingTimeZone: 'Europe/Moscow' };
const count = (accountId: number) =>
  harness.database.db.transaction((transaction) => countLots(transaction, accountId, config));
const monthStart = Date.UTC(2026, 8, 1);
const dayMs = 86_400_000;

const pay = (accountId: number, kopecks: bigint, nano: bigint) =>
  bookPayment(harness.database, { accountId, kopecks, nano });
const giveBack = (accountId: number, paymentId: string, kopecks: bigint, nano: bigint) =>
  bookReturn(harness.database, { accountId, paymentId, kopecks, nano });

const use = (accountId: number, costNano: bigint, day: number, change: Partial<ReturnType<typeof chargeOf>> = {}) =>
  applyCharges(harness.database.sql, [
    chargeOf(accountId, { costNano, chargedAt: new Date(monthStart + day * dayMs), ...change }),
  ]);

async function stored(accountId: number) {
  const { sql } = harness.database;
  const lots = await sql`SELECT * FROM lots WHERE account_id = ${accountId} ORDER BY line_id`;
  const parts = await sql`
    SELECT lot_parts.* FROM lot_parts JOIN lots ON line_id = lot_line_id
    WHERE account_id = ${accountId} AND (lot_parts.nano <> 0 OR lot_parts.kopecks <> 0)
    ORDER BY lot_line_id, month, kind`;
  const returns = await sql`
    SELECT lot_returns.* FROM lot_returns JOIN lots ON line_id = lot_line_id
    WHERE account_id = ${accountId} AND lot_returns.nano <> 0 ORDER BY lot_line_id, lot_returns.payment_id`;
  return { lots: [...lots], parts: [...parts], returns: [...returns] };
}

test.each([1, 2, 3, 4, 5, 6])('counting in steps and from the beginning agree (seed %d)', async (seed) => {
  const random = new SeededRandom(seed);
  const { accountId } = await harness.createCustomer({ usd: '0' });
  const { db, sql } = harness.database;
  const paid: { id: string; kopecks: bigint; nano: bigint }[] = [];
  const returned: { paymentId: string; kopecks: bigint; nano: bigint }[] = [];
  for (let step = 0; step < 60; step += 1) {
    const day = Math.floor(step * 1.5) + random.integer(-3, 0);
    const action = random.weighted({ pay: 3, use: 12, gift: 1, refund: 3, restore: 2, count: 4, close: 1, kill: 2 });
    if (action === 'pay') {
      const kopecks = BigInt(random.integer(1_00, 500_000));
      const nano = kopecks * BigInt(random.integer(90_000, 130_000));
      paid.push({ id: await pay(accountId, kopecks, nano), kopecks, nano });
    } else if (action === 'gift') await harness.credit(accountId, '0.5');
    else if (action === 'use') await use(accountId, BigInt(random.integer(1, 9_000_000_000)), day);
    else if (action === 'refund' && paid.length > 0) {
      const { id, kopecks, nano } = random.pick(paid);
      const part = nano / BigInt(random.integer(1, 20));
      await giveBack(accountId, id, kopecks, part);
      returned.push({ paymentId: id, kopecks, nano: part });
    } else if (action === 'restore' && returned.length > 0) {
      const [one] = returned.splice(random.integer(0, returned.length - 1), 1);
      if (one !== undefined) await bringBack(harness.database, { accountId, ...one });
    } else if (action === 'count') await count(accountId);
    else if (action === 'close') {
      const month = `2026-${String(random.integer(9, 11)).padStart(2, '0')}-01`;
      await db.transaction((transaction) => closeMonth(transaction, { accountId, month }, config));
    } else if (action === 'kill') {
      const killed = db.transaction(async (transaction) => {
        await countLots(transaction, accountId, config);
        throw new Error('killed before the commit');
      });
      await expect(killed).rejects.toThrow('killed');
    }
  }
  await count(accountId);
  const inSteps = await stored(accountId);
  const [sums] = await sql`
    SELECT (SELECT coalesce(sum(lot_parts.kopecks), 0) FROM lot_parts JOIN lots ON line_id = lot_line_id WHERE account_id = ${accountId})
      + (SELECT sum(kopecks - used_kopecks - returned_kopecks) FROM lots WHERE account_id = ${accountId}) AS counted,
      (SELECT sum(rub_kopecks) FROM payments WHERE account_id = ${accountId}) AS paid`;
  await db.transaction((transaction) => forgetLots(transaction, accountId));
  await count(accountId);
  expect(await stored(accountId)).toEqual(inSteps);
  expect(sums?.counted ?? null).toEqual(sums?.paid ?? null);
});

test('a charge that is booked months late is found, and changes only open months', async () => {
  const { accountId } = await harness.createCustomer({ usd: '0' });
  const { db } = harness.database;
  await pay(accountId, 100_000n, 10_000_000_000n);
  await use(accountId, 3_000_000_000n, 10);
  await db.transaction((transaction) => closeMonth(transaction, { accountId, month: '2026-09-01' }, config));
  const before = await stored(accountId);
  await use(accountId, 1_000_000_000n, 5);
  await use(accountId, 1_000_000_000n, 75);
  await countAllLots(db, config);
  const months = (await stored(accountId)).parts.map(({ month, kopecks }) => [
    month.toISOString().slice(0, 10),
    kopecks,
  ]);
  expect(months).toEqual([
    ['2026-09-01', '30000'],
    ['2026-10-01', '10000'],
    ['2026-11-01', '10000'],
  ]);
  expect((await stored(accountId)).parts[0]).toEqual(before.parts[0]);
});

test('a payment that was refunded in full before anything was counted is counted', async () => {
  const { accountId } = await harness.createCustomer({ usd: '0' });
  const paymentId = await pay(accountId, 100_000n, 10_000_000_000n);
  await giveBack(accountId, paymentId, 100_000n, 10_000_000_000n);
  await countAllLots(harness.database.db, config);
  expect((await stored(accountId)).lots).toMatchObject([{ returned_nano: '10000000000', returned_kopecks: '100000' }]);
});

test('Postgres refuses a lot below zero and parts that do not sum to their lot', async () => {
  const { accountId } = await harness.createCustomer({ usd: '0' });
  const { sql } = harness.database;
  await pay(accountId, 100_000n, 10_000_000_000n);
  await count(accountId);
  const spoil = (statement: string) => sql.unsafe(`${statement} WHERE account_id = ${accountId}`).execute();
  await expect(spoil('UPDATE lots SET used_nano = -1')).rejects.toThrow('lot_never_below_zero');
  await expect(spoil('UPDATE lots SET used_nano = nano + 1')).rejects.toThrow('lot_never_below_zero');
  await expect(spoil('UPDATE lots SET used_nano = nano')).rejects.toThrow('lot_parts_make_the_whole');
  await expect(spoil('UPDATE lots SET used_nano = 5')).rejects.toThrow('its parts sum to');
});
