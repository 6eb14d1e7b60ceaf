/** Payments of the dashboard's tests: methods without a provider, and orders made as a customer makes them. */
import { join } from 'node:path';
import type { paymentSchema } from '../../../admin/api/payments/payment-schemas.ts';
import { encode, statementOf } from '../../admin/payments/bank/statement-text.ts';
import { type Customer, testPassword } from '../../harness/customers.ts';
import type { Served } from '../../harness/programs.ts';
import type { Dashboard } from './dashboard.ts';

export type Payment = typeof paymentSchema.static;

/** Bank transfer and test payments, at 90 roubles for a dollar. */
export const paymentsEnvironment = {
  TEST_PAYMENTS: 'true',
  SELLER_FILE: join(import.meta.dir, '../../../local/start/demo-seller.yaml'),
  USD_RUB_RATE: '90',
} as const;

/** The numbers are valid, and belong to no real company. */
export const companyDetails = {
  accountType: 'OOO',
  companyName: 'ООО «Ромашка»',
  inn: '7707083893',
  kpp: '770701001',
  ogrn: '1027700132195',
  directorName: 'Иванов И. И.',
  legalAddress: '101000, Москва, ул. Мясницкая, 1',
  bankName: 'ПАО Сбербанк',
  bik: '044525225',
  checkingAccount: '40702810938000000001',
  correspondentAccount: '30101810400000000225',
} as const;

export interface Sender {
  /** The response to a request with an Idempotency-Key of its own; throws unless it is a success. */
  send<Body>(method: 'POST' | 'PUT', path: string, body: object): Promise<Body>;
}

export async function openSender(admin: Served, { email }: Customer): Promise<Sender> {
  const request = async <Body>(method: string, path: string, body: object, token = '') => {
    const response = await fetch(`${admin.url}${path}`, {
      method,
      headers: {
        'content-type': 'application/json',
        'idempotency-key': crypto.randomUUID(),
        authorization: `Bearer ${token}`,
      },
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    return (await response.json()) as Body;
  };
  const session = { email, password: testPassword };
  const { accessToken } = await request<{ accessToken: string }>('POST', '/api/auth/login', session);
  return { send: (method, path, body) => request(method, path, body, accessToken) };
}

/** The choice on the page of a test payment. */
export async function choose(admin: Served, id: string, outcome: 'succeed' | 'fail'): Promise<void> {
  await fetch(`${admin.url}/test-payments/${id}/${outcome}`, { method: 'POST', redirect: 'manual' });
}

/** A payment in every state, with their documents, and a bank statement. */
export async function seedPayments(
  { harness, admin }: Pick<Dashboard, 'harness' | 'admin'>,
  customer: Customer,
): Promise<void> {
  const own = await openSender(admin, customer);
  const decide = await openSender(admin, await harness.createCustomer({ usd: '0', role: 'operator' }));
  const create = (amount: string, method: string, currency = 'RUB') =>
    own.send<Payment>('POST', '/api/payments', { method, amount, currency });
  await own.send('PUT', '/api/profile/details', companyDetails);
  await choose(admin, (await create('250.00', 'test', 'USD')).id, 'fail');
  const refunded = await create('1500.00', 'test');
  await choose(admin, refunded.id, 'succeed');
  const refund = { amount: '300.50', reason: 'Paid too much' };
  await decide.send('POST', `/api/operator/payments/${refunded.id}/refund`, refund);
  const transfer = await create('120000.00', 'invoice');
  const confirmation = { paidAt: '2026-01-19', reference: '4711', reason: 'Bank statement' };
  await decide.send('POST', `/api/operator/payments/${transfer.id}/confirm`, confirmation);
  const doubtful = await create('9000.00', 'invoice');
  const problem = 'the provider says 8999.00 RUB, the order 9000.00 RUB';
  const { sql } = harness.database;
  await sql`UPDATE payments SET status = 'review', problem = ${problem} WHERE id = ${doubtful.id}`;
  const open = await create('15000.00', 'invoice');
  await own.send('POST', '/api/documents', { type: 'reconciliation', from: '2026-01-01', to: '2026-01-31' });
  const [invoice] = await sql`SELECT number FROM documents WHERE payment_id = ${open.id}`;
  const statement = statementOf([
    { number: '31', amount: '15000.00', purpose: `Оплата по счёту № ${invoice?.number}` },
    { number: '32', amount: '14999.00', purpose: 'Пополнение баланса' },
    { number: '33', amount: '70.00', payerInn: '7736050003', purpose: 'Возврат займа' },
  ]);
  const file = encode(statement, 'windows-1251').toBase64();
  await decide.send('POST', '/api/operator/bank-statements', { file });
}
