/** /api/operator/payments and /refunds: money for a customer's balance, booked once however often it is sent. */
import { Elysia } from 'elysia';
import { checkValue } from '../../../shared/http/check-value.ts';
import { formatUsd } from '../../../shared/money.ts';
import { bookCredit } from '../../accounts/book-credit.ts';
import { authorized } from '../../auth/authorize.ts';
import { withIdempotency } from '../../http/idempotency/idempotency.ts';
import { requireIdempotencyKey } from '../../http/idempotency/idempotency-key.ts';
import type { Actor } from '../../operations/audit/record-action.ts';
import type { AdminServices } from '../../services.ts';
import { deliverOutbox } from '../../wallets/deliver-outbox.ts';
import { parseUsdAmount } from '../fields/usd-amount.ts';
import { bookPaymentDocs, bookRefundDocs } from './accounts-docs.ts';
import { creditBody, type creditSchema } from './accounts-schemas.ts';
import { parseReason } from './operator-schemas.ts';

interface CreditRequest {
  readonly type: 'payment' | 'refund';
  readonly key: string;
  readonly body: unknown;
  readonly actor: Actor;
  /** The owner of the Idempotency-Key. */
  readonly operatorAccountId: number;
}

export function operatorMoneyRoute(services: AdminServices) {
  const take = async (type: CreditRequest['type'], context: TakeContext) => {
    const { actor, body, caller } = context;
    const key = requireIdempotencyKey(context.headers['idempotency-key']);
    const response = await book(services, { type, key, body, actor, operatorAccountId: caller.homeAccountId });
    context.set.status = response.status;
    return response.body;
  };
  return new Elysia({ prefix: '/api/operator' })
    .use(authorized(services))
    .post('/payments', (context) => take('payment', context), bookPaymentDocs)
    .post('/refunds', (context) => take('refund', context), bookRefundDocs);
}

interface TakeContext {
  readonly actor: Actor;
  readonly caller: { readonly homeAccountId: number };
  readonly body: unknown;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly set: { status?: number | string };
}

async function book(services: AdminServices, { type, key, body, actor, operatorAccountId }: CreditRequest) {
  const { accountId, ...input } = checkValue(creditBody, body);
  const amountNano = parseUsdAmount(input.usd);
  const reason = parseReason(input.reason);
  const request = { accountId: operatorAccountId, endpoint: `POST /api/operator/${type}s`, key, body };
  const { db } = services.database;
  const response = await withIdempotency({ db, config: services.config }, request, async (transaction) => {
    // The response is kept for a day, but the ledger keeps the key forever: a later repetition books nothing either.
    const credit = { accountId, type, amountNano, reason, idempotencyKey: key };
    const booked = await bookCredit(transaction, actor, credit);
    const credited: typeof creditSchema.static = {
      transactionId: booked.transactionId,
      accountId,
      amount: formatUsd(amountNano),
      balanceBefore: formatUsd(booked.balanceBeforeNano),
      balanceAfter: formatUsd(booked.balanceAfterNano),
      repeated: booked.repeated,
    };
    return { status: 201, body: credited };
  });
  await deliver(services, accountId);
  return response;
}

/** The money is booked. If Redis is away, the outbox worker delivers it as soon as Redis is back. */
async function deliver({ database, keeper, log }: AdminServices, accountId: number): Promise<void> {
  try {
    await deliverOutbox({ sql: database.sql, keeper }, accountId);
  } catch (error) {
    log.warn({ err: error, accountId }, 'a credit is not in Redis yet; the outbox worker will deliver it');
  }
}
