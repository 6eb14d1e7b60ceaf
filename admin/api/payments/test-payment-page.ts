/**
 * /test-payments: the page of the `test` method, which asks whether a payment succeeds. It takes the place of a
 * provider's own page, and exists only where that method does.
 */
import { escapeHTML } from 'bun';
import { Elysia } from 'elysia';
import { testPayment } from '../../../shared/payment-methods.ts';
import { findPayment, type Payment, paymentNotFound, recordEvent } from '../../database/rows/payment.ts';
import { checkQuery } from '../../http/request/check-query.ts';
import { formatMinorUnits, minorUnits } from '../../money/payment-money.ts';
import type { TestOutcome } from '../../payments/methods/trial/test-method.ts';
import type { PaymentServices } from '../../payments/payment-services.ts';
import { pollPayment } from '../../payments/poll-payments.ts';
import { paymentParams } from './payment-schemas.ts';

const style = `body{font:17px/1.5 system-ui,sans-serif;max-width:30rem;margin:15vh auto;padding:0 1rem;color-scheme:light dark}
button{font:inherit;padding:.5rem 1.2rem;margin-right:.5rem;cursor:pointer}`;
const styleHash = new Bun.CryptoHasher('sha256').update(style).digest('base64');
const headers = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': `default-src 'none'; style-src 'sha256-${styleHash}'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'`,
};
const hidden = { detail: { hide: true } };

export function testPaymentPage(payments: PaymentServices) {
  const pages = new Elysia({ prefix: '/test-payments' });
  if (!payments.methods.has(testPayment)) return pages;
  return pages
    .get('/:paymentId', async ({ params }) => page(await find(payments, params)), hidden)
    .post('/:paymentId/succeed', ({ params }) => choose(payments, params, 'succeed'), hidden)
    .post('/:paymentId/succeed-once', ({ params }) => choose(payments, params, 'succeed_once'), hidden)
    .post('/:paymentId/fail', ({ params }) => choose(payments, params, 'fail'), hidden);
}

/** The first choice counts. */
async function choose(payments: PaymentServices, params: Readonly<Record<string, string>>, outcome: TestOutcome) {
  const payment = await find(payments, params);
  await recordEvent(payments.database.db, { paymentId: payment.id, kind: 'notification', body: outcome });
  await pollPayment(payments, payment);
  return new Response(null, { status: 303, headers: { location: payment.returnUrl } });
}

async function find({ database }: PaymentServices, params: Readonly<Record<string, string>>): Promise<Payment> {
  const payment = await findPayment(database.db, checkQuery(paymentParams, params).paymentId);
  if (payment.method !== testPayment) throw paymentNotFound(payment.id);
  return payment;
}

function page({ id, status, amountMinor, currency, returnUrl, savesCard }: Payment): Response {
  const once = `<p>The card is saved for automatic top-ups.</p>
<button formaction="/test-payments/${id}/succeed-once">Succeed, and refuse the card later</button>`;
  const question = `<p>Pay ${formatMinorUnits(minorUnits(amountMinor))} ${currency}? No money is involved.</p>
<form method="post"><button formaction="/test-payments/${id}/succeed">Succeed</button><button formaction="/test-payments/${id}/fail">Fail</button>${savesCard ? once : ''}</form>`;
  const done = `<p>This payment is ${status}.</p>\n<p><a href="${escapeHTML(returnUrl)}">Back</a></p>`;
  const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="robots" content="noindex">
<title>Test payment</title>
<style>${style}</style>
</head>
<body>
<h1>Test payment</h1>
${status === 'pending' ? question : done}
</body>
</html>
`;
  return new Response(html, { headers });
}
