/** Receipts that offset advances: what private customers used of their payments, each month once, whatever happens. */
import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test';
import { companyDetails } from '../../../admin/database/tables/company-details.ts';
import { readDocumentData } from '../../../admin/documents/document.ts';
import type { ReconciliationData, ServiceData } from '../../../admin/documents/document-data.ts';
import { prepareIssuing } from '../../../admin/documents/document-services.ts';
import { issueDueServices } from '../../../admin/documents/issue-due.ts';
import { issueReconciliation } from '../../../admin/documents/services/reconciliation.ts';
import { closeMonth, countAllLots } from '../../../admin/lots/count-lots.ts';
import type { PaymentMethod } from '../../../admin/payments/methods/payment-method.ts';
import { sendOffsetReceipts } from '../../../admin/payments/offset-receipts/send-receipts.ts';
import { writeOffsetReceipts } from '../../../admin/payments/offset-receipts/write-receipts.ts';
import type { PaymentServices } from '../../../admin/payments/payment-services.ts';
import { inCampaign } from '../../harness/campaigns.ts';
import { mortal } from '../../harness/mortal.ts';
import type { Fault, HeldPayment } from '../../harness/payments/scripted-provider.ts';
import { SeededRandom } from '../../harness/seeded-random.ts';
import { type PaymentBench, startPayments } from '../api/payments/start-payments.ts';
import { gatewayOf } from '../cli/run-gateway.ts';
import { billingTimeZone, company, documentServices, use } from '../documents/books.ts';
import { pay } from '../lots/booked-money.ts';

let bench: PaymentBench;
beforeAll(async () => {
  bench = await startPayments({ YOOKASSA_OFFSET_RECEIPTS: 'true' });
});
afterEach(() => {
  bench.yookassa.fault = () => 'none';
  bench.yookassa.receiptState = () => 'succeeded';
  bench.yookassa.now = () => new Date();
});
afterAll(() => bench.stop());

const hourMs = 3_600_000;
const at = (day: string) => new Date(`${day}T12:00:00Z`);
const servicesAt = (now: Date): PaymentServices => ({ ...bench.payments, now: () => now });
/** Counts lots, as a worker does often, writes what is due, and sends everything that can be sent at this time. */
async function work(now: Date): Promise<void> {
  bench.yookassa.now = () => now;
  await countAllLots(bench.harness.database.db, { billingTimeZone });
  await writeOffsetReceipts(servicesAt(now));
  while ((await sendOffsetReceipts(servicesAt(now))) > 0);
}

interface Paid {
  readonly accountId: number;
  readonly email: string;
  readonly paymentId: string;
  readonly held: HeldPayment;
}

async function payByCard(
  { accountId, email }: { accountId: number; email: string },
  kopecks = 1_000_00n,
): Promise<Paid> {
  const held = bench.yookassa.open({ paymentId: crypto.randomUUID(), amountMinor: kopecks, currency: 'RUB' });
  bench.yookassa.pay(held);
  const yookassa = { reference: held.reference, email };
  // A dollar for 100 roubles.
  const paymentId = await pay(bench.harness.database, { accountId, kopecks, nano: kopecks * 100_000n, yookassa });
  return { accountId, email, paymentId, held };
}

const newPayment = async () => payByCard(await bench.newCustomer());
const spend = ({ accountId }: Paid, kopecks: bigint, day: string) =>
  use(bench.harness.database, [{ accountId, nano: kopecks * 100_000n, at: at(day) }]);

const receiptsOf = ({ held }: Paid) =>
  [...bench.yookassa.receipts.values()]
    .filter(({ payment }) => payment === held)
    .map(({ amountMinor, description }) => ({ amountMinor, month: description.split(' за ')[1] }));

/** Calls the method, but an admin may be killed around each call that concerns a receipt. */
function mortalReceipts(method: PaymentMethod, isKilled: () => boolean): PaymentMethod {
  const { offsetReceipts } = method;
  if (offsetReceipts === undefined) return method;
  const receipts = mortal(offsetReceipts, ['create', 'find'], isKilled);
  return new Proxy(method, {
    get: (target, name) => (name === 'offsetReceipts' ? receipts : Reflect.get(target, name, target)),
  });
}

test('each month has one receipt for each payment that its usage was paid with', async () => {
  const first = await newPayment();
  const second = await payByCard(first);
  await spend(first, 600_00n, '2026-09-10');
  await spend(first, 900_00n, '2026-10-10');
  await work(at('2026-11-01'));
  expect(receiptsOf(first)).toEqual([{ amountMinor: 600_00n, month: 'сентябрь 2026 г.' }]);

  await work(at('2026-11-02'));
  await work(at('2026-11-03'));
  expect(receiptsOf(first)).toEqual([
    { amountMinor: 600_00n, month: 'сентябрь 2026 г.' },
    { amountMinor: 400_00n, month: 'октябрь 2026 г.' },
  ]);
  expect(receiptsOf(second)).toEqual([{ amountMinor: 500_00n, month: 'октябрь 2026 г.' }]);
  const call = bench.yookassa.calls.find(
    ({ path, body }) => path === '/receipts' && body.includes(second.held.reference),
  );
  expect(JSON.parse(call?.body ?? '')).toEqual({
    type: 'payment',
    payment_id: second.held.reference,
    send: true,
    customer: { email: first.email },
    items: [
      {
        description: 'Услуги доступа к языковым моделям через API за октябрь 2026 г.',
        quantity: '1.00',
        amount: { value: '500.00', currency: 'RUB' },
        vat_code: 11,
        payment_subject: 'service',
        payment_mode: 'full_payment',
      },
    ],
    settlements: [{ type: 'prepayment', amount: { value: '500.00', currency: 'RUB' } }],
  });
});

test('usage that is booked after the receipt of its month is in the next receipt', async () => {
  const payment = await newPayment();
  await spend(payment, 100_00n, '2026-09-10');
  await work(at('2026-10-05'));
  await spend(payment, 50_00n, '2026-09-30');
  await work(at('2026-10-06'));
  expect(receiptsOf(payment)).toHaveLength(1);
  await work(at('2026-11-05'));
  await work(at('2026-12-05'));
  expect(receiptsOf(payment)).toEqual([
    { amountMinor: 100_00n, month: 'сентябрь 2026 г.' },
    { amountMinor: 50_00n, month: 'октябрь 2026 г.' },
  ]);
});

test('companies get no offset receipts, and what an act covers is in no receipt either', async () => {
  const payment = await newPayment();
  const { db, sql } = bench.harness.database;
  const { accountId } = payment;
  await spend(payment, 100_00n, '2026-09-10');
  await sql`
    INSERT INTO company_details (account_id, account_type, inn) VALUES (${accountId}, 'OOO', ${company.inn})`;
  await work(at('2026-10-05'));
  expect(receiptsOf(payment)).toEqual([]);

  await db.transaction((transaction) =>
    closeMonth(transaction, { accountId, month: '2026-09-01' }, { billingTimeZone }),
  );
  await sql`UPDATE company_details SET account_type = 'INDIVIDUAL' WHERE account_id = ${accountId}`;
  await spend(payment, 30_00n, '2026-10-10');
  await work(at('2026-11-05'));
  expect(receiptsOf(payment)).toEqual([{ amountMinor: 30_00n, month: 'октябрь 2026 г.' }]);
});

test('a receipt whose creation got no response is found a day later instead of created again', async () => {
  const payment = await newPayment();
  await spend(payment, 100_00n, '2026-09-10');
  bench.yookassa.fault = ({ method }) => (method === 'POST' ? 'cut' : 'none');
  await work(at('2026-10-05'));
  expect(receiptsOf(payment)).toHaveLength(1);

  bench.yookassa.fault = () => 'none';
  await work(new Date(at('2026-10-05').getTime() + 24 * hourMs));
  expect(receiptsOf(payment)).toHaveLength(1);
  const [row] = await bench.harness.database.sql`
    SELECT status, provider_reference FROM offset_receipts WHERE payment_id = ${payment.paymentId}`;
  expect(row).toEqual({ status: 'succeeded', provider_reference: expect.stringContaining('rt_') });
});

test('a refused receipt is retried after a day, and one that cannot be registered is listed', async () => {
  const payment = await newPayment();
  const gateway = gatewayOf(bench.harness);
  const list = async () => {
    const { json } = await gateway<{ receipts: object[] }>(['payment', 'receipts', '--email', payment.email, '--json']);
    return json.receipts;
  };
  await spend(payment, 100_00n, '2026-09-10');
  payment.held.state = 'pending';
  await work(at('2026-10-05'));
  expect(await list()).toMatchObject([
    { month: '2026-09', amount: '100.00', status: 'pending', problem: expect.stringContaining('invalid_request') },
  ]);

  payment.held.state = 'paid';
  bench.yookassa.receiptState = () => 'canceled';
  await work(new Date(at('2026-10-05').getTime() + 25 * hourMs));
  await work(at('2026-10-20'));
  expect(await list()).toMatchObject([{ status: 'failed', problem: 'the provider could not register it' }]);
  expect(receiptsOf(payment)).toHaveLength(1);
});

test('a receipt of an account that was deleted in the meantime ends as failed', async () => {
  const payment = await newPayment();
  await spend(payment, 100_00n, '2026-09-10');
  await countAllLots(bench.harness.database.db, { billingTimeZone });
  await writeOffsetReceipts(servicesAt(at('2026-10-05')));
  await bench.harness.database.sql`UPDATE payments SET email = '' WHERE id = ${payment.paymentId}`;
  await work(at('2026-10-06'));
  expect(receiptsOf(payment)).toEqual([]);
  const [row] = await bench.harness.database.sql`
    SELECT status, problem FROM offset_receipts WHERE payment_id = ${payment.paymentId}`;
  expect(row).toMatchObject({ status: 'failed', problem: expect.stringContaining('deleted') });
});

test.each(inCampaign([1], [1, 2, 3], [2, 3]))(
  'receipts are made once and sum to what was used, wherever admin is killed (seed %d) (campaign)',
  async (seed) => {
    const random = new SeededRandom(seed);
    let isCalm = false;
    const isKilled = () => !isCalm && random.chance(0.1);
    bench.yookassa.fault = (): Fault =>
      isCalm ? 'none' : random.pick<Fault>(['none', 'none', 'none', 'cut', 'lost', 429, 500]);
    bench.yookassa.receiptState = () => (random.chance(0.3) ? 'pending' : 'succeeded');
    const first = await payByCard(await bench.newCustomer(), 77_77n);
    const paid = [first, await payByCard(first, 5_000_00n), await newPayment()];
    let nowMs = at('2026-09-02').getTime();
    bench.yookassa.now = () => new Date(nowMs);
    const step = async () => {
      const services = servicesAt(new Date(nowMs));
      const methods = new Map(Array.from(services.methods, ([id, method]) => [id, mortalReceipts(method, isKilled)]));
      const database = { ...services.database, db: mortal(services.database.db, ['transaction'], isKilled) };
      const admin = { ...services, methods, database };
      await Promise.allSettled([writeOffsetReceipts(admin), sendOffsetReceipts(admin)]);
    };
    for (let hours = 0; hours < 24 * 100; hours += 20) {
      nowMs += 20 * hourMs;
      const payment = random.pick(paid);
      const lateDays = random.pick([0, 0, 1, 20]);
      const day = new Date(nowMs - lateDays * 24 * hourMs).toISOString().slice(0, 10);
      if (random.chance(0.5)) await spend(payment, BigInt(random.integer(1, 20_00)), day);
      await countAllLots(bench.harness.database.db, { billingTimeZone });
      await Promise.all([step(), step()]);
    }
    isCalm = true;
    for (const receipt of bench.yookassa.receipts.values())
      if (receipt.state === 'pending') receipt.state = 'succeeded';
    bench.yookassa.receiptState = () => 'succeeded';
    for (let days = 0; days < 40; days += 1) {
      nowMs += 25 * hourMs;
      await step();
    }
    for (const payment of paid) {
      const made = receiptsOf(payment);
      expect(made.length).toBeGreaterThan(0);
      expect(new Set(made.map(({ month }) => month)).size).toBe(made.length);
      const [lot] = await bench.harness.database.sql`
      SELECT used_kopecks::text AS used,
        (SELECT count(*)::int FROM offset_receipts WHERE payment_id = ${payment.paymentId} AND status = 'succeeded') AS written
      FROM lots WHERE payment_id = ${payment.paymentId}`;
      const sum = made.reduce((total, { amountMinor }) => total + amountMinor, 0n);
      expect({ used: String(sum), written: made.length }).toEqual(lot as never);
    }
  },
);

test('usage that receipts document is in no act of the company that the customer becomes later', async () => {
  const paid = await newPayment();
  await spend(paid, 100_00n, '2026-09-10');
  await spend(paid, 50_00n, '2026-10-10');
  await work(at('2026-11-02'));
  // Booked late, for a month that a receipt is about already.
  await spend(paid, 7_00n, '2026-10-20');
  await spend(paid, 30_00n, '2026-11-10');
  const { db, sql } = bench.harness.database;
  await db.insert(companyDetails).values({ accountId: paid.accountId, ...company });
  const issueAt = async (now: Date) => {
    await work(now);
    await issueDueServices({ ...documentServices(bench.harness.database, now), log: bench.payments.log });
    const rows = await sql<{ data: ServiceData }[]>`
      SELECT data FROM documents WHERE account_id = ${paid.accountId} AND type IN ('act', 'upd') ORDER BY date`;
    return rows.map(({ data: { period, amount, payments } }) => ({ from: period.from, amount, payments }));
  };
  expect(await issueAt(at('2026-11-03'))).toEqual([]);
  const november = { from: '2026-11-01', amount: '37.00', payments: [expect.objectContaining({ amount: '37.00' })] };
  expect(await issueAt(at('2026-12-02'))).toEqual([november]);
  await spend(paid, 20_00n, '2026-12-10');
  const december = { from: '2026-12-01', amount: '20.00', payments: [expect.objectContaining({ amount: '20.00' })] };
  expect(await issueAt(at('2027-01-02'))).toEqual([november, december]);
  // Those of September and October are sent in any order.
  const amounts = receiptsOf(paid).map(({ amountMinor }) => Number(amountMinor));
  expect(amounts.toSorted((one, other) => one - other)).toEqual([50_00, 100_00]);
});

test('a company that was a private customer gets a reconciliation that counts its receipts as services', async () => {
  const paid = await newPayment();
  await spend(paid, 100_00n, '2026-09-10');
  await work(at('2026-10-02'));
  const { db } = bench.harness.database;
  await db.insert(companyDetails).values({ accountId: paid.accountId, ...company });
  await spend(paid, 30_00n, '2026-10-10');
  const issuing = prepareIssuing(documentServices(bench.harness.database, at('2026-11-02')));
  const period = { from: '2026-09-01', to: '2026-10-31' };
  const { id } = await db.transaction((transaction) =>
    issueReconciliation(transaction, issuing, { accountId: paid.accountId, period }),
  );
  const { lines } = (await readDocumentData(db, id)) as ReconciliationData;
  expect(lines.filter(({ kind }) => kind === 'provided').map(({ amount }) => amount)).toEqual(['100.00', '30.00']);
});
