/** The transactions as CSV are complete, exact, safe to open, and streamed. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { applyCharges } from '../../../../admin/ledger/charges/apply-charges.ts';
import { postCredit } from '../../../../admin/ledger/post-credit.ts';
import { parseUsd } from '../../../../shared/money.ts';
import { testPassword } from '../../../harness/customers.ts';
import { type Harness, startHarness } from '../../../harness.ts';
import { chargeOf } from '../../ledger/ledger.ts';
import type { TransactionList } from '../response-types.ts';
import { type Api, logIn, startApi } from '../start-api.ts';

let harness: Harness;
let api: Api;
beforeAll(async () => {
  harness = await startHarness();
  api = await startApi(harness);
});
afterAll(async () => {
  await api.stop();
  await harness.stop();
});

async function newCustomer() {
  const customer = await harness.createCustomer({ usd: '0' });
  return { ...customer, token: await logIn(api, customer.email, testPassword) };
}

const exported = (token: string, query = '') => api.call('GET', `/api/transactions/export${query}`, { token });
const head = 'id,createdAt,type,amount,currency,description,requestId,model\r\n';

function pay(accountId: number, usd: string, reason: string) {
  const input = { accountId, type: 'payment', amountNano: parseUsd(usd), reason } as const;
  return postCredit(harness.database.db, { ...input, idempotencyKey: crypto.randomUUID() });
}

test('each change of the balance is a line of the CSV with its exact amount', async () => {
  const { accountId, token } = await newCustomer();
  const { transactionId } = await pay(accountId, '8999.000000001', 'Invoice 17');
  const chargedAt = new Date('2040-01-01T00:00:00Z');
  const charge = chargeOf(accountId, { chargedAt });
  await applyCharges(harness.database.sql, [charge]);
  const { status, headers, body } = await exported(token);
  expect(status).toBe(200);
  expect(headers.get('content-type')).toBe('text/csv; charset=utf-8');
  expect(headers.get('content-disposition')).toBe('attachment; filename="transactions.csv"');
  expect(headers.get('cache-control')).toBe('no-store');
  expect(headers.get('x-request-id')).toBeTruthy();
  const [, usage = '', payment = ''] = String(body).split('\r\n');
  expect(body).toStartWith(head);
  expect(usage.replace(/^\d+/, 'id')).toBe(
    `id,2040-01-01T00:00:00.000Z,usage,-0.0000001,USD,test/chat: 3 prompt + 5 completion tokens,${charge.requestId},test/chat`,
  );
  expect(payment).toMatch(new RegExp(`^${transactionId},20[^,]*Z,payment,8999.000000001,USD,Invoice 17,,$`));
});

test('the CSV has only a header if there are no transactions', async () => {
  expect((await exported((await newCustomer()).token)).body).toBe(head);
});

test.each([
  ['=HYPERLINK("http://x","y")', `"'=HYPERLINK(""http://x"",""y"")"`],
  ['+1', "'+1"],
  ['-1', "'-1"],
  ['@SUM(A1)', "'@SUM(A1)"],
  ['\tx', "'\tx"],
  ['＝1', "'＝1"],
  ['a, "b"\nc', '"a, ""b""\nc"'],
  ['Счёт №17', 'Счёт №17'],
])('the description %j is written as %j', async (reason, cell) => {
  const { accountId, token } = await newCustomer();
  await pay(accountId, '1', reason);
  expect((await exported(token)).body).toContain(`,1,USD,${cell},,\r\n`);
});

describe('the CSV of a customer with more lines than a page', () => {
  const lines = 2_345;
  let token: string;
  beforeAll(async () => {
    const customer = await newCustomer();
    token = customer.token;
    // Hundreds of charges at each instant, down to the microsecond.
    await harness.database.sql.begin(async (sql) => {
      const [journal] = await sql`INSERT INTO journals (type, reason) VALUES ('usage', 'many') RETURNING id`;
      await sql`
        INSERT INTO ledger_lines (journal_id, book, account_id, amount_nano, type, description, created_at)
        SELECT ${journal?.id}::bigint, 'wallet', ${customer.accountId}::bigint, -1, 'usage', 'line ' || n,
          '2031-01-01T00:00:00Z'::timestamptz + (n / 400) * interval '1 microsecond'
        FROM generate_series(1, ${lines}::int) AS n
        UNION ALL SELECT ${journal?.id}::bigint, 'revenue', NULL, ${lines}::int, 'usage', 'revenue', now()`;
      await sql`
        UPDATE accounts SET balance_nano = balance_nano - ${lines}, spent_nano = spent_nano + ${lines}
        WHERE id = ${customer.accountId}`;
    });
    await pay(customer.accountId, '1', 'between');
  });

  test('has every line once, in the order of the list', async () => {
    const rows = String((await exported(token, '?type=usage')).body)
      .trimEnd()
      .split('\r\n')
      .slice(1);
    const ids = rows.map((row) => Number(row.split(',')[0]));
    expect(ids.length).toBe(lines);
    expect(new Set(ids).size).toBe(lines);
    const { body } = await api.call<TransactionList>('GET', '/api/transactions?type=usage', { token });
    expect(ids.slice(0, 50)).toEqual(body.transactions.map(({ id }) => id));
  });

  test('can be filtered by type and time', async () => {
    expect(String((await exported(token, '?type=payment')).body).split('\r\n').length).toBe(3);
    expect((await exported(token, '?from=2031-01-02T00:00:00Z')).body).toBe(head);
    const before = String((await exported(token, '?to=2031-01-01T00:00:00Z')).body);
    expect(before).toContain('between');
    expect(before.split('\r\n').length).toBe(3);
  });

  test('leaves no query running if the client disconnects in the middle', async () => {
    const leaving = new AbortController();
    const response = await fetch(`${api.url}/api/transactions/export`, {
      headers: { authorization: `Bearer ${token}` },
      signal: leaving.signal,
    });
    await response.body?.getReader().read();
    leaving.abort();
    expect((await exported(token)).status).toBe(200);
    const [row] = await harness.database.sql`
      SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND state LIKE 'idle in transaction%'`;
    expect(row?.count).toBe('0');
  });
});

test.each([
  ['from', 'yesterday'],
  ['to', '2030-13-01T00:00:00Z'],
  ['type', 'gift'],
])('the CSV export returns 400 that names %s for "%s", as JSON', async (param, value) => {
  const { status, error } = await exported((await newCustomer()).token, `?${param}=${value}`);
  expect(status).toBe(400);
  expect(error).toMatchObject({ code: 'invalid_parameter', param });
});
