/**
 * Bank statements through the API and the command line: certain matches are booked once, the rest is an operator's
 * choice.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type {
  bookedSchema,
  openLinesSchema,
  statementSchema,
} from '../../../../admin/api/payments/bank-statements/bank-statement-schemas.ts';
import { violationsAtRest } from '../../../harness/books.ts';
import { gatewayOf } from '../../cli/run-gateway.ts';
import { encode, statementOf, type Transfer } from '../../payments/bank/statement-text.ts';
import { type PaymentBench, rub, startPayments } from './start-payments.ts';

let bench: PaymentBench;
beforeAll(async () => {
  bench = await startPayments();
});
afterAll(() => bench.stop());

const path = '/api/operator/bank-statements';
type Statement = typeof statementSchema.static;
type Booked = typeof bookedSchema.static;
const asOperator = (body: object) => ({ token: bench.operator.token, body });
const upload = (transfers: readonly Transfer[]) =>
  bench.api.call<Statement>('POST', path, asOperator({ file: fileOf(statementOf(transfers)) }));
const fileOf = (text: string) => encode(text, 'windows-1251').toBase64();
const book = (lines: readonly object[]) => bench.api.call<Booked>('POST', `${path}/lines/book`, asOperator({ lines }));
const balanceOf = async (token: string) =>
  (await bench.api.call<{ balanceUsd: string }>('GET', '/api/balance', { token })).body.balanceUsd;

let transfers = 0;
/** A company with an order of 1,000 roubles, and the transfer that pays it. Each has an INN of its own. */
async function invoice(inn = String(7_700_000_000 + transfers)) {
  const customer = await bench.newCompany(inn);
  const { body } = await bench.createPayment(customer.token, { ...rub('1000'), method: 'invoice' });
  transfers += 1;
  const number = await invoiceNumberOf(body.id);
  const transfer = { number: `${transfers}`, payerInn: inn, purpose: `Оплата по счёту № ${number}` };
  return { ...customer, paymentId: body.id, transfer };
}

async function invoiceNumberOf(paymentId: string): Promise<string> {
  const { sql } = bench.harness.database;
  const [invoice] = await sql`SELECT number FROM documents WHERE payment_id = ${paymentId} AND type = 'invoice'`;
  return String(invoice?.number);
}

describe('a transfer', () => {
  test('a transfer that is certain is booked once by one request, at the rate of its day', async () => {
    const { accountId, token, paymentId, transfer } = await invoice();
    const { status, body } = await upload([transfer]);
    expect([status, body.lines[0]?.state, body.lines[0]?.paymentId]).toEqual([200, 'certain', null]);
    expect(await balanceOf(token)).toBe('0');
    const id = body.lines[0]?.id ?? 0;
    const booked = await Promise.all([book([{ id }]), book([{ id }]), book([{ id }])]);
    for (const { body: response } of booked) expect(response.lines[0]).toMatchObject({ state: 'booked', paymentId });
    expect(await balanceOf(token)).toBe('11.111111111');
    expect(await bench.get(token, paymentId)).toMatchObject({
      status: 'succeeded',
      paidAt: '2026-01-15T00:00:00.000Z',
    });
    expect(await violationsAtRest(bench.harness, [accountId])).toEqual([]);
    // The same statement again, and another one with the same transfer.
    const again = await upload([transfer, { ...transfer, number: '999' }]);
    expect(again.body.lines.map(({ state }) => state)).toEqual(['booked', 'unmatched']);
  });

  test('a transfer that is only proposed is refused without a choice, and booked with one', async () => {
    const { token, paymentId, transfer } = await invoice();
    const { body } = await upload([{ ...transfer, purpose: 'Аванс' }]);
    const [line] = body.lines;
    expect(line).toMatchObject({
      state: 'proposed',
      reason: 'The amount and the INN agree, the invoice number does not.',
      candidates: [{ paymentId, agrees: { amount: true, number: false, inn: true } }],
    });
    const refused = await book([{ id: line?.id }]);
    expect(refused.body.lines[0]).toMatchObject({ state: 'proposed', error: { code: 'payment_state' } });
    expect(await balanceOf(token)).toBe('0');
    const booked = await book([{ id: line?.id, paymentId }]);
    expect(booked.body.lines[0]).toMatchObject({ state: 'booked', error: null });
    expect(await balanceOf(token)).toBe('11.111111111');
  });

  test('a transfer for a canceled order is proposed with its reason, and booked only if it is chosen', async () => {
    const { token, paymentId, transfer } = await invoice();
    await bench.decide(paymentId, 'cancel', { reason: 'Ordered twice' });
    const { body } = await upload([transfer]);
    const [line] = body.lines;
    expect(line).toMatchObject({
      state: 'proposed',
      reason: 'Amount, invoice number and INN agree. The order was canceled.',
      candidates: [{ paymentId, isCanceled: true }],
    });
    expect((await book([{ id: line?.id }])).body.lines[0]?.error).toMatchObject({ code: 'payment_state' });
    expect(await balanceOf(token)).toBe('0');
    const booked = await book([{ id: line?.id, paymentId }]);
    expect(booked.body.lines[0]).toMatchObject({ state: 'booked', error: null });
    expect(await balanceOf(token)).toBe('11.111111111');
  });

  test("a transfer of another amount than the order's is never booked for it", async () => {
    const { token, paymentId, transfer } = await invoice();
    const { body } = await upload([{ ...transfer, amount: '999.99' }]);
    const { body: response } = await book([{ id: body.lines[0]?.id, paymentId }]);
    expect(response.lines[0]).toMatchObject({ state: 'proposed', error: { code: 'invalid_parameter' } });
    expect(await balanceOf(token)).toBe('0');
  });

  test('a transfer that an operator has confirmed by hand is recognised', async () => {
    const { paymentId, transfer } = await invoice();
    await bench.decide(paymentId, 'confirm', { paidAt: '2026-01-15', reference: transfer.number, reason: 'By hand' });
    const { body } = await upload([transfer]);
    expect(body.lines[0]).toMatchObject({ state: 'booked', paymentId });
  });

  test('a confirmation by hand is not matched with a transfer of another payer until an operator chooses it', async () => {
    const { token, paymentId, transfer } = await invoice();
    await bench.decide(paymentId, 'confirm', { paidAt: '2026-01-15', reference: transfer.number, reason: 'By hand' });
    const balance = await balanceOf(token);
    const { body } = await upload([{ ...transfer, payerInn: '7743013902' }]);
    const [line] = body.lines;
    expect(line).toMatchObject({ state: 'proposed', paymentId: null, reason: expect.stringContaining(paymentId) });
    expect((await book([{ id: line?.id }])).body.lines[0]?.error).toMatchObject({ code: 'payment_state' });
    const { body: chosen } = await book([{ id: line?.id, paymentId }]);
    expect(chosen.lines[0]).toMatchObject({ state: 'booked', paymentId, error: null });
    expect(await balanceOf(token)).toBe(balance);
    const audited = await bench.harness.database.sql`
      SELECT after FROM audit_entries WHERE action = 'payment.match_line' AND subject = ${`payment ${paymentId}`}`;
    expect(audited.map(({ after }) => after)).toMatchObject([{ line: line?.id, payerInn: '7743013902' }]);
  });

  test('a transfer that a statement shows as another company’s is booked by its line, not confirmed by hand', async () => {
    const { token, paymentId, transfer } = await invoice();
    const { body } = await upload([{ ...transfer, payerInn: '7743013902' }]);
    const { date: paidAt, number: reference, id } = body.lines[0] ?? { date: '', number: '', id: 0 };
    const confirmed = await bench.decide(paymentId, 'confirm', { paidAt, reference, reason: 'By hand' });
    expect([confirmed.status, confirmed.error?.code]).toEqual([409, 'payment_state']);
    expect(confirmed.error?.message).toContain(`Line ${id}`);
    expect(await balanceOf(token)).toBe('0');
    const { body: chosen } = await book([{ id, paymentId }]);
    expect(chosen.lines[0]).toMatchObject({ state: 'booked', paymentId, error: null });
  });

  test('that is booked is not confirmed once more by hand, for another order', async () => {
    const [one, other] = [await invoice(), await invoice()];
    const { body } = await upload([one.transfer]);
    await book(body.lines.map(({ id, candidates }) => ({ id, paymentId: candidates[0]?.paymentId })));
    const { date: paidAt, number: reference } = body.lines[0] ?? { date: '', number: '' };
    const confirmed = await bench.decide(other.paymentId, 'confirm', { paidAt, reference, reason: 'By hand' });
    expect([confirmed.status, confirmed.error?.code]).toEqual([409, 'payment_reference_used']);
  });

  test('has a number that another payer may use on the same day', async () => {
    const [one, other] = [await invoice(), await invoice()];
    const { body } = await upload([
      { ...one.transfer, number: '5' },
      { ...other.transfer, number: '5', payerAccount: '40702810900000000077' },
    ]);
    const { body: response } = await book(body.lines.map(({ id }) => ({ id })));
    expect(response.lines.map(({ error }) => error)).toEqual([null, null]);
  });
});

test('lines that have confirmed no payment are listed', async () => {
  const { transfer } = await invoice();
  await upload([transfer]);
  const { body } = await bench.api.call<typeof openLinesSchema.static>('GET', `${path}/lines?limit=1`, {
    token: bench.operator.token,
  });
  expect(body.lines).toMatchObject([{ number: transfer.number, state: 'certain' }]);
  expect(body.total).toBeGreaterThan(0);
});

test('a statement with mistakes is refused as a whole, and the mistakes are named by line', async () => {
  const { transfer } = await invoice();
  const { status, error } = await upload([transfer, { amount: '0' }, { payerInn: '12' }]);
  expect([status, error?.code, error?.errors?.map(({ message }) => message)]).toEqual([
    400,
    'invalid_bank_statement',
    ['line 29: expected an amount above 0 like 1000.00', 'line 47: expected an INN of 10 or 12 digits'],
  ]);
  for (const file of ['?', fileOf('not a statement')]) {
    expect((await bench.api.call('POST', path, asOperator({ file }))).status).toBe(400);
  }
});

test('booking a line that does not exist returns 404', async () => {
  expect((await book([{ id: 999_999_999 }])).status).toBe(404);
});

describe('an INN alone does not identify the payer', () => {
  const candidatesOf = (line: Statement['lines'][number] | undefined) =>
    line?.candidates.map(({ accountId }) => accountId);

  test('a transfer is only proposed while a second account has ordered with its INN and amount', async () => {
    const victim = await invoice();
    const attacker = await invoice(victim.transfer.payerInn);
    // The customer names a contract whose number is that of the attacker's invoice, and not their own invoice.
    const { body } = await upload([{ ...victim.transfer, purpose: attacker.transfer.purpose }]);
    const [line] = body.lines;
    expect(line).toMatchObject({ state: 'proposed', otherAccountIds: [victim.accountId] });
    expect(candidatesOf(line)).toEqual([attacker.accountId, victim.accountId]);
    expect((await book([{ id: line?.id }])).body.lines[0]?.error).toMatchObject({ code: 'payment_state' });
    expect([await balanceOf(victim.token), await balanceOf(attacker.token)]).toEqual(['0', '0']);
    const booked = await book([{ id: line?.id, paymentId: victim.paymentId }]);
    expect(booked.body.lines[0]).toMatchObject({ state: 'booked', error: null });
    expect([await balanceOf(victim.token), await balanceOf(attacker.token)]).toEqual(['11.111111111', '0']);
  });

  test('a transfer is only proposed even if the account with the same INN has ordered nothing', async () => {
    const attacker = await invoice();
    const victim = await bench.newCompany(attacker.transfer.payerInn);
    const { body } = await upload([attacker.transfer]);
    expect(body.lines[0]).toMatchObject({ state: 'proposed', otherAccountIds: [victim.accountId] });
  });

  test('an unverified account with the INN does not prevent the booking of another’s transfer', async () => {
    const { transfer } = await invoice();
    const squatter = await bench.newCompany(transfer.payerInn);
    const { sql } = bench.harness.database;
    await sql`UPDATE accounts SET ownership = 'unproven' WHERE id = ${squatter.accountId}`;
    const { body } = await upload([transfer]);
    expect(body.lines[0]).toMatchObject({ state: 'certain', otherAccountIds: [] });
  });

  test('a transfer for an account that has not verified its address is only proposed', async () => {
    const { accountId, transfer } = await invoice();
    const { sql } = bench.harness.database;
    await sql`UPDATE accounts SET ownership = 'unproven' WHERE id = ${accountId}`;
    const { body } = await upload([transfer]);
    expect(body.lines[0]).toMatchObject({ state: 'proposed', candidates: [{ accountId }] });
  });

  test('an invoice counts as issued, not with an INN that was entered later', async () => {
    const attacker = await invoice();
    const { sql } = bench.harness.database;
    const inn = '7799999999';
    await sql`UPDATE company_details SET inn = ${inn} WHERE account_id = ${attacker.accountId}`;
    const { body } = await upload([{ ...attacker.transfer, payerInn: inn }]);
    expect(body.lines[0]).toMatchObject({ state: 'proposed', candidates: [{ agrees: { inn: false, number: true } }] });
  });
});

test('more than ten thousand newer expired orders of other accounts displace no order', async () => {
  const { transfer } = await invoice();
  const stranger = await bench.newCompany('7712345678');
  await createOften([stranger.accountId], 10_001);
  const { body } = await upload([transfer, { ...transfer, number: '77', purpose: 'Аванс' }]);
  expect(body.lines.map(({ state, candidates }) => [state, candidates.length])).toEqual([
    ['certain', 1],
    ['proposed', 1],
  ]);
  const flooded = await upload([{ ...transfer, number: '78', payerInn: '7712345678' }]);
  expect(flooded.body.lines[0]).toMatchObject({ state: 'proposed', candidates: { length: 5 } });
});

test('a hundred orders from each of a hundred accounts with the same INN displace no order', async () => {
  const { accountId, paymentId, transfer } = await invoice();
  const { sql } = bench.harness.database;
  await sql`UPDATE payments SET status = 'expired' WHERE id = ${paymentId}`;
  const strangers = await sql<{ id: string }[]>`
    WITH opened AS (INSERT INTO accounts (ownership) SELECT 'proven' FROM generate_series(1, 101) RETURNING id)
    INSERT INTO company_details SELECT (jsonb_populate_record(own, jsonb_build_object('account_id', opened.id))).*
    FROM opened, company_details AS own WHERE own.account_id = ${accountId} RETURNING account_id AS id`;
  await createOften([accountId, ...strangers.map(({ id }) => Number(id))], 101);
  const { body } = await upload([{ ...transfer, number: '79', purpose: 'Аванс' }]);
  expect(body.lines[0]).toMatchObject({ state: 'proposed', candidates: { 0: { paymentId } } });
});

/** Expired orders of ten roubles, younger than all others by their ids, which begin with the time. */
async function createOften(accountIds: readonly number[], count: number): Promise<void> {
  const { sql } = bench.harness.database;
  await sql`
    INSERT INTO payments (id, account_id, method, status, currency, amount_minor, credit_nano, rub_per_usd, margin_ppm,
      rub_kopecks, return_url, email, expires_at)
    SELECT overlay(gen_random_uuid()::text PLACING 'ffff' FROM 1 FOR 4)::uuid, account_id, 'invoice', 'expired', 'RUB',
      1000, 1, 900000, 0, 1000, '', '', now()
    FROM unnest(${sql.array([...accountIds])}::bigint[]) AS account_id, generate_series(1, ${count}::int)`;
}

describe('gateway bank import', () => {
  test('shows what a statement pays, and with --book books what is certain', async () => {
    const [certain, proposed] = [await invoice(), await invoice()];
    const file = join(bench.harness.directory, 'statement.txt');
    await writeFile(
      file,
      encode(statementOf([certain.transfer, { ...proposed.transfer, purpose: '-' }]), 'windows-1251'),
    );
    const gateway = gatewayOf(bench.harness);
    const environment = { CBR_URL: 'off', USD_RUB_RATE: '100', SELLER_FILE: bench.sellerFile };
    const shown = await gateway(['bank', 'import', file], { environment });
    expect([shown.exitCode, shown.out]).toEqual([0, expect.stringContaining('Add --book')]);
    expect((await bench.get(certain.token, certain.paymentId)).status).toBe('pending');
    const { exitCode, json } = await gateway<{ booked: number; lines: { state: string }[] }>(
      ['bank', 'import', file, '--book', '--json'],
      { environment },
    );
    expect([exitCode, json.booked, json.lines.map(({ state }) => state)]).toEqual([0, 1, ['booked', 'proposed']]);
    expect(await bench.get(certain.token, certain.paymentId)).toMatchObject({ status: 'succeeded', creditUsd: '10' });
    const broken = await gateway(['bank', 'import', join(bench.harness.directory, 'nowhere.txt')], { environment });
    expect(broken.exitCode).toBe(1);
  });
});
