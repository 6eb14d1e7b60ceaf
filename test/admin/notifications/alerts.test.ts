/** When an account gets a low-balance alert: on a real Postgres, with the code that books charges. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { applyCharges } from '../../../admin/ledger/charges/apply-charges.ts';
import { writeDueAlerts } from '../../../admin/notifications/write-due-alerts.ts';
import { parseRub, parseUsd } from '../../../shared/money.ts';
import { chargeOf, openLedger, readBooks, type TestLedger } from '../ledger/ledger.ts';
import { hours, noon, openSubject, rateOf, type Subject } from './subject.ts';

let ledger: TestLedger;

beforeAll(async () => {
  ledger = await openLedger();
});
afterAll(() => ledger.close());

const open = (usd: string): Promise<Subject> => openSubject(ledger, usd);

test('the charge that takes the balance below the threshold writes the complete alert', async () => {
  const subject = await open('6');
  await subject.set({ language: 'ru' });
  await subject.charge('1');
  expect(await subject.alertBalances()).toEqual([]);
  await subject.charge('0.000000001');
  const [mail] = await ledger.sql`SELECT * FROM mails WHERE recipient = ${subject.email}`;
  expect(mail).toMatchObject({
    kind: 'low_balance',
    language: 'ru',
    state: 'queued',
    attempts: 0,
    created_at: noon,
    next_attempt_at: noon,
    give_up_at: hours(72),
    data: {
      event: 'fallen',
      balanceNano: '4999999999',
      thresholdKopecks: '50000',
      rubPerUsd: '1000000',
      rateDate: '2030-01-01',
      rateSource: 'cbr',
    },
  });
});

test('ten concurrent charges that cross the threshold, booked by two admins, write exactly one alert', async () => {
  const subject = await open('10');
  const charges = Array.from({ length: 10 }, () => chargeOf(subject.accountId, { costNano: parseUsd('0.8') }));
  const terms = { rate: subject.rate, at: noon };
  // Each admin gets every charge, one by one and in a different order: duplicates and races together.
  const admin = (order: typeof charges) =>
    Promise.all(order.map((charge) => applyCharges(ledger.sql, [charge], terms)));
  await Promise.all([admin(charges), admin([...charges].reverse())]);
  expect(await subject.alertBalances()).toEqual([4.4]);
});

test('ten charges in one batch write one alert, about the balance after all of them', async () => {
  const subject = await open('10');
  const charges = Array.from({ length: 10 }, () => chargeOf(subject.accountId, { costNano: parseUsd('0.6') }));
  await applyCharges(ledger.sql, charges, { rate: subject.rate, at: noon });
  expect(await subject.alertBalances()).toEqual([4]);
});

test('a batch for many accounts alerts those that crossed the threshold, and no others', async () => {
  const subjects = await Promise.all(['5.5', '7', '6', '100'].map(open));
  const charges = subjects.map(({ accountId }) => chargeOf(accountId, { costNano: parseUsd('1.5') }));
  await applyCharges(ledger.sql, charges, { rate: rateOf('100'), at: noon });
  expect(await Promise.all(subjects.map((subject) => subject.alertBalances()))).toEqual([[4], [], [4.5], []]);
});

test('an alert is rolled back with its charge', async () => {
  const subject = await open('6');
  // The journal is written after the alert.
  await ledger.sql`CREATE TRIGGER broken BEFORE INSERT ON journals FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()`;
  await expect(subject.charge('2')).rejects.toThrow('journals refuses');
  await ledger.sql`DROP TRIGGER broken ON journals`;
  expect(await subject.alertBalances()).toEqual([]);
  await subject.charge('3', hours(1));
  expect(await subject.alertBalances()).toEqual([3]);
});

test('a duplicate of the charge causes no further alert', async () => {
  const subject = await open('6');
  const charge = chargeOf(subject.accountId, { costNano: parseUsd('2') });
  await applyCharges(ledger.sql, [charge], { rate: subject.rate, at: noon });
  await applyCharges(ledger.sql, [charge], { rate: subject.rate, at: hours(48) });
  expect(await subject.alertBalances()).toEqual([4]);
});

test('after a top-up above the threshold a new fall alerts again once the interval is over', async () => {
  const subject = await open('6');
  await subject.charge('2');
  await subject.topUp('10');
  await subject.charge('10', hours(24));
  expect(await subject.alertBalances()).toEqual([4, 4]);
});

test('a top-up that does not reach the threshold does not make a later charge a new fall', async () => {
  const subject = await open('6');
  await subject.charge('3');
  await subject.topUp('1');
  await subject.charge('1', hours(48));
  expect(await subject.alerts()).toEqual([['fallen', 3]]);
});

test('a new fall within the interval alerts once when it ends, with the balance of that moment', async () => {
  const subject = await open('6');
  await subject.charge('2');
  await subject.topUp('10');
  await subject.charge('10', hours(1));
  await subject.charge('1', hours(2));
  await subject.owed(hours(23.99));
  expect(await subject.alertBalances()).toEqual([4]);
  // Two admins check at the same moment.
  await Promise.all([subject.owed(hours(24)), subject.owed(hours(24)), subject.owed(hours(24))]);
  expect(await subject.alertBalances()).toEqual([4, 3]);
  await subject.owed(hours(72));
  expect(await subject.alertBalances()).toEqual([4, 3]);
});

test('a top-up before the interval ends cancels the pending alert', async () => {
  const subject = await open('6');
  await subject.charge('2');
  await subject.topUp('10');
  await subject.charge('10', hours(1));
  await subject.topUp('10');
  await subject.owed(hours(25));
  expect(await subject.alertBalances()).toEqual([4]);
  await subject.charge('10', hours(26));
  expect(await subject.alertBalances()).toEqual([4, 4]);
});

test('a charge at the very end of the interval causes one alert', async () => {
  for (let round = 0; round < 5; round += 1) {
    const subject = await open('6');
    await subject.charge('2');
    await subject.topUp('10');
    await subject.charge('10', hours(1));
    await subject.topUp('10');
    await Promise.all([subject.charge('10', hours(24)), subject.owed(hours(24)), subject.owed(hours(24))]);
    expect(await subject.alertBalances()).toEqual([4, 4]);
  }
});

test('the interval is the customer’s setting', async () => {
  const subject = await open('6');
  await subject.set({ intervalHours: 2 });
  await subject.charge('2');
  await subject.topUp('10');
  await subject.charge('10', hours(2));
  expect(await subject.alertBalances()).toEqual([4, 4]);
});

test('no alert is written while alerts are off, and the next charge writes one once they are on', async () => {
  const subject = await open('6');
  await subject.set({ emailEnabled: false });
  await subject.charge('2');
  expect(await subject.alertBalances()).toEqual([]);
  await subject.set({ emailEnabled: true });
  await subject.charge('1', hours(1));
  await subject.owed(hours(1));
  expect(await subject.alerts()).toEqual([['low', 3]]);
});

test('a pending alert is not written if alerts are switched off in the meantime', async () => {
  const subject = await open('6');
  await subject.charge('2');
  await subject.topUp('10');
  await subject.charge('10', hours(1));
  await subject.set({ emailEnabled: false });
  await subject.owed(hours(25));
  expect(await subject.alertBalances()).toEqual([4]);
});

test('a rate that has put the balance below the threshold is noticed with the next charge', async () => {
  const subject = await open('5.5');
  await subject.charge('0.1');
  expect(await subject.alertBalances()).toEqual([]);
  subject.rate = rateOf('90');
  await subject.charge('0.1', hours(1));
  expect(await subject.alertBalances()).toEqual([5.3]);
  // Crossing up and down by the rate alone is a new fall, but no reason to write more often.
  subject.rate = rateOf('100');
  await subject.charge('0.1', hours(2));
  subject.rate = rateOf('90');
  await subject.charge('0.1', hours(3));
  expect(await subject.alertBalances()).toEqual([5.3]);
  await subject.owed(hours(25));
  expect(await subject.alertBalances()).toEqual([5.3, 5.1]);
});

test('a threshold is compared exactly, up to the largest wallet and rate', async () => {
  const subject = await open('6');
  subject.rate = rateOf('10000');
  await subject.topUp('8000000');
  await subject.set({ thresholdKopecks: parseRub('10000000') });
  await subject.charge('7999006');
  expect(await subject.alertBalances()).toEqual([]);
  await subject.charge('0.000000001');
  expect(await subject.alertBalances()).toEqual([999.999999999]);
});

test('an estimate that is corrected upwards again does not alert twice', async () => {
  const subject = await open('6');
  const final = chargeOf(subject.accountId, { costNano: parseUsd('0.5') });
  const terms = { rate: subject.rate, at: noon };
  await applyCharges(ledger.sql, [{ ...final, rank: 1, costNano: parseUsd('2') }], terms);
  await applyCharges(ledger.sql, [final], terms);
  await subject.charge('1', hours(1));
  expect(await subject.alertBalances()).toEqual([4]);
});

test('an account without users is charged like any other', async () => {
  const accountId = await ledger.openAccount();
  const charge = chargeOf(accountId, { costNano: parseUsd('1') });
  expect(await applyCharges(ledger.sql, [charge], { rate: rateOf('100'), at: noon })).toMatchObject({ applied: 1 });
});

test('without notification terms no account is alerted', async () => {
  const subject = await open('6');
  await applyCharges(ledger.sql, [chargeOf(subject.accountId, { costNano: parseUsd('2') })]);
  expect(await subject.alertBalances()).toEqual([]);
});

test('eight appliers with alerts end without deadlock and alert each account once, in any order', async () => {
  const subjects = await Promise.all(Array.from({ length: 40 }, () => open('6')));
  const terms = { rate: rateOf('100'), at: noon };
  const apply = async () => {
    for (let round = 0; round < 10; round += 1) {
      const shuffled = [...subjects].sort(() => Math.random() - 0.5);
      const charges = shuffled.map(({ accountId }) => chargeOf(accountId, { costNano: parseUsd('0.05') }));
      await Promise.all([applyCharges(ledger.sql, charges, terms), writeDueAlerts(ledger.sql, terms)]);
    }
  };
  await Promise.all(Array.from({ length: 8 }, apply));
  expect(
    (await Promise.all(subjects.map((subject) => subject.alertBalances()))).map(
      (alertBalances) => alertBalances.length,
    ),
  ).toEqual(subjects.map(() => 1));
  const [row] = await ledger.sql`SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()`;
  expect(row?.deadlocks).toBe('0');
  expect((await readBooks(ledger)).violations).toEqual([]);
});
