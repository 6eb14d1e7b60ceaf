/** What each transaction is about, in parts: the content of the English text, for texts in any language. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { applyCharges } from '../../../../admin/ledger/charges/apply-charges.ts';
import { yookassaNotification } from '../../../harness/payments/yookassa-wire.ts';
import { chargeOf } from '../../ledger/ledger.ts';
import type { TransactionList } from '../response-types.ts';
import { type PaymentBench, rub, startPayments } from './start-payments.ts';

let bench: PaymentBench;
beforeAll(async () => {
  bench = await startPayments();
});
afterAll(() => bench.stop());

const partsOf = async (token: string) =>
  (await bench.api.call<TransactionList>('GET', '/api/transactions', { token })).body.transactions.map(
    ({ parts, description }) => ({ ...parts, description }),
  );

test('a payment, its refund, and a chargeback name the payment and its amount', async () => {
  const { token } = await bench.newCustomer('0');
  const { body: payment } = await bench.createPayment(token, rub('1000'));
  const held = bench.yookassa.of(payment.id);
  bench.yookassa.pay(held);
  await bench.api.call('POST', '/api/webhooks/yookassa', yookassaNotification(held));
  await bench.work();
  await bench.decide(payment.id, 'refund', { amount: '300.00', reason: 'Paid too much' });
  bench.yookassa.giveBack(held, 20_000n, 'by hand');
  await bench.work(new Date(Date.now() + 60_000));
  await bench.work(new Date(Date.now() + 120_000));
  const paid = { paymentId: payment.id, method: 'yookassa', paidCurrency: 'RUB' };
  expect(await partsOf(token)).toMatchObject([
    { ...paid, kind: 'reversal', paidAmount: '200.00' },
    { ...paid, kind: 'refund', paidAmount: '300.00', description: 'Refund of 300.00 RUB' },
    { ...paid, kind: 'top_up', paidAmount: '1000.00', description: 'Top-up 1000.00 RUB (YooKassa)' },
  ]);
});

test('a charge has its units, and its correction the corrected units', async () => {
  const { accountId, token } = await bench.newCustomer('10');
  const { sql } = bench.harness.database;
  const requestId = Bun.randomUUIDv7();
  const estimate = chargeOf(accountId, { requestId, costNano: 300n, rank: 1 });
  const final = chargeOf(accountId, { requestId, costNano: 500n, rank: 2 });
  const units = { promptTokens: 12, completionTokens: 30 };
  await applyCharges(sql, [{ ...estimate, detail: { ...estimate.detail, ...units, estimated: true } }]);
  await applyCharges(sql, [{ ...final, detail: { ...final.detail, promptTokens: 12, completionTokens: 70 } }]);
  const image = chargeOf(accountId, { costNano: 40n });
  const images = { promptTokens: 0, completionTokens: 0, images: 2, variant: '1024x1024/high' };
  await applyCharges(sql, [{ ...image, detail: { ...image.detail, ...images } }]);
  expect(await partsOf(token)).toMatchObject([
    { kind: 'usage', ...images, isEstimated: false },
    { kind: 'usage', promptTokens: 12, completionTokens: 70, isEstimated: false },
    { kind: 'usage', ...units, images: 0, isEstimated: true },
    { kind: 'credit', description: 'test' },
  ]);
});
