/** /api/operator/payments: operators confirm, cancel and refund payments. */
import { Elysia } from 'elysia';
import { checkValue } from '../../../shared/http/check-value.ts';
import { methodTitle } from '../../../shared/payment-methods.ts';
import { authorized } from '../../auth/authorize.ts';
import type { Transaction } from '../../database/connect.ts';
import { findPayment } from '../../database/rows/payment.ts';
import { withIdempotency } from '../../http/idempotency/idempotency.ts';
import { requireIdempotencyKey } from '../../http/idempotency/idempotency-key.ts';
import { checkQuery } from '../../http/request/check-query.ts';
import { decodeCursor, encodeCursor } from '../../http/request/page-cursor.ts';
import { parseMinorUnits } from '../../money/payment-money.ts';
import type { Actor } from '../../operations/audit/record-action.ts';
import { deliverCredit, rateOfPayment } from '../../payments/book-payment.ts';
import { cancelPayment, confirmPayment } from '../../payments/decide-payment.ts';
import { listEvents, listPayments, readDetails } from '../../payments/list-payments.ts';
import { parsePaidAt } from '../../payments/paid-at.ts';
import type { PaymentServices } from '../../payments/payment-services.ts';
import { createRefund, prepareRefund } from '../../payments/refunds/create-refund.ts';
import { runRefund } from '../../payments/refunds/run-refund.ts';
import type { AdminServices } from '../../services.ts';
import { parseReason } from '../operator/operator-schemas.ts';
import {
  cancelBody,
  cancelPaymentDocs,
  confirmBody,
  confirmPaymentDocs,
  getOperatorPaymentDocs,
  listOperatorPaymentsDocs,
  listPaymentEventsDocs,
  operatorPaymentsQuery,
  refundBody,
  refundPaymentDocs,
} from './operator-payment-docs.ts';
import { eventsMax, paymentParams, paymentsMax, renderEvents, renderOperatorPayment } from './payment-schemas.ts';

interface Change {
  readonly actor: Actor;
  readonly body: unknown;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly caller: { readonly homeAccountId: number };
  readonly params: Readonly<Record<string, string>>;
}

export function operatorPaymentsRoute(services: AdminServices, payments: PaymentServices) {
  const { db } = services.database;
  return new Elysia({ prefix: '/api/operator/payments' })
    .use(authorized(services))
    .get(
      '',
      async ({ query }) => {
        const { limit = paymentsMax, offset = 0, cursor, ...filter } = checkQuery(operatorPaymentsQuery, query);
        const behind = cursor === undefined ? undefined : decodeCursor(cursor, 'cursor').id;
        const page = await listPayments(
          db,
          { accountId: undefined, status: undefined, ...filter },
          { limit, offset, behind },
        );
        const detailsOf = await readDetails(
          db,
          page.payments.map(({ id }) => id),
        );
        return {
          payments: page.payments.map((payment) => renderOperatorPayment(payment, detailsOf(payment.id))),
          nextCursor: page.end === undefined ? null : encodeCursor({ at: page.end.createdAt, id: page.end.id }),
          total: page.total,
        };
      },
      listOperatorPaymentsDocs,
    )
    .get(
      '/:paymentId',
      ({ params }) => render(services, checkQuery(paymentParams, params).paymentId),
      getOperatorPaymentDocs,
    )
    .get(
      '/:paymentId/events',
      async ({ params }) => {
        const { id } = await findPayment(db, checkQuery(paymentParams, params).paymentId);
        return renderEvents(await listEvents(db, id, eventsMax));
      },
      listPaymentEventsDocs,
    )
    .post('/:paymentId/confirm', (change) => confirm(services, payments, change), confirmPaymentDocs)
    .post('/:paymentId/cancel', (change) => cancel(services, change), cancelPaymentDocs)
    .post(
      '/:paymentId/refund',
      async (change) => {
        const response = await refund(services, payments, change);
        change.set.status = 201;
        return response;
      },
      refundPaymentDocs,
    );
}

async function confirm(services: AdminServices, payments: PaymentServices, change: Change) {
  const { paymentId: id } = checkQuery(paymentParams, change.params);
  const { reference, ...fields } = checkValue(confirmBody, change.body);
  const reason = parseReason(fields.reason);
  const paidAt = parsePaidAt(fields.paidAt, { param: 'paidAt', now: payments.now() });
  const { method, accountId } = await findPayment(services.database.db, id);
  const rate = await rateOfPayment(payments, paidAt);
  const title = methodTitle(method);
  await once(services, change, `${id}/confirm`, async (transaction) => {
    const confirmation = { paymentId: id, paidAt, reference, reason };
    await confirmPayment(transaction, change.actor, { confirmation, rate, title });
    return id;
  });
  await deliverCredit(payments, accountId);
  return render(services, id);
}

async function cancel(services: AdminServices, change: Change) {
  const { paymentId: id } = checkQuery(paymentParams, change.params);
  const reason = parseReason(checkValue(cancelBody, change.body).reason);
  await once(services, change, `${id}/cancel`, async (transaction) => {
    await cancelPayment(transaction, change.actor, { paymentId: id, reason });
    return id;
  });
  return render(services, id);
}

async function refund(services: AdminServices, payments: PaymentServices, change: Change) {
  const { paymentId: id } = checkQuery(paymentParams, change.params);
  const { amount, ...fields } = checkValue(refundBody, change.body);
  const reason = parseReason(fields.reason);
  await prepareRefund(payments, await findPayment(services.database.db, id));
  const refundId = await once(services, change, `${id}/refund`, (transaction) => {
    const amountMinor = amount === undefined ? undefined : parseMinorUnits(amount);
    return createRefund(transaction, payments, { input: { paymentId: id, amountMinor, reason }, actor: change.actor });
  });
  try {
    await runRefund(payments, refundId);
  } catch (error) {
    services.log.warn({ err: error, refund: refundId }, 'a refund is not complete yet; the worker will continue it');
  }
  return render(services, id);
}

/** Returns what the first request with this key returned. */
async function once(
  { config, database }: AdminServices,
  { body, caller, headers }: Change,
  path: string,
  work: (transaction: Transaction) => Promise<string>,
): Promise<string> {
  const key = requireIdempotencyKey(headers['idempotency-key']);
  const place = { accountId: caller.homeAccountId, endpoint: `POST /api/operator/payments/${path}`, key, body };
  const response = await withIdempotency({ db: database.db, config }, place, async (transaction) => ({
    status: 200,
    body: { id: await work(transaction) },
  }));
  return response.body.id;
}

async function render({ database }: AdminServices, id: string) {
  const detailsOf = await readDetails(database.db, [id]);
  return renderOperatorPayment(await findPayment(database.db, id), detailsOf(id));
}
