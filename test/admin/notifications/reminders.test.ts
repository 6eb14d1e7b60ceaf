/** Alerts of an account below its threshold: none, reminders, or that its balance is used up. On a real Postgres. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { applyCharges } from '../../../admin/ledger/charges/apply-charges.ts';
import { parseRub, parseUsd } from '../../../shared/money.ts';
import { chargeOf, openLedger, type TestLedger } from '../ledger/ledger.ts';
import { hours, openSubject, rateOf, type Subject } from './subject.ts';

let ledger: TestLedger;

beforeAll(async () => {
  ledger = await openLedger();
});
afterAll(() => ledger.close());

const open = (usd: string): Promise<Subject> => openSubject(ledger, usd);
const threshold = (rub: string) => ({ thresholdKopecks: parseRub(rub) });

test('an account that was never above its threshold gets no alert of a fall and no reminder', async () => {
  const subject = await open('4');
  await subject.charge('1');
  await subject.topUp('1');
  await subject.charge('1', hours(30));
  await subject.owed(hours(60));
  expect(await subject.alerts()).toEqual([]);
  await subject.topUp('10');
  await subject.charge('1', hours(61));
  await subject.charge('10', hours(62));
  expect(await subject.alerts()).toEqual([['fallen', 2]]);
});

test('further spending below the threshold causes one reminder per interval, and no spending none', async () => {
  const subject = await open('6');
  await subject.charge('2');
  await subject.charge('1', hours(1));
  await subject.charge('0.5', hours(2));
  await subject.owed(hours(23.99));
  expect(await subject.alerts()).toEqual([['fallen', 4]]);
  // Three admins check at the same moment.
  await Promise.all([subject.owed(hours(24)), subject.owed(hours(24)), subject.owed(hours(24))]);
  await subject.owed(hours(100));
  const once = [
    ['fallen', 4],
    ['low', 2.5],
  ] as const;
  expect(await subject.alerts()).toEqual([...once]);
  await subject.charge('1', hours(101));
  await subject.owed(hours(101));
  await subject.charge('0.5', hours(102));
  await subject.owed(hours(102));
  expect(await subject.alerts()).toEqual([...once, ['low', 1.5]]);
});

test('an estimate that is corrected downwards causes no reminder', async () => {
  const subject = await open('6');
  const final = chargeOf(subject.accountId, { costNano: parseUsd('1.5') });
  await applyCharges(ledger.sql, [{ ...final, rank: 1, costNano: parseUsd('2') }], {
    rate: subject.rate,
    at: hours(0),
  });
  await applyCharges(ledger.sql, [final], { rate: subject.rate, at: hours(1) });
  await subject.owed(hours(30));
  expect(await subject.alerts()).toEqual([['fallen', 4]]);
});

test('a used-up balance alerts immediately, even within the interval after the fall, and only once', async () => {
  const subject = await open('6');
  await subject.charge('2');
  await subject.charge('3.999999999', hours(1));
  expect(await subject.alerts()).toEqual([['fallen', 4]]);
  await subject.charge('0.000000001', hours(1));
  const both = [
    ['fallen', 4],
    ['empty', 0],
  ] as const;
  expect(await subject.alerts()).toEqual([...both]);
  await subject.owed(hours(100));
  expect(await subject.alerts()).toEqual([...both]);
});

test('one charge that takes the balance from above the threshold to zero writes one alert, about zero', async () => {
  const subject = await open('6');
  await subject.charge('6');
  await subject.owed(hours(100));
  expect(await subject.alerts()).toEqual([['empty', 0]]);
});

test('a balance that is used up repeatedly alerts once per interval', async () => {
  const subject = await open('6');
  await subject.charge('6');
  for (const hour of [1, 2]) {
    await subject.topUp('1');
    await subject.charge('1', hours(hour));
  }
  await subject.owed(hours(23));
  expect(await subject.alerts()).toEqual([['empty', 0]]);
  await subject.owed(hours(24));
  await subject.owed(hours(60));
  expect(await subject.alerts()).toEqual([
    ['empty', 0],
    ['empty', 0],
  ]);
});

test('an account that was never above its threshold is only alerted when its balance is used up', async () => {
  const subject = await open('4');
  await subject.charge('4');
  expect(await subject.alerts()).toEqual([['empty', 0]]);
  await subject.topUp('2');
  await subject.charge('1', hours(30));
  await subject.owed(hours(60));
  expect(await subject.alerts()).toEqual([['empty', 0]]);
});

test('a threshold of 0 alerts only when the balance is used up', async () => {
  const subject = await open('6');
  await subject.set(threshold('0'));
  await subject.charge('5.99');
  expect(await subject.alerts()).toEqual([]);
  await subject.charge('0.01');
  expect(await subject.alerts()).toEqual([['empty', 0]]);
});

test('alerts that are switched off are not sent for a fall, for further spending or for zero', async () => {
  const subject = await open('6');
  await subject.set({ emailEnabled: false });
  await subject.charge('2');
  await subject.charge('4', hours(30));
  await subject.owed(hours(60));
  expect(await subject.alerts()).toEqual([]);
});

test('raising the threshold above the balance is a fall, with one alert', async () => {
  const subject = await open('6');
  await subject.set(threshold('600'));
  expect(await subject.alerts()).toEqual([]);
  await Promise.all([subject.set(threshold('700')), subject.set(threshold('700'))]);
  await subject.set(threshold('800'), hours(30));
  await subject.owed(hours(60));
  expect(await subject.alerts()).toEqual([['fallen', 6]]);
});

test('raising the threshold within the interval alerts when it ends', async () => {
  const subject = await open('6');
  await subject.charge('2');
  await subject.set(threshold('300'), hours(1));
  await subject.set(threshold('500'), hours(2));
  await subject.owed(hours(23));
  expect(await subject.alerts()).toEqual([['fallen', 4]]);
  await subject.owed(hours(24));
  expect(await subject.alerts()).toEqual([
    ['fallen', 4],
    ['low', 4],
  ]);
});

test('raising the threshold does not alert accounts below the old one or with alerts off', async () => {
  const [low, silent] = [await open('4'), await open('6')];
  await low.set(threshold('900'));
  await silent.set({ ...threshold('900'), emailEnabled: false });
  expect([await low.alerts(), await silent.alerts()]).toEqual([[], []]);
  // The threshold is lowered below the balance; raising it again is a fall.
  await low.set(threshold('300'), hours(1));
  await low.set(threshold('500'), hours(2));
  expect(await low.alerts()).toEqual([['fallen', 4]]);
});

test('a charge and a raised threshold at the same moment are one fall', async () => {
  for (let round = 0; round < 5; round += 1) {
    const subject = await open('6');
    await Promise.all([subject.charge('0.5'), subject.set(threshold('800')), subject.charge('0.4')]);
    expect((await subject.alerts()).map(([event]) => event)).toEqual(['fallen']);
  }
});

test('falls recorded by the previous version are understood, and what it reads is still written', async () => {
  const subject = await open('6');
  await ledger.sql`
    INSERT INTO balance_alerts (account_id, below, owed, alerted_at) VALUES (${subject.accountId}, true, false, ${hours(0)})`;
  await subject.charge('2', hours(25));
  await subject.charge('1', hours(26));
  await subject.owed(hours(50));
  expect(await subject.alerts()).toEqual([
    ['fallen', 4],
    ['low', 3],
  ]);
  const [row] =
    await ledger.sql`SELECT below, owed, alerted_at FROM balance_alerts WHERE account_id = ${subject.accountId}`;
  expect(row).toEqual({ below: true, owed: false, alerted_at: hours(50) });
});

test('an exchange rate that puts the balance below is a fall for an account seen above', async () => {
  const subject = await open('5.5');
  await subject.charge('0.1');
  subject.rate = rateOf('90');
  await subject.charge('0.1', hours(1));
  expect(await subject.alerts()).toEqual([['fallen', 5.3]]);
});
