/** The pause between alerts: any number of hours, and how the previous version reads it. On a real Postgres. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { openLedger, type TestLedger } from '../ledger/ledger.ts';
import { hours, openSubject, type Subject } from './subject.ts';

let ledger: TestLedger;

beforeAll(async () => {
  ledger = await openLedger();
});
afterAll(() => ledger.close());

const open = (usd: string): Promise<Subject> => openSubject(ledger, usd);

test('an interval of 0 is no pause, so every fall alerts immediately', async () => {
  const subject = await open('6');
  await subject.set({ intervalHours: 0 });
  await subject.charge('2');
  await subject.topUp('10');
  await subject.charge('10');
  // Another replica, whose clock is behind.
  await subject.topUp('10');
  await subject.charge('10', hours(-0.01));
  expect(await subject.alertBalances()).toEqual([4, 4, 4]);
});

test('a fraction of an hour is exact to the second, and the longest interval fails no charge', async () => {
  const subject = await open('6');
  await subject.set({ intervalHours: 0.1 });
  await subject.charge('2');
  await subject.topUp('10');
  await subject.charge('10', hours(359 / 3600));
  expect(await subject.alertBalances()).toEqual([4]);
  await subject.owed(hours(359 / 3600));
  expect(await subject.alertBalances()).toEqual([4]);
  await subject.owed(hours(360 / 3600));
  expect(await subject.alertBalances()).toEqual([4, 4]);
  await subject.set({ intervalHours: Number.MAX_VALUE });
  await subject.topUp('10');
  await subject.charge('10', hours(1e6));
  await subject.owed(hours(1e6));
  expect(await subject.alertBalances()).toEqual([4, 4]);
});

test('the previous version continues to book charges with whole hours during an upgrade', async () => {
  const subject = await open('6');
  const pause = async (intervalHours: number) => {
    await subject.set({ intervalHours });
    const [row] = await ledger.sql`
      SELECT now() + make_interval(hours => coalesce(settings.interval_hours, ${24})) - now() AS pause
      FROM notification_settings AS settings WHERE account_id = ${subject.accountId}`;
    return row?.pause;
  };
  expect(await pause(6)).toBe('06:00:00');
  expect(await pause(1.5)).toBe('01:30:00');
  expect(await pause(Number.MAX_VALUE)).toBe('36500 days');
});
