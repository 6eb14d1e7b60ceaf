/** The API with scripted payment providers, a worker in this process, and a customer. */
import { join } from 'node:path';
import type { operatorPaymentSchema, paymentSchema } from '../../../../admin/api/payments/payment-schemas.ts';
import { runAutoTopUps } from '../../../../admin/payments/auto-top-up/run-auto-top-ups.ts';
import { openPayments, type PaymentServices } from '../../../../admin/payments/payment-services.ts';
import { pollDuePayments } from '../../../../admin/payments/poll-payments.ts';
import { allShards } from '../../../../shared/wallet/shard.ts';
import { type Customer, testPassword } from '../../../harness/customers.ts';
import { ScriptedPaymentProvider } from '../../../harness/payments/scripted-provider.ts';
import { stripeSecret, stripeWebhookSecret, stripeWire } from '../../../harness/payments/stripe-wire.ts';
import { yookassaSecret, yookassaWire } from '../../../harness/payments/yookassa-wire.ts';
import { readIdentity } from '../../../harness/wallet/shard-state.ts';
import { type Harness, startHarness } from '../../../harness.ts';
import { type Api, type CallOptions, createOperator, logIn, type Operator, startApi } from '../start-api.ts';

export type Payment = typeof paymentSchema.static;
export type OperatorPayment = typeof operatorPaymentSchema.static;

export interface PaymentBench {
  readonly harness: Harness;
  readonly api: Api;
  readonly yookassa: ScriptedPaymentProvider;
  readonly stripe: ScriptedPaymentProvider;
  readonly payments: PaymentServices;
  readonly operator: Operator;
  readonly sellerFile: string;
  newCustomer(usd?: string): Promise<Customer & { readonly token: string }>;
  createPayment(token: string, body: object, key?: string): ReturnType<typeof createOf>;
  get(token: string, id: string): Promise<Payment>;
  decide(id: string, what: 'confirm' | 'cancel' | 'refund', body: object, key?: string): ReturnType<typeof decideOf>;
  /** A customer whose company details are complete, with this INN. */
  newCompany(inn?: string): Promise<Customer & { readonly token: string }>;
  /** One step of the worker, at a given time. */
  work(at?: Date): Promise<number>;
  workWith(services: Partial<PaymentServices>): Promise<number>;
  /** One step of the worker of automatic top-ups. */
  topUp(at?: Date): Promise<number>;
  stop(): Promise<void>;
}

const sellerFile = join(import.meta.dir, '../../../../local/start/demo-seller.yaml');
const createOf = (api: Api, options: CallOptions) => api.call<Payment>('POST', '/api/payments', options);
const decideOf = (api: Api, path: string, options: CallOptions) => api.call<OperatorPayment>('POST', path, options);

export async function startPayments(environment: Readonly<Record<string, string>> = {}): Promise<PaymentBench> {
  const harness = await startHarness();
  const [yookassa, stripe] = await Promise.all([
    ScriptedPaymentProvider.start(yookassaWire),
    ScriptedPaymentProvider.start(stripeWire),
  ]);
  const api = await startApi(harness, {
    environment: {
      CBR_URL: 'off',
      USD_RUB_RATE: '90',
      YOOKASSA_SHOP_ID: yookassa.shop,
      YOOKASSA_SECRET_KEY: yookassaSecret,
      YOOKASSA_API_URL: yookassa.url,
      STRIPE_SECRET_KEY: stripeSecret,
      STRIPE_WEBHOOK_SECRET: stripeWebhookSecret,
      STRIPE_API_URL: stripe.url,
      SELLER_FILE: sellerFile,
      TEST_PAYMENTS: 'true',
      ...environment,
    },
  });
  // As the workers have it: a burst of bookings for one account may wait for each other longer than a caller would.
  const payments = openPayments({ ...api.services, database: api.services.backgroundDatabase });
  const operator = await createOperator(harness, api);
  await openShards(harness);
  const newCustomer = async (usd: string) => {
    const customer = await harness.createCustomer({ usd });
    return { ...customer, token: await logIn(api, customer.email, testPassword) };
  };
  const keyed = (key: string) => ({ 'idempotency-key': key });
  return {
    harness,
    api,
    yookassa,
    stripe,
    payments,
    operator,
    sellerFile,
    newCustomer: (usd = '0') => newCustomer(usd),
    createPayment: (token, body, key = crypto.randomUUID()) => createOf(api, { token, body, headers: keyed(key) }),
    get: async (token, id) => (await api.call<Payment>('GET', `/api/payments/${id}`, { token })).body,
    decide: (id, what, body, key = crypto.randomUUID()) =>
      decideOf(api, `/api/operator/payments/${id}/${what}`, { token: operator.token, body, headers: keyed(key) }),
    newCompany: async (inn = '7707083893') => {
      const customer = await newCustomer('0');
      await insertCompany(harness, customer.accountId, inn);
      return customer;
    },
    topUp: (at = new Date()) => runAutoTopUps({ ...payments, now: () => at }),
    work: (at = new Date()) => pollDuePayments({ ...payments, now: () => at }),
    workWith: (services) => pollDuePayments({ ...payments, ...services }),
    stop: async () => {
      await api.stop();
      await Promise.all([yookassa.stop(), stripe.stop(), harness.stop()]);
    },
  };
}

async function insertCompany({ database: { sql } }: Harness, accountId: number, inn: string): Promise<void> {
  await sql`
    INSERT INTO company_details (account_id, account_type, company_name, inn, kpp, ogrn, legal_address, director_name,
      bank_name, bik, checking_account, correspondent_account)
    VALUES (${accountId}, 'OOO', 'ООО «Ромашка»', ${inn}, '770701001', '1027700132195', 'Москва', 'Иванов И. И.', 'Банк',
      '044525225', '40702810938000000001', '30101810400000000225')`;
}

/** Responds as a running admin does. */
export async function openShards({ keeper, redis }: Pick<Harness, 'keeper' | 'redis'>): Promise<void> {
  for (const shard of allShards) {
    await keeper.writeMeta(shard, { mode: 'open', epoch: 1, identity: await readIdentity(redis, shard) });
  }
}

export const rub = (amount: string) => ({ method: 'yookassa', amount, currency: 'RUB' });
export const usd = (amount: string) => ({ method: 'stripe', amount, currency: 'USD' });
