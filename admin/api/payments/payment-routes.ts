/** /api/payments: the caller creates top-ups and sees what became of them. */
import { Elysia } from 'elysia';
import { checkValue } from '../../../shared/http/check-value.ts';
import { authorized } from '../../auth/authorize.ts';
import { readRate } from '../../catalogue/exchange-rate/exchange-rate.ts';
import { findPayment, type Payment } from '../../database/rows/payment.ts';
import { withIdempotency } from '../../http/idempotency/idempotency.ts';
import { requireIdempotencyKey } from '../../http/idempotency/idempotency-key.ts';
import { checkQuery } from '../../http/request/check-query.ts';
import { decodeCursor, encodeCursor } from '../../http/request/page-cursor.ts';
import {
  centsToBuy,
  formatMinorUnits,
  formatPercent,
  kopecksToBuy,
  kopecksWithin,
  minorUnits,
  parseMinorUnits,
  wholeCents,
} from '../../money/payment-money.ts';
import { type Actor, recordAction } from '../../operations/audit/record-action.ts';
import { createPayment } from '../../payments/creation/create-payment.ts';
import { openPayment, providerUnavailable } from '../../payments/creation/open-payment.ts';
import { listPayments, readDetails } from '../../payments/list-payments.ts';
import { ProviderError } from '../../payments/methods/payment-method.ts';
import type { PaymentServices } from '../../payments/payment-services.ts';
import type { AdminServices } from '../../services.ts';
import { renderRubRate } from '../fields/rub-rate.ts';
import { createPaymentDocs, getPaymentDocs, listMethodsDocs, listPaymentsDocs } from './payment-docs.ts';
import {
  type methodsSchema,
  paymentBody,
  paymentParams,
  paymentsMax,
  paymentsQuery,
  renderPayment,
} from './payment-schemas.ts';

export function paymentRoutes(services: AdminServices, payments: PaymentServices) {
  const { db } = services.database;
  const render = async (payment: Payment) => renderPayment(payment, (await readDetails(db, [payment.id]))(payment.id));
  return new Elysia({ prefix: '/api/payments' })
    .use(authorized(services))
    .get(
      '',
      async ({ caller, query }) => {
        const { limit = paymentsMax, offset = 0, cursor, status } = checkQuery(paymentsQuery, query);
        const behind = cursor === undefined ? undefined : decodeCursor(cursor, 'cursor').id;
        const page = await listPayments(db, { accountId: caller.accountId, status }, { limit, offset, behind });
        const detailsOf = await readDetails(
          db,
          page.payments.map(({ id }) => id),
        );
        return {
          payments: page.payments.map((payment) => renderPayment(payment, detailsOf(payment.id))),
          nextCursor: page.end === undefined ? null : encodeCursor({ at: page.end.createdAt, id: page.end.id }),
          total: page.total,
        };
      },
      listPaymentsDocs,
    )
    .get('/methods', () => describeMethods(payments), listMethodsDocs)
    .get(
      '/:paymentId',
      async ({ caller, params }) => {
        const { paymentId: id } = checkQuery(paymentParams, params);
        return render(await findPayment(db, id, caller.accountId));
      },
      getPaymentDocs,
    )
    .post(
      '',
      async ({ actor, body, caller, headers, set }) => {
        const key = requireIdempotencyKey(headers['idempotency-key']);
        const id = await create(services, payments, { key, body, caller, actor });
        set.status = 201;
        return render(await openNow(payments, await findPayment(db, id)));
      },
      createPaymentDocs,
    );
}

interface CreatePaymentRequest {
  readonly key: string;
  readonly body: unknown;
  readonly caller: { readonly accountId: number; readonly email: string };
  readonly actor: Actor;
}

/** Stored once for each key. What is returned is the payment as it is when the request is repeated. */
async function create({ config, database }: AdminServices, payments: PaymentServices, request: CreatePaymentRequest) {
  const { accountId, email } = request.caller;
  const { method, amount, currency, returnUrl, saveCard = false } = checkValue(paymentBody, request.body);
  const rate = await readRate(database.sql, config);
  const place = { accountId, endpoint: 'POST /api/payments', key: request.key, body: request.body };
  const response = await withIdempotency({ db: database.db, config }, place, async (transaction) => {
    const input = {
      accountId,
      email,
      method,
      amountMinor: parseMinorUnits(amount),
      currency,
      returnUrl,
      savesCard: saveCard,
    };
    const id = await createPayment(payments, transaction, { input, rate });
    await recordAction(transaction, request.actor, {
      action: 'payment.order',
      subject: `payment ${id}`,
      accountId,
      after: { method, amount, currency },
    });
    return { status: 201, body: { id } };
  });
  return response.body.id;
}

/** Throws GatewayError `payment_provider_unavailable`; the worker keeps trying. */
async function openNow(payments: PaymentServices, payment: Payment): Promise<Payment> {
  try {
    return await openPayment(payments, payment);
  } catch (error) {
    if (error instanceof ProviderError) throw providerUnavailable(error);
    throw error;
  }
}

async function describeMethods({ config, database, methods }: PaymentServices): Promise<typeof methodsSchema.static> {
  const rate = await readRate(database.sql, config);
  const { rubPerUsd } = rate;
  const { minNano, maxNano, marginPpm } = config.payments;
  const minima = {
    RUB: formatMinorUnits(minorUnits(kopecksToBuy(minNano, rubPerUsd, marginPpm))),
    USD: formatMinorUnits(centsToBuy(minNano)),
  };
  const maxima = {
    RUB: formatMinorUnits(minorUnits(kopecksWithin(maxNano, rubPerUsd, marginPpm))),
    USD: formatMinorUnits(wholeCents(maxNano)),
  };
  const of = (amounts: typeof minima, currencies: readonly ('RUB' | 'USD')[]) =>
    Object.fromEntries(currencies.map((currency) => [currency, amounts[currency]]));
  return {
    methods: Array.from(methods.values(), ({ id, currencies }) => ({
      id,
      currencies: [...currencies],
      minAmount: of(minima, currencies),
      maxAmount: of(maxima, currencies),
    })),
    rubRate: renderRubRate(rate),
    marginPercent: formatPercent(marginPpm),
  };
}
