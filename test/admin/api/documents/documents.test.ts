/** /api/documents: what a company can make, see and download, and that no other account can. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { documentListSchema, documentSchema } from '../../../../admin/api/documents/document-schemas.ts';
import { attachDocument } from '../../../../admin/documents/files/attach-document.ts';
import { renderDocument } from '../../../../admin/documents/render/render-document.ts';
import { MailSender } from '../../../../admin/mail/queue/mail-sender.ts';
import type { OutgoingMail } from '../../../../admin/mail/transport/mailer.ts';
import { type Bank, ratesText, startBank, textOf } from '../../catalogue/exchange-rate/bank.ts';
import { company, use } from '../../documents/books.ts';
import { pay } from '../../lots/booked-money.ts';
import { mailsTo } from '../mailbox.ts';
import { type PaymentBench, startPayments } from '../payments/start-payments.ts';

type Document = typeof documentSchema.static;
type DocumentList = typeof documentListSchema.static;

let bank: Bank;
let bench: PaymentBench;
beforeAll(async () => {
  bank = startBank();
  bench = await startPayments({ CBR_URL: bank.url });
});
afterAll(async () => {
  await bench.stop();
  await bank.stop();
});

const at = (text: string) => new Date(`${text}T12:00:00Z`);
async function newCompany(change: object = {}) {
  const customer = await bench.newCustomer();
  const body = { ...validCompany, ...change };
  const { status, error } = await bench.api.call('PUT', '/api/profile/details', { token: customer.token, body });
  expect({ status, error }).toEqual({ status: 200, error: undefined });
  return customer;
}
/** With account numbers that fit the BIK. */
const validCompany = { ...company, bik: '044525999' };

/** A company that has used 300.00 roubles of 1000.00 in September 2026. */
async function withUsage() {
  const customer = await newCompany();
  const { accountId } = customer;
  const { database } = bench.harness;
  await pay(database, { accountId, kopecks: 100_000n, nano: 10_000_000_000n, paidAt: at('2026-09-01') });
  await use(database, [{ accountId, nano: 3_000_000_000n, at: at('2026-09-10') }]);
  return customer;
}
const make = (token: string, body: object, key?: string) =>
  bench.api.call<Document>('POST', '/api/documents', {
    token,
    body,
    ...(key && { headers: { 'idempotency-key': key } }),
  });
const list = async (token: string, query = '') =>
  (await bench.api.call<DocumentList>('GET', `/api/documents${query}`, { token })).body;

describe('an act', () => {
  test('is made for a past month, once, with a tax invoice beside it', async () => {
    const { token } = await withUsage();
    const { status, body: act } = await make(token, { type: 'act', month: '2026-09' });
    expect(status).toBe(201);
    expect(act).toMatchObject({ type: 'act', date: '2026-09-30', amount: '300.00', currency: 'RUB', status: 'issued' });
    expect((await make(token, { type: 'act', month: '2026-09' })).body.id).toBe(act.id);
    const { documents, total } = await list(token);
    expect([total, documents.map(({ type }) => type).sort()]).toEqual([2, ['act', 'tax_invoice']]);
    expect((await list(token, '?type=act&from=2026-09-30&to=2026-09-30')).total).toBe(1);
    expect((await list(token, '?to=2026-09-29')).total).toBe(0);
    expect((await list(token, '?limit=1&offset=1')).documents.length).toBe(1);
  });

  test.each([
    [{ type: 'act' }, 400, 'missing_parameter'],
    [{ type: 'act', month: '2026-13' }, 400, 'invalid_parameter'],
    [{ type: 'act', month: '2999-01' }, 400, 'invalid_parameter'],
    [{ type: 'act', month: '2026-09', from: '2026-09-01' }, 400, 'invalid_parameter'],
    [{ type: 'invoice', month: '2026-09' }, 400, 'invalid_parameter'],
    [{ type: 'act', month: '2026-08' }, 422, 'nothing_to_document'],
    [{ type: 'reconciliation', from: '2026-09-02', to: '2026-09-01' }, 400, 'invalid_parameter'],
    [{ type: 'reconciliation', from: '2026-09-01', to: '2999-09-01' }, 400, 'invalid_parameter'],
    [{ type: 'reconciliation', from: '2026-02-30', to: '2026-09-01' }, 400, 'invalid_parameter'],
    [{ type: 'reconciliation', from: '2026-09-02' }, 400, 'missing_parameter'],
  ])('cannot be made for %j', async (body, status, code) => {
    const { token } = await newCompany();
    const response = await make(token, body);
    expect([response.status, response.error?.code]).toEqual([status, code]);
  });

  test('is refused for individuals, and while company details are missing', async () => {
    const { token } = await bench.newCustomer();
    const { status, error } = await make(token, { type: 'reconciliation', month: '2026-09' });
    expect([status, error?.code]).toEqual([422, 'company_details_missing']);
    expect(error?.message).toContain('Individuals');
    const incomplete = await newCompany({ kpp: null, bankName: null });
    const response = await make(incomplete.token, { type: 'reconciliation', month: '2026-09' });
    expect(response.error).toMatchObject({ errors: [{ param: 'kpp' }, { param: 'bankName' }] });
  });
});

describe('a reconciliation', () => {
  test('lists payments and services between the opening and the closing balance', async () => {
    const { token } = await withUsage();
    const whole = { type: 'reconciliation', from: '2026-09-01', to: '2026-09-30' };
    const { body } = await make(token, whole);
    expect(body).toMatchObject({ amount: '700.00', periodFrom: '2026-09-01', periodTo: '2026-09-30' });
    const later = await make(token, { type: 'reconciliation', from: '2026-09-02', to: '2026-10-31' });
    const [row] = await bench.harness.database.sql`SELECT data FROM documents WHERE id = ${later.body.id}`;
    expect(row?.data).toMatchObject({
      opening: '1000.00',
      closing: '700.00',
      lines: [{ date: '2026-09-30', kind: 'provided', amount: '300.00' }],
    });
    expect((await list(token, '?type=act')).total).toBe(1);
  });

  test('is made once for each Idempotency-Key', async () => {
    const { token } = await newCompany();
    const body = { type: 'reconciliation', month: '2026-09' };
    const [one, again] = [await make(token, body, 'one'), await make(token, body, 'one')];
    expect([again.status, again.body.id]).toEqual([201, one.body.id]);
    expect((await make(token, { ...body, month: '2026-08' }, 'one')).error?.code).toBe('idempotency_key_reused');
    expect((await list(token)).total).toBe(1);
  });
});

test('a document is a PDF with a name, for its own account only', async () => {
  const [owner, other] = [await withUsage(), await newCompany()];
  const { body: act } = await make(owner.token, { type: 'act', month: '2026-09' });
  const path = `/api/documents/${act.id}/pdf`;
  const file = await bench.api.call<string>('GET', path, { token: owner.token });
  expect([file.status, file.headers.get('content-type')]).toEqual([200, 'application/pdf']);
  expect(file.body).toStartWith('%PDF-');
  expect(file.headers.get('cache-control')).toBe('no-store');
  const disposition = file.headers.get('content-disposition') ?? '';
  expect(disposition).toContain(`filename="act-2026-${act.number}.pdf"`);
  expect(decodeURIComponent(disposition)).toContain(`№ ${act.number} от 30.09.2026.pdf`);
  expect((await bench.api.call('GET', path, { token: other.token })).status).toBe(404);
  expect((await list(other.token)).total).toBe(0);

  const { operator } = bench;
  const operatorPath = `/api/operator/documents/${act.id}/pdf`;
  expect((await bench.api.call('GET', operatorPath, { token: operator.token })).status).toBe(200);
  expect((await bench.api.call('GET', operatorPath, { token: owner.token })).status).toBe(403);
  const listed = `/api/operator/accounts/${owner.accountId}/documents`;
  expect((await bench.api.call<DocumentList>('GET', listed, { token: operator.token })).body.total).toBe(2);
});

describe('an order by bank transfer', () => {
  const input = { method: 'invoice', amount: '8123.45', currency: 'RUB' };

  test('has its invoice, which an unpaid order keeps', async () => {
    const { token } = await newCompany();
    const { body: payment } = await bench.createPayment(token, input);
    expect(await list(token)).toMatchObject({
      documents: [{ id: payment.documentId ?? '', type: 'invoice', amount: '8123.45', paymentId: payment.id }],
    });
    expect((await bench.get(token, payment.id)).documentId).toBe(payment.documentId);
    const [row] = await bench.harness.database.sql`SELECT number, data FROM documents WHERE id = ${payment.documentId}`;
    expect(row?.data.purpose).toContain(`№ ${row?.number} `);
    expect(row?.data.vat).toEqual({ rate: '22', amount: '1464.88' });
  });

  test('confirmed for a past day gets the dollars of that day, and its documents the roubles', async () => {
    const { token, accountId } = await newCompany();
    const { body: payment } = await bench.createPayment(token, input);
    bank.respond = textOf(ratesText({ date: '03.10.2026', value: '100,0000' }));
    const confirmation = { paidAt: '2026-10-05', reference: crypto.randomUUID(), reason: 'Statement' };
    const { body: booked } = await bench.decide(payment.id, 'confirm', confirmation);
    expect(booked).toMatchObject({ rate: '100', rateDate: '2026-10-03', creditUsd: '81.2345' });
    expect(bank.requestedDates).toContain('05/10/2026');
    await use(bench.harness.database, [{ accountId, nano: 10_000_000_000n, at: at('2026-10-10') }]);
    const { body: act } = await make(token, { type: 'act', month: '2026-10' });
    expect(act.amount).toBe('1000.00');
    const { body: statement } = await make(token, { type: 'reconciliation', from: '2026-10-05', to: '2026-10-05' });
    expect(statement.amount).toBe('8123.45');
  });
});

test('a correction has a new number and the current details, and the earlier document stays', async () => {
  const { token } = await withUsage();
  const { body: act } = await make(token, { type: 'act', month: '2026-09' });
  await bench.api.call('PUT', '/api/profile/details', { token, body: { companyName: 'ООО «Новое имя»' } });
  const correct = (id: string) =>
    bench.api.call<Document>('POST', `/api/operator/documents/${id}/correct`, {
      token: bench.operator.token,
      body: { reason: 'Renamed' },
      headers: { 'idempotency-key': crypto.randomUUID() },
    });
  const { status, body: corrected } = await correct(act.id);
  expect(status).toBe(201);
  expect(corrected).toMatchObject({ number: act.number + 1, date: act.date, amount: act.amount, correctsId: act.id });
  expect((await correct(act.id)).error?.code).toBe('document_corrected');
  const { documents } = await list(token, '?type=act');
  expect(documents.map(({ status }) => status)).toEqual(['issued', 'corrected']);
  expect((await make(token, { type: 'act', month: '2026-09' })).body.id).toBe(corrected.id);
  const rows = await bench.harness.database.sql`
    SELECT data->'buyer'->>'name' AS name FROM documents WHERE id IN (${act.id}, ${corrected.id}) ORDER BY number`;
  expect(rows.map(({ name }) => name)).toEqual([company.companyName, 'ООО «Новое имя»']);
});

test('a corrected tax invoice keeps its number and date, and its corrections are counted', async () => {
  const { token } = await withUsage();
  await make(token, { type: 'act', month: '2026-09' });
  const [original] = (await list(token, '?type=tax_invoice')).documents;
  const correct = (id = '') =>
    bench.api.call<Document>('POST', `/api/operator/documents/${id}/correct`, {
      token: bench.operator.token,
      body: { reason: 'Renamed' },
      headers: { 'idempotency-key': crypto.randomUUID() },
    });
  const kept = { number: original?.number, date: original?.date, amount: original?.amount };
  const { body: first } = await correct(original?.id);
  expect(first).toMatchObject({ ...kept, correctsId: original?.id, correctionNumber: 1 });
  const { body: second } = await correct(first.id);
  expect(second).toMatchObject({ ...kept, correctsId: first.id, correctionNumber: 2 });
  expect(second.correctionDate).toMatch(/^\d{4}-\d\d-\d\d$/);
  expect(original).toMatchObject({ correctionNumber: null, correctionDate: null });
  const { sql } = bench.harness.database;
  const [row] = await sql`SELECT data->'correction' AS correction FROM documents WHERE id = ${second.id}`;
  expect(row?.correction).toEqual({ number: 2, date: second.correctionDate });
  // The next document takes the next number, and none is taken twice.
  const other = await withUsage();
  await make(other.token, { type: 'act', month: '2026-09' });
  const [next] = (await list(other.token, '?type=tax_invoice')).documents;
  expect(next?.number).toBe((original?.number ?? 0) + 1);
  const again = sql`
    INSERT INTO documents (id, account_id, type, year, number, date, period_from, period_to, amount_kopecks, data,
      corrects_id, correction_number, correction_date)
    SELECT ${Bun.randomUUIDv7()}, account_id, type, year, number + 1, date, period_from, period_to, amount_kopecks, data,
      id, 3, now() FROM documents WHERE id = ${second.id}`;
  expect((await again.catch((error: Error) => error)) instanceof Error).toBe(true);
});

test('a new document is mailed with its PDF unless the customer has switched that off', async () => {
  const [wanting, silent] = [await withUsage(), await withUsage()];
  const off = { token: silent.token, body: { documentEmailsEnabled: false } };
  await bench.api.call('PUT', '/api/settings/notifications', off);
  for (const { token } of [wanting, silent]) await make(token, { type: 'act', month: '2026-09' });
  expect((await mailsTo(bench.harness, wanting.email)).map(({ kind }) => kind)).toEqual([
    'document_ready',
    'document_ready',
  ]);
  expect(await mailsTo(bench.harness, silent.email)).toEqual([]);

  const sent: OutgoingMail[] = [];
  const { services, config } = bench.api;
  const sender = new MailSender({
    sql: bench.harness.database.sql,
    attachmentsOf: (content) =>
      attachDocument({ db: bench.harness.database.db, seller: services.seller, draw: renderDocument }, content),
    config,
    log: services.log,
    mailer: { send: async (mail) => `sent ${sent.push(mail)}` },
    now: () => new Date(),
    stopping: new AbortController().signal,
  });
  await sender.sendDue();
  const own = sent.filter(({ to }) => to === wanting.email);
  const names = own.flatMap(({ attachments = [] }) => attachments.map(({ name }) => name)).sort();
  expect(names).toEqual([expect.stringContaining('Акт'), expect.stringContaining('Счет-фактура')]);
  for (const { attachments = [] } of own) {
    expect(new TextDecoder().decode(attachments[0]?.bytes.slice(0, 5))).toBe('%PDF-');
  }
});
