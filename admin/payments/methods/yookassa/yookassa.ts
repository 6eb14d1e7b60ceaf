/**
 * Cards, SBP and SberPay through YooKassa (https://yookassa.ru/developers/api). Its notifications are not signed: they
 * only say which payment to ask about. An `Idempotence-Key` lives for 24 hours, so an older order is never created again.
 */
import { isObject } from '../../../../shared/members.ts';
import type { YookassaConfig } from '../../../config/payments.ts';
import { dayOf } from '../../../lots/months.ts';
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
import { checkPayment, readPayment } from './read-payment.ts';
import { amountOf, cutDescription, receiptBody } from './receipt-body.ts';
import { ReceiptVat } from './vat-codes.ts';
import { YookassaClient } from './yookassa-client.ts';
import { YookassaReceipts } from './yookassa-receipts.ts';

/** YooKassa cancels a payment that is not confirmed within an hour. */
const lifetimeMs = 3_600_000;
/** Ids have 36 characters, and names of events fewer. */
const keptMaxLength = 100;
/** Every character is one that a text in Postgres can hold. */
const yookassaId = /^[\w-]{1,100}$/;
const listPagesMax = 5;
/** Around the first attempt to create the payment; the provider's clock may differ from ours. */
const listBeforeMs = 300_000;
const listAfterMs = 3_600_000;

export const yookassaMethod: MethodFactory = ({ config: { payments }, seller }) => {
  const { yookassa, billingTimeZone } = payments;
  return yookassa && new Yookassa(yookassa, { vat: new ReceiptVat(yookassa, seller), billingTimeZone });
};

interface Accounting {
  readonly vat: ReceiptVat;
  readonly billingTimeZone: string;
}

class Yookassa implements PaymentMethod {
  readonly id = 'yookassa';
  readonly currencies = ['RUB'] as const;
  readonly isCard = true;
  readonly needsCompany = false;
  readonly isPolled = true;
  readonly savesCards = true;
  readonly lifetimeMs = lifetimeMs;
  readonly offsetReceipts: YookassaReceipts | undefined;
  readonly #config: YookassaConfig;
  readonly #client: YookassaClient;
  readonly #accounting: Accounting;

  constructor(config: YookassaConfig, accounting: Accounting) {
    this.#config = config;
    const client = new YookassaClient(config);
    this.#client = client;
    this.#accounting = accounting;
    const { vat } = accounting;
    this.offsetReceipts = config.hasOffsetReceipts ? new YookassaReceipts(config, { client, vat }) : undefined;
  }

  async create(input: ProviderPaymentInput): Promise<OpenedPayment> {
    const response = await this.#client.call({
      path: '/payments',
      post: {
        idempotenceKey: input.paymentId,
        body: {
          amount: amountOf(input),
          capture: true,
          // A saved card is charged immediately; otherwise the customer pays on a page.
          ...(input.card === null
            ? { confirmation: { type: 'redirect', return_url: input.returnUrl } }
            : { payment_method_id: input.card.reference }),
          ...(input.savesCard && { save_payment_method: true }),
          description: cutDescription(input.description),
          metadata: { payment_id: input.paymentId },
          receipt: this.#receiptOf(input),
        },
      },
    });
    const payment = checkPayment(response?.body);
    return { reference: payment.id, confirmationUrl: payment.confirmation?.confirmation_url ?? null };
  }

  async query({ paymentId, reference, createdAt }: PaymentQuery): Promise<ProviderPayment | undefined> {
    if (reference === null) return this.#find(paymentId, createdAt);
    const response = await this.#client.call({ path: `/payments/${encodeURIComponent(reference)}` });
    return response && readPayment(checkPayment(response.body), { shopId: this.#config.shopId, raw: response.raw });
  }

  async refund(input: ProviderRefundInput): Promise<RefundResult> {
    if (input.reference !== null) {
      const response = await this.#client.call({ path: `/refunds/${encodeURIComponent(input.reference)}` });
      return readRefund(response?.body);
    }
    try {
      const response = await this.#client.call({
        path: '/refunds',
        post: {
          idempotenceKey: input.refundId,
          body: {
            payment_id: input.paymentReference,
            amount: amountOf(input),
            description: describeRefund(input),
            receipt: this.#receiptOf(input),
          },
        },
      });
      return readRefund(response?.body);
    } catch (error) {
      if (!(error instanceof ProviderError) || error.kind !== 'refused') throw error;
      return { state: 'refused', reference: input.reference, problem: error.message };
    }
  }

  async findRefund(input: ProviderRefundInput): Promise<RefundResult | undefined> {
    const query = new URLSearchParams({ payment_id: input.paymentReference, limit: '100' });
    const response = await this.#client.call({ path: `/refunds?${query}` });
    const items = Array.isArray(response?.body.items) ? response.body.items : [];
    const found = items.find((item) => isObject(item) && item.description === describeRefund(input));
    if (found === undefined && typeof response?.body.next_cursor === 'string') {
      throw new ProviderError('unavailable', 'too many refunds to search');
    }
    return found && readRefund(found);
  }

  async readNotification({ body }: Notification): Promise<NotificationReading | undefined> {
    const notification = parseObject(body);
    const object = notification?.object;
    if (notification?.type !== 'notification' || !isObject(object)) return undefined;
    // A refund names its payment; a payment is named by its id.
    const reference = shortText(notification.event)?.startsWith('refund.') === true ? object.payment_id : object.id;
    const paymentId = isObject(object.metadata) ? object.metadata.payment_id : undefined;
    if (typeof reference !== 'string' || !yookassaId.test(reference)) return undefined;
    const kept = JSON.stringify({
      event: shortText(notification.event),
      object: { id: shortText(object.id), status: shortText(object.status) },
    });
    return { reference, paymentId: typeof paymentId === 'string' ? paymentId : null, kept };
  }

  async check(): Promise<string> {
    const response = await this.#client.call({ path: '/me' });
    const { account_id: shopId, status, test } = response?.body ?? {};
    if (shopId !== this.#config.shopId) {
      throw new ProviderError('refused', `the key belongs to shop ${shortText(shopId)}, not to ${this.#config.shopId}`);
    }
    if (status !== 'enabled') throw new ProviderError('refused', `shop ${shopId} is ${shortText(status)}`);
    return test === true ? `shop ${shopId}, for tests` : `shop ${shopId}`;
  }

  /** Of a payment whose creation was never answered: among those that were created at that time. */
  async #find(paymentId: string, createdAt: Date): Promise<ProviderPayment | undefined> {
    const around = {
      'created_at.gte': new Date(createdAt.getTime() - listBeforeMs).toISOString(),
      'created_at.lt': new Date(createdAt.getTime() + listAfterMs).toISOString(),
    };
    let cursor: string | undefined;
    for (let page = 0; page < listPagesMax; page += 1) {
      const query = new URLSearchParams({ limit: '100', ...around, ...(cursor !== undefined && { cursor }) });
      const response = await this.#client.call({ path: `/payments?${query}` });
      const items = Array.isArray(response?.body.items) ? response.body.items : [];
      for (const item of items) {
        if (!isObject(item) || !isObject(item.metadata) || item.metadata.payment_id !== paymentId) continue;
        return readPayment(checkPayment(item), { shopId: this.#config.shopId, raw: JSON.stringify(item) });
      }
      if (typeof response?.body.next_cursor !== 'string') return undefined;
      cursor = response.body.next_cursor;
    }
    return undefined;
  }

  /** Money that is paid before it is used is an advance. */
  #receiptOf(input: Pick<ProviderPaymentInput, 'amountMinor' | 'currency' | 'description' | 'email'>): object {
    const { vat, billingTimeZone } = this.#accounting;
    const vatCode = vat.on(dayOf(new Date(), billingTimeZone)).advance;
    return receiptBody({ ...input, vatCode, mode: 'advance' }, this.#config);
  }
}

/** Of an object that anyone can have sent. */
function shortText(value: unknown): string | undefined {
  return typeof value === 'string' ? value.slice(0, keptMaxLength) : undefined;
}

/** Names our refund, because YooKassa keeps no other text of ours with it. */
function describeRefund({ description, refundId }: ProviderRefundInput): string {
  return `${cutDescription(description)}, ${refundId}`;
}

function readRefund(body: Readonly<Record<string, unknown>> | undefined): RefundResult {
  const { id, status, cancellation_details: details } = body ?? {};
  if (typeof id !== 'string') throw new ProviderError('unavailable', 'YooKassa returned something other than a refund');
  if (status === 'succeeded') return { state: 'succeeded', reference: id, problem: null };
  if (status !== 'canceled') return { state: 'pending', reference: id, problem: null };
  const reason = isObject(details) ? details.reason : undefined;
  return { state: 'refused', reference: id, problem: `YooKassa canceled it: ${shortText(reason) ?? 'no reason'}` };
}

function parseObject(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
