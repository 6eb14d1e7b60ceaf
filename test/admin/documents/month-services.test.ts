/** Acts of months sum to what was used, whatever is booked late, refunded or killed. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { deleteAccount } from '../../../admin/accounts/deletion/delete-account.ts';
import type { Transaction } from '../../../admin/database/connect.ts';
import type { ServiceData } from '../../../admin/documents/document-data.ts';
import { prepareIssuing } from '../../../admin/documents/document-services.ts';
import { issueDueAdvances, issueDueServices } from '../../../admin/documents/issue-due.ts';
import { issueServices } from '../../../admin/documents/services/month-services.ts';
import { countAllLots } from '../../../admin/lots/count-lots.ts';
import { createLog } from '../../../shared/log.ts';
import { nanoUsd } from '../../../shared/money.ts';
import { SeededRandom } from '../../harness/seeded-random.ts';
import { openLedger, type TestLedger } from '../ledger/ledger.ts';
import { giveBack, pay } from '../lots/booked-money.ts';
import { billingTimeZone, company, documentServices, openCompanies, seller, use } from './books.ts';

let ledger: TestLedger;
beforeAll(async () => {
  ledger = await openLedger();
});
afterAll(() => ledger.close());

const at = (text: string) => new Date(`${text}T12:00:00Z`);
const kopecksOf = (amount: string) => BigInt(amount.replace('.', ''));
const sumOf = (amounts: readonly string[]) => amounts.reduce((sum, amount) => sum + kopecksOf(amount), 0n);
const issue = (accountId: number, month: string, now = at('2027-06-15')) =>
  ledger.db.transaction((transaction) =>
    issueServices(transaction, prepareIssuing(documentServices(ledger, now)), { accountId, month }),
  );
async function openCompany(): Promise<number> {
  const [accountId = 0] = await openCompanies(ledger, 1);
  return accountId;
}

async function actsOf(accountId: number): Promise<ServiceData[]> {
  const rows = await ledger.sql<{ data: ServiceData }[]>`
    SELECT data FROM documents WHERE account_id = ${accountId} AND type = 'act' ORDER BY date`;
  return rows.map(({ data }) => data);
}

test.each([1, 2, 3, 4])('acts, refunds and open lots sum to the payments (seed %d)', async (seed) => {
  const random = new SeededRandom(seed);
  const accountId = await openCompany();
  const paid: { id: string; kopecks: bigint; nano: bigint }[] = [];
  const months = ['2026-09-01', '2026-10-01', '2026-11-01', '2026-12-01', '2027-01-01'];
  for (const [index, month] of months.entries()) {
    for (let step = 0; step < 8; step += 1) {
      const action = random.weighted({ pay: 3, use: 8, late: 2, refund: 1, issue: 2 });
      const day = random.integer(1, 28);
      const inMonth = new Date(Date.parse(`${month}T00:00:00Z`) + day * 86_400_000 + random.integer(0, 86_399_999));
      if (action === 'pay') {
        const kopecks = BigInt(random.integer(1_00, 900_000));
        const nano = kopecks * BigInt(random.integer(90_000, 130_000));
        paid.push({ id: await pay(ledger, { accountId, kopecks, nano }), kopecks, nano });
      } else if (action === 'refund' && paid.length > 0) {
        const { id: paymentId, kopecks, nano } = random.pick(paid);
        await giveBack(ledger, { accountId, paymentId, kopecks, nano: nano / BigInt(random.integer(2, 20)) });
      } else if (action === 'issue' && index > 0) await issue(accountId, months[index - 1] ?? '');
      else {
        const nano = BigInt(random.integer(1, 5_000_000_000));
        const model = random.pick(['one', 'two', 'three']);
        const when = action === 'late' ? new Date(inMonth.getTime() - 45 * 86_400_000) : inMonth;
        await use(ledger, [{ accountId, nano, at: when, model }]);
      }
    }
  }
  await issue(accountId, '2027-05-01');
  const acts = await actsOf(accountId);
  for (const { amount, usage, payments } of acts) {
    expect(sumOf(usage.map((line) => line.amount))).toBe(kopecksOf(amount));
    expect(sumOf(payments.map((payment) => payment.amount))).toBe(kopecksOf(amount));
  }
  const [lots] = await ledger.sql`
    SELECT sum(used_kopecks)::text AS used, sum(kopecks - used_kopecks)::text AS rest, sum(kopecks)::text AS paid,
      (SELECT sum(rub_kopecks)::text FROM payments WHERE account_id = ${accountId}) AS booked
    FROM lots WHERE account_id = ${accountId}`;
  const documented = sumOf(acts.map(({ amount }) => amount));
  expect(String(documented)).toBe(lots?.used ?? '0');
  expect(documented + BigInt(lots?.rest ?? '0')).toBe(BigInt(lots?.booked ?? '0'));
});

test('a charge that is booked late is in the next act, and no issued act changes', async () => {
  const accountId = await openCompany();
  await pay(ledger, { accountId, kopecks: 100_000n, nano: 10_000_000_000n });
  await use(ledger, [{ accountId, nano: 3_000_000_000n, at: at('2026-09-10') }]);
  await issue(accountId, '2026-09-01');
  const before = await actsOf(accountId);
  await use(ledger, [{ accountId, nano: 1_000_000_000n, at: at('2026-09-11'), model: 'late' }]);
  expect(await issue(accountId, '2026-09-01')).toBe(0);
  await issue(accountId, '2026-10-01');
  const acts = await actsOf(accountId);
  expect(acts.slice(0, 1)).toEqual(before);
  expect(acts.map(({ period, amount, usage }) => [period.to, amount, usage.map(({ model }) => model)])).toEqual([
    ['2026-09-30', '300.00', ['test/chat']],
    ['2026-10-31', '100.00', ['late']],
  ]);
});

test('the annex lists usage by cost center where projects have one, and its lines sum to the act', async () => {
  const accountId = await openCompany();
  await pay(ledger, { accountId, kopecks: 100_000n, nano: 10_000_000_000n });
  const keyIds: number[] = [];
  for (const costCenter of ['CC-40', 'CC-7', null, undefined]) {
    const [key] = await ledger.sql<{ id: string }[]>`
      WITH project AS (
        INSERT INTO projects (account_id, name, cost_center)
        SELECT ${accountId}, ${`of ${costCenter}`}, ${costCenter ?? null} WHERE ${costCenter !== undefined} RETURNING id
      )
      INSERT INTO api_keys (account_id, kind, name, prefix, hash, project_id)
      VALUES (${accountId}, 'proxy', '', '', ${crypto.randomUUID()}, (SELECT id FROM project)) RETURNING id`;
    keyIds.push(Number(key?.id));
  }
  const nanos = [3_000_000_000n, 2_000_000_000n, 1_000_000_000n, 500_000_000n];
  const used = keyIds.map((keyId, index) => ({ accountId, keyId, nano: nanos[index] ?? 0n, at: at('2026-09-10') }));
  await use(ledger, [...used, { ...used[0], accountId, nano: 100_000_000n, at: at('2026-09-11'), model: 'other' }]);
  await issue(accountId, '2026-09-01');
  const [act] = await actsOf(accountId);
  expect(act?.usage).toEqual([
    { costCenter: 'CC-40', model: 'test/chat', requests: 1, amount: '300.00' },
    { costCenter: 'CC-40', model: 'other', requests: 1, amount: '10.00' },
    { costCenter: 'CC-7', model: 'test/chat', requests: 1, amount: '200.00' },
    { costCenter: null, model: 'test/chat', requests: 2, amount: '150.00' },
  ]);
  expect(act?.amount).toBe('660.00');
});

test('a month is one of the billing time zone, and its documents belong to the year of its last day', async () => {
  const accountId = await openCompany();
  await pay(ledger, { accountId, kopecks: 100_000n, nano: 10_000_000_000n });
  await use(ledger, [
    { accountId, nano: 1_000_000_000n, at: new Date('2025-12-31T20:59:59Z') },
    { accountId, nano: 2_000_000_000n, at: new Date('2025-12-31T21:00:00Z') },
  ]);
  await issue(accountId, '2026-01-01');
  const rows = await ledger.sql`
    SELECT type, year, date::text, amount_kopecks FROM documents WHERE account_id = ${accountId} ORDER BY date, type`;
  expect(rows.map(Object.values)).toEqual([
    ['act', 2025, '2025-12-31', '10000'],
    ['tax_invoice', 2025, '2025-12-31', '10000'],
    ['act', 2026, '2026-01-31', '20000'],
    ['tax_invoice', 2026, '2026-01-31', '20000'],
  ]);
});

test('a seller who begins to pay VAT has it in what is dated from that day on, and not before', async () => {
  const accountId = await openCompany();
  const paid = { accountId, kopecks: 100_000n, nano: 10_000_000_000n };
  await pay(ledger, { ...paid, paidAt: new Date('2018-06-30T20:59:59Z') });
  await pay(ledger, { ...paid, paidAt: new Date('2018-06-30T21:00:00Z') });
  await use(ledger, [
    { accountId, nano: 1_000_000_000n, at: at('2018-06-10') },
    { accountId, nano: 2_000_000_000n, at: at('2018-07-10') },
  ]);
  const services = documentServices(ledger, at('2018-07-20'));
  const due = {
    ...services,
    seller: { ...seller, vatSince: '2018-07-01' },
    log: createLog({ program: 'admin', level: 'silent' }),
  };
  await issueDueAdvances(due);
  const issuing = { ...prepareIssuing(due), now: at('2018-08-20') };
  await ledger.db.transaction((transaction) => issueServices(transaction, issuing, { accountId, month: '2018-07-01' }));
  const rows = await ledger.sql`
    SELECT type, date::text, data ? 'vat' AS has_vat FROM documents WHERE account_id = ${accountId} ORDER BY date, type`;
  expect(rows.map(Object.values)).toEqual([
    ['act', '2018-06-30', false],
    ['advance_invoice', '2018-07-01', true],
    ['act', '2018-07-31', true],
    ['tax_invoice', '2018-07-31', true],
  ]);
});

/** Runs the transaction up to the statement with this number; then its process is gone. */
function dying(transaction: Transaction, steps: { left: number }): Transaction {
  return new Proxy(transaction, {
    get: (target, name) => {
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== 'function') return member;
      if (!['select', 'insert', 'update', 'execute'].includes(String(name))) return member.bind(target);
      return (...given: unknown[]) => {
        if (steps.left === 0) throw new Error('killed');
        steps.left -= 1;
        return member.apply(target, given);
      };
    },
  });
}

test('a worker that is killed before any of its statements leaves nothing, and no number is lost', async () => {
  const accountId = await openCompany();
  await pay(ledger, { accountId, kopecks: 100_000n, nano: 10_000_000_000n });
  await use(ledger, [{ accountId, nano: 3_000_000_000n, at: at('2024-02-10') }]);
  const issuing = prepareIssuing(documentServices(ledger, at('2024-03-05')));
  const read = () => ledger.sql`SELECT FROM documents WHERE account_id = ${accountId}`;
  const closed = () => ledger.sql`SELECT FROM closed_months WHERE account_id = ${accountId}`;
  let kills = 0;
  for (; ; kills += 1) {
    const run = ledger.db.transaction((transaction) =>
      issueServices(dying(transaction, { left: kills }), issuing, { accountId, month: '2024-02-01' }),
    );
    const outcome = await run.catch((error: unknown) => String(error));
    if (outcome === 1) break;
    expect(outcome).toBe('Error: killed');
    expect([(await read()).length, (await closed()).length]).toEqual([0, 0]);
  }
  expect(kills).toBeGreaterThan(15);
  const numbers = await ledger.sql`SELECT type, number FROM documents WHERE year = 2024 ORDER BY type`;
  expect(numbers.map(Object.values)).toEqual([
    ['act', 1],
    ['tax_invoice', 1],
  ]);
});

test('the worker waits until a month has been over for a day, and skips accounts without company details', async () => {
  const [company, person] = [await openCompany(), await openCompany()];
  await ledger.sql`UPDATE company_details SET account_type = 'INDIVIDUAL' WHERE account_id = ${person}`;
  for (const accountId of [company, person]) {
    await pay(ledger, { accountId, kopecks: 100_000n, nano: 10_000_000_000n, paidAt: at('2023-05-02') });
    await use(ledger, [{ accountId, nano: 3_000_000_000n, at: at('2023-05-10') }]);
    await issue(accountId, '2023-04-01');
  }
  const log = createLog({ program: 'admin', level: 'silent' });
  const work = async (now: string) => {
    await issueDueServices({ ...documentServices(ledger, new Date(now)), log });
    const rows = await ledger.sql`
      SELECT account_id, type FROM documents WHERE account_id IN ${ledger.sql([company, person])} AND type = 'act'`;
    return rows.map(({ account_id }) => Number(account_id));
  };
  expect(await work('2023-06-01T20:00:00Z')).toEqual([]);
  expect(await work('2023-06-01T21:30:00Z')).toEqual([company]);
  expect(await work('2023-06-03T00:00:00Z')).toEqual([company]);
});

test('what a deleted account used is documented for the company of its last document', async () => {
  const accountId = await openCompany();
  await pay(ledger, { accountId, kopecks: 100_000n, nano: 10_000_000_000n });
  await use(ledger, [{ accountId, nano: 3_000_000_000n, at: at('2026-09-10') }]);
  await issue(accountId, '2026-09-01');
  await use(ledger, [{ accountId, nano: 1_000_000_000n, at: at('2026-10-10') }]);
  await ledger.sql`DELETE FROM company_details WHERE account_id = ${accountId}`;
  await ledger.sql`UPDATE accounts SET deleted_at = now() WHERE id = ${accountId}`;
  const log = createLog({ program: 'admin', level: 'silent' });
  await countAllLots(ledger.db, { billingTimeZone });
  await issueDueServices({ ...documentServices(ledger, at('2026-11-05')), log });
  const acts = await actsOf(accountId);
  expect(acts.map(({ amount, buyer }) => [amount, buyer.name])).toEqual([
    ['300.00', company.companyName],
    ['100.00', company.companyName],
  ]);
});

describe('the company details of a deleted account', () => {
  const now = new Date();
  const later = new Date(now.getTime() + 70 * 86_400_000);
  const work = async (at: Date) => {
    await countAllLots(ledger.db, { billingTimeZone });
    const log = createLog({ program: 'admin', level: 'silent' });
    await issueDueServices({ ...documentServices(ledger, at), log });
  };
  const remove = async (accountId: number) => {
    const [account] = await ledger.sql`SELECT balance_nano FROM accounts WHERE id = ${accountId}`;
    const actor = { name: 'operator', userId: null, address: null, requestId: null };
    const forfeitNano = nanoUsd(BigInt(account?.balance_nano));
    const input = { accountId, forfeitNano, language: undefined, reason: 'Asked for it', self: undefined };
    await deleteAccount(ledger.db, actor, input);
  };
  const hasDetails = async (accountId: number) =>
    (await ledger.sql`SELECT FROM company_details WHERE account_id = ${accountId}`).length > 0;

  test('a company deleted before its first document gets its act, and then is forgotten', async () => {
    const accountId = await openCompany();
    await pay(ledger, { accountId, kopecks: 100_000n, nano: 10_000_000_000n });
    await use(ledger, [{ accountId, nano: 3_000_000_000n, at: now }]);
    await remove(accountId);
    await work(now);
    expect(await hasDetails(accountId)).toBe(true);
    await work(later);
    expect((await actsOf(accountId)).map(({ amount, buyer }) => [amount, buyer.name])).toEqual([
      ['300.00', company.companyName],
    ]);
    expect(await hasDetails(accountId)).toBe(false);
  });

  test('a deleted company that used nothing is forgotten once the month is over', async () => {
    const accountId = await openCompany();
    await pay(ledger, { accountId, kopecks: 100_000n, nano: 10_000_000_000n });
    await remove(accountId);
    await work(now);
    expect(await hasDetails(accountId)).toBe(true);
    await work(later);
    expect(await hasDetails(accountId)).toBe(false);
  });

  test('a deleted company that has paid nothing, or has a document, is forgotten at once', async () => {
    const [paidNothing, documented] = [await openCompany(), await openCompany()];
    await pay(ledger, { accountId: documented, kopecks: 100_000n, nano: 10_000_000_000n });
    await use(ledger, [{ accountId: documented, nano: 3_000_000_000n, at: at('2026-09-10') }]);
    await issue(documented, '2026-09-01');
    for (const accountId of [paidNothing, documented]) {
      await remove(accountId);
      expect(await hasDetails(accountId)).toBe(false);
    }
  });
});

test('an advance invoice is made once for each payment, dated the day the money arrived', async () => {
  const accountId = await openCompany();
  await pay(ledger, { accountId, kopecks: 122_000n, nano: 10_000_000_000n, paidAt: new Date('2022-07-01T21:30:00Z') });
  const due = { ...documentServices(ledger, at('2022-07-04')), log: createLog({ program: 'admin', level: 'silent' }) };
  await Promise.all([issueDueAdvances(due), issueDueAdvances(due)]);
  await issueDueAdvances(due);
  const rows = await ledger.sql`
    SELECT date::text, number, data->>'amount' AS amount, data->'vat' AS vat FROM documents
    WHERE account_id = ${accountId} AND type = 'advance_invoice'`;
  expect([...rows]).toEqual([
    { date: '2022-07-02', number: 1, amount: '1220.00', vat: { rate: '22', amount: '220.00' } },
  ]);
});

test('a tax invoice names its act and the invoices of the advances that were used', async () => {
  const accountId = await openCompany();
  await pay(ledger, { accountId, kopecks: 61_000n, nano: 5_000_000_000n, paidAt: at('2020-03-02') });
  await pay(ledger, { accountId, kopecks: 61_000n, nano: 5_000_000_000n, paidAt: at('2020-03-09') });
  const log = createLog({ program: 'admin', level: 'silent' });
  await issueDueAdvances({ ...documentServices(ledger, at('2020-03-10')), log });
  await use(ledger, [{ accountId, nano: 2_000_000_000n, at: at('2020-03-20') }]);
  await issue(accountId, '2020-03-01');
  const [row] = await ledger.sql<{ data: ServiceData }[]>`
    SELECT data FROM documents WHERE account_id = ${accountId} AND type = 'tax_invoice'`;
  expect(row?.data.act).toEqual({ number: 1, date: '2020-03-31' });
  const used = await ledger.sql`
    SELECT number, date::text FROM documents
    WHERE account_id = ${accountId} AND type = 'advance_invoice' AND date = '2020-03-02'`;
  expect(row?.data.advanceInvoices).toEqual([...used] as never);
  expect(row?.data.payments).toHaveLength(1);
});

test('Postgres refuses changed documents, gaps, and numbers that were not taken from the counter', async () => {
  const accountId = await openCompany();
  await pay(ledger, { accountId, kopecks: 100_000n, nano: 10_000_000_000n });
  await use(ledger, [{ accountId, nano: 3_000_000_000n, at: at('2021-02-10') }]);
  await issue(accountId, '2021-02-01');
  const refused = (statement: string, why: string) =>
    expect(ledger.sql.unsafe(statement).execute()).rejects.toThrow(why);
  await refused(`UPDATE documents SET amount_kopecks = 1 WHERE account_id = ${accountId}`, 'never taken back');
  await refused(`DELETE FROM documents WHERE account_id = ${accountId}`, 'never taken back');
  await refused('DELETE FROM document_counters', 'never taken back');
  await refused('UPDATE document_counters SET last = last + 2', 'without a gap');
  await refused('UPDATE document_counters SET last = last + 1 WHERE year = 2021', 'has no document');
  await refused(
    `
    INSERT INTO documents (id, account_id, type, year, number, date, period_from, period_to, amount_kopecks, data)
    SELECT gen_random_uuid(), account_id, type, year, 9, date, period_from, period_from, 1, data FROM documents
    WHERE account_id = ${accountId} AND type = 'act'`,
    'was not taken from the counter',
  );
});
