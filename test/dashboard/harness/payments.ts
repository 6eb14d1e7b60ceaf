/** Payments of the dashboard's tests: methods without a provider, and orders made as a customer makes them. */
import { join } from 'node:path';
import type { paymentSchema } from '../../../admin/api/payments/payment-schemas.ts';
import { type Customer, testPassword } from '../../harness/customers.ts';
import type { Program } from '../../harness/programs.ts';

export type Payment = typeof paymentSchema.static;

/** Bank transfer and test payments, at 90 roubles for a dollar. */
export const paymentsEnvironment = {
  TEST_PAYMENTS: 'true',
  SELLER_FILE: join(import.meta.dir, '../../../local/start/demo-seller.yaml'),
  USD_RUB_RATE: '90',
} as const;

/** The numbers are valid, and nobody's. */
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
  /** The answer to a request with an Idempotency-Key of its own; throws unless it is a success. */
  send<Body>(method: 'POST' | 'PUT', path: string, body: object): Promise<Body>;
}

export async function openSender(admin: Program, { email }: Customer): Promise<Sender> {
  const request = async <Body>(method: string, path: string, body: object, token = '') => {
    const answer = await fetch(`${admin.url}${path}`, {
      method,
      headers: {
        'content-type': 'application/json',
        'idempotency-key': crypto.randomUUID(),
        authorization: `Bearer ${token}`,
      },
      body: JSON.stringify(body),
    });
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
    return (await answer.json()) as Body;
  };
  const session = { email, password: testPassword };
  const { accessToken } = await request<{ accessToken: string }>('POST', '/api/auth/login', session);
  return { send: (method, path, body) => request(method, path, body, accessToken) };
}

/** What is chosen on the page of a test payment. */
export async function choose(admin: Program, id: string, outcome: 'succeed' | 'fail'): Promise<void> {
  await fetch(`${admin.url}/test-payments/${id}/${outcome}`, { method: 'POST', redirect: 'manual' });
}
