/**
 * Cards in USD through Stripe Checkout (https://docs.stripe.com/payments/checkout). The signature of a notification is
 * verified on its raw body; then, as for every method, the provider is queried for the current state, so that neither the order
 * nor the age of notifications matters.
 */
import type Stripe from 'stripe';
import type { StripeConfig } from '../../../config/payments.ts';
import {
  type MethodFactory,
  type Notification,
  type NotificationReading,
  type OpenedPayment,
  type PaymentMethod,
  type PaymentQuery,
  ProviderError,
  type ProviderPayment,
  type ProviderPaymentInput,
  type ProviderRefundInput,
  type RefundResult,
} from '../payment-method.ts';
import { type ChargeHistory, chargeOf, hasFailed, readIntent, readSession } from './read-session.ts';
import { callStripe, openStripe, orUndefined } from './stripe-client.ts';

/** Of one payment. */
const refundsListed = 100;
/** Stripe accepts from 30 minutes to 24 hours. */
const lifetimeMs = 23 * 3_600_000;
const signatureToleranceSeconds = 300;
/** Around the first attempt to create a payment; the provider's clock may differ from ours. */
const listBeforeSeconds = 300;
const listAfterSeconds = 3_600;
const listPagesMax = 5;

export const stripeMethod: MethodFactory = ({ config }) =>
  config.payments.stripe && new StripeCheckout(config.payments.stripe);

class StripeCheckout implements PaymentMethod {
  readonly id = 'stripe';
  readonly currencies = ['USD'] as const;
  readonly isCard = true;
  readonly needsCompany = false;
  readonly isPolled = true;
  readonly savesCards = true;
  readonly offsetReceipts = undefined;
  readonly lifetimeMs = lifetimeMs;
  readonly #config: StripeConfig;
  #client: { readonly stripe: Stripe; readonly secretKey: string } | undefined;

  constructor(config: StripeConfig) {
    this.#config = config;
  }

  /** With the secret key that is in use now. */
  get #stripe(): Stripe {
    const { secretKey } = this.#config;
    if (this.#client?.secretKey !== secretKey) this.#client = { stripe: openStripe(this.#config), secretKey };
    return this.#client.stripe;
  }

  async create(input: ProviderPaymentInput): Promise<OpenedPayment> {
    if (input.card !== null) return this.#charge(input, input.card);
    const metadata = { payment_id: input.paymentId };
    const session = await callStripe(() =>
      this.#stripe.checkout.sessions.create(
        {
          mode: 'payment',
          line_items: [
            {
              quantity: 1,
              price_data: {
                currency: input.currency.toLowerCase(),
                unit_amount: Number(input.amountMinor),
                product_data: { name: input.description },
              },
            },
          ],
          client_reference_id: input.paymentId,
          customer_email: input.email,
          metadata,
          payment_intent_data: { metadata, ...(input.savesCard && { setup_future_usage: 'off_session' as const }) },
          ...(input.savesCard && { customer_creation: 'always' as const, payment_method_types: ['card' as const] }),
          success_url: input.returnUrl,
          cancel_url: input.returnUrl,
          expires_at: Math.floor(input.expiresAt.getTime() / 1_000),
        },
        { idempotencyKey: input.paymentId },
      ),
    );
    return { reference: session.id, confirmationUrl: session.url };
  }

  async query({ paymentId, createdAt, isAutomatic, ...query }: PaymentQuery): Promise<ProviderPayment | undefined> {
    const find = () => (isAutomatic ? this.#findIntent(paymentId, createdAt) : this.#find(paymentId, createdAt));
    const reference = query.reference ?? (await find());
    if (reference === undefined) return undefined;
    if (isIntent(reference)) return this.#queryIntent(reference);
    const session = await orUndefined(() =>
      this.#stripe.checkout.sessions.retrieve(reference, { expand: ['payment_intent.latest_charge.refunds'] }),
    );
    if (session === undefined) return undefined;
    const intent = typeof session.payment_intent === 'object' ? session.payment_intent : null;
    return readSession(session, await this.#historyOf(intent));
  }

  async refund(input: ProviderRefundInput): Promise<RefundResult> {
    const { reference } = input;
    if (reference !== null) return readRefund(await callStripe(() => this.#stripe.refunds.retrieve(reference)));
    try {
      return readRefund(await this.#createRefund(input));
    } catch (error) {
      if (!(error instanceof ProviderError) || error.kind !== 'refused') throw error;
      return { state: 'refused', reference: input.reference, problem: error.message };
    }
  }

  async findRefund({ refundId, paymentReference }: ProviderRefundInput): Promise<RefundResult | undefined> {
    const intent = await this.#intentOf(paymentReference);
    const { data, has_more: hasMore } = await this.#listRefunds(intent);
    const found = data.find(({ metadata }) => metadata?.refund_id === refundId);
    if (found === undefined && hasMore) throw new ProviderError('unavailable', 'too many refunds to search');
    return found && readRefund(found);
  }

  async readNotification({ headers, body }: Notification): Promise<NotificationReading | undefined> {
    const event = await this.#verify(headers['stripe-signature'], body);
    switch (event?.type) {
      case 'checkout.session.completed':
      case 'checkout.session.expired':
      case 'checkout.session.async_payment_succeeded':
      case 'checkout.session.async_payment_failed': {
        const { id, client_reference_id: paymentId } = event.data.object;
        return { reference: id, paymentId, kept: body };
      }
      case 'charge.refunded':
      case 'charge.refund.updated':
      case 'refund.updated':
      case 'refund.failed':
      case 'charge.dispute.created':
      case 'charge.dispute.updated':
      case 'charge.dispute.funds_withdrawn':
      case 'charge.dispute.closed':
        return { ...(await this.#sessionOf(event.data.object.payment_intent)), kept: body };
      case 'payment_intent.succeeded': {
        const { id, metadata } = event.data.object;
        const found = await this.#sessionOf(id);
        return { ...found, paymentId: found.paymentId ?? metadata.payment_id ?? null, kept: body };
      }
      default:
        return event && { reference: null, paymentId: null, kept: body };
    }
  }

  async check(): Promise<string> {
    const { livemode } = await callStripe(() => this.#stripe.balance.retrieve());
    return livemode ? 'live keys' : 'test keys';
  }

  /** A saved card, without the customer. A refusal of the card is a refusal of the call. */
  async #charge(input: ProviderPaymentInput, card: NonNullable<ProviderPaymentInput['card']>): Promise<OpenedPayment> {
    const intent = await callStripe(() =>
      this.#stripe.paymentIntents.create(
        {
          amount: Number(input.amountMinor),
          currency: input.currency.toLowerCase(),
          ...(card.customer !== null && { customer: card.customer }),
          payment_method: card.reference,
          off_session: true,
          confirm: true,
          description: input.description,
          receipt_email: input.email,
          metadata: { payment_id: input.paymentId },
        },
        { idempotencyKey: input.paymentId },
      ),
    );
    return { reference: intent.id, confirmationUrl: null };
  }

  async #queryIntent(reference: string): Promise<ProviderPayment | undefined> {
    const intent = await orUndefined(() =>
      this.#stripe.paymentIntents.retrieve(reference, { expand: ['latest_charge.refunds'] }),
    );
    return intent && readIntent(intent, await this.#historyOf(intent));
  }

  async #historyOf(intent: Stripe.PaymentIntent | null): Promise<ChargeHistory> {
    const charge = chargeOf(intent);
    if (intent === null || charge === null) return { disputes: [], refunds: [] };
    return {
      disputes: charge.disputed ? await this.#disputesOf(intent.id) : [],
      refunds: await this.#refundsOf(intent.id, charge),
    };
  }

  async #disputesOf(intent: string): Promise<Stripe.Dispute[]> {
    return (await callStripe(() => this.#stripe.disputes.list({ payment_intent: intent, limit: 100 }))).data;
  }

  /** A charge comes with its newest ten. */
  async #refundsOf(intent: string, { refunds }: Stripe.Charge): Promise<Stripe.Refund[] | undefined> {
    if (refunds !== undefined && refunds !== null && !refunds.has_more) return refunds.data;
    const { data, has_more: hasMore } = await this.#listRefunds(intent);
    return hasMore ? undefined : data;
  }

  #listRefunds(intent: string) {
    return callStripe(() => this.#stripe.refunds.list({ payment_intent: intent, limit: refundsListed }));
  }

  /** Of a charge whose creation was never answered. */
  async #findIntent(paymentId: string, createdAt: Date): Promise<string | undefined> {
    return this.#findAmong(
      createdAt,
      (page) => this.#stripe.paymentIntents.list(page),
      ({ metadata }) => metadata.payment_id === paymentId,
    );
  }

  /** Of a payment whose creation was never answered: among those that were created at that time. */
  async #find(paymentId: string, createdAt: Date): Promise<string | undefined> {
    return this.#findAmong(
      createdAt,
      (page) => this.#stripe.checkout.sessions.list(page),
      (session) => session.client_reference_id === paymentId,
    );
  }

  /** Among what was created at that time. */
  async #findAmong<Item extends { readonly id: string }>(
    createdAt: Date,
    list: (page: ListPage) => Promise<{ readonly data: readonly Item[]; readonly has_more: boolean }>,
    isIt: (item: Item) => boolean,
  ): Promise<string | undefined> {
    const at = Math.floor(createdAt.getTime() / 1_000);
    const created = { gte: at - listBeforeSeconds, lt: at + listAfterSeconds };
    let after: string | undefined;
    for (let page = 0; page < listPagesMax; page += 1) {
      const { data, has_more: hasMore } = await callStripe(() =>
        list({ created, limit: 100, ...(after !== undefined && { starting_after: after }) }),
      );
      const found = data.find(isIt);
      if (found !== undefined || !hasMore) return found?.id;
      after = data.at(-1)?.id;
    }
    return undefined;
  }

  async #intentOf(paymentReference: string): Promise<string> {
    if (isIntent(paymentReference)) return paymentReference;
    const session = await callStripe(() => this.#stripe.checkout.sessions.retrieve(paymentReference));
    const { payment_intent: intent } = session;
    if (intent === null) throw new ProviderError('refused', 'the session has no payment to refund');
    return typeof intent === 'string' ? intent : intent.id;
  }

  async #createRefund({ refundId, paymentReference, amountMinor }: ProviderRefundInput): Promise<Stripe.Refund> {
    const intent = await this.#intentOf(paymentReference);
    return callStripe(() =>
      this.#stripe.refunds.create(
        {
          payment_intent: intent,
          amount: Number(amountMinor),
          metadata: { refund_id: refundId },
        },
        { idempotencyKey: refundId },
      ),
    );
  }

  async #verify(signature: string | undefined, body: string): Promise<Stripe.Event | undefined> {
    for (const secret of this.#config.webhookSecrets) {
      try {
        return await this.#stripe.webhooks.constructEventAsync(
          body,
          signature ?? '',
          secret,
          signatureToleranceSeconds,
        );
      } catch {
        // Signed with another one, or not by Stripe.
      }
    }
    return undefined;
  }

  /** Charges and disputes name their payment intent only. */
  async #sessionOf(intent: string | Stripe.PaymentIntent | null): Promise<Omit<NotificationReading, 'kept'>> {
    if (intent === null) return { reference: null, paymentId: null };
    const id = typeof intent === 'string' ? intent : intent.id;
    const { data } = await callStripe(() => this.#stripe.checkout.sessions.list({ payment_intent: id, limit: 1 }));
    // A charge of a saved card has no session.
    return { reference: data[0]?.id ?? id, paymentId: data[0]?.client_reference_id ?? null };
  }
}

interface ListPage {
  readonly created: { readonly gte: number; readonly lt: number };
  readonly limit: number;
  readonly starting_after?: string;
}

/** Rather than a session: the reference of a charge of a saved card. */
function isIntent(reference: string): boolean {
  return reference.startsWith('pi_');
}

function readRefund(refund: Stripe.Refund): RefundResult {
  const { id, status, failure_reason: reason } = refund;
  if (status === 'succeeded') return { state: 'succeeded', reference: id, problem: null };
  if (hasFailed(refund)) {
    return { state: 'refused', reference: id, problem: `Stripe: the refund ${status}: ${reason ?? 'no reason'}` };
  }
  return { state: 'pending', reference: id, problem: null };
}
