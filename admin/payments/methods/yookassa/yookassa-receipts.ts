/**
 * Offset receipts of YooKassa (https://yookassa.ru/developers/api#receipt). A payment has at most 30 receipts. They carry
 * no id of ours, so one whose creation was never answered is known by its description.
 */
import { isObject } from '../../../../shared/members.ts';
import type { YookassaConfig } from '../../../config/payments.ts';
import type {
  OffsetReceiptInput,
  OffsetReceiptQuery,
  OffsetReceiptResult,
  OffsetReceipts,
} from '../offset-receipts.ts';
import { ProviderError } from '../payment-method.ts';
import { amountOf, cutDescription, receiptBody } from './receipt-body.ts';
import type { ReceiptVat } from './vat-codes.ts';
import type { YookassaClient } from './yookassa-client.ts';

const currency = 'RUB';

export class YookassaReceipts implements OffsetReceipts {
  readonly #config: YookassaConfig;
  readonly #client: YookassaClient;
  readonly #vat: ReceiptVat;

  constructor(config: YookassaConfig, { client, vat }: { client: YookassaClient; vat: ReceiptVat }) {
    this.#config = config;
    this.#client = client;
    this.#vat = vat;
  }

  async create(input: OffsetReceiptInput): Promise<OffsetReceiptResult> {
    const vatCode = this.#vat.on(input.serviceDay).service;
    const content = { ...input, currency, vatCode, mode: 'full_payment' } as const;
    const response = await this.#client.call({
      path: '/receipts',
      post: {
        idempotenceKey: input.key,
        body: {
          type: 'payment',
          payment_id: input.paymentReference,
          send: true,
          ...receiptBody(content, this.#config),
          settlements: [{ type: 'prepayment', amount: amountOf(content) }],
        },
      },
    });
    return readReceipt(response?.body, response?.raw);
  }

  async find({ reference, paymentReference, description }: OffsetReceiptQuery) {
    if (reference !== null) {
      const response = await this.#client.call({ path: `/receipts/${encodeURIComponent(reference)}` });
      return response && readReceipt(response.body, response.raw);
    }
    const query = new URLSearchParams({ payment_id: paymentReference, limit: '100' });
    const response = await this.#client.call({ path: `/receipts?${query}` });
    if (!Array.isArray(response?.body.items)) throw malformed();
    const found = response.body.items.find((receipt) => describes(receipt, cutDescription(description)));
    return found && readReceipt(found, JSON.stringify(found));
  }
}

function describes(receipt: unknown, description: string): boolean {
  if (!isObject(receipt) || receipt.type !== 'payment' || !Array.isArray(receipt.items)) return false;
  return receipt.items.some((item) => isObject(item) && item.description === description);
}

function readReceipt(receipt: unknown, raw = ''): OffsetReceiptResult {
  if (!isObject(receipt) || typeof receipt.id !== 'string' || typeof receipt.status !== 'string') throw malformed();
  const { id: reference, status } = receipt;
  return { reference, state: status === 'succeeded' ? 'succeeded' : status === 'canceled' ? 'failed' : 'pending', raw };
}

function malformed(): ProviderError {
  return new ProviderError('unavailable', 'YooKassa returned something other than a receipt');
}
