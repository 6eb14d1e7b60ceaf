/** Who may call the operator endpoints: operators, with a token of a session that has not ended. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { createHmac } from 'node:crypto';
import { testPassword } from '../../../harness/customers.ts';
import type { OpenApiDocument } from '../../../harness/openapi/operations-of.ts';
import { type Harness, startHarness } from '../../../harness.ts';
import { type Api, logIn, startApi } from '../start-api.ts';

let harness: Harness;
let api: Api;
const tokens: Record<string, string | undefined> = {};
beforeAll(async () => {
  harness = await startHarness();
  api = await startApi(harness);
  const customer = await harness.createCustomer({ usd: '1' });
  const operator = await harness.createCustomer({ usd: '0', role: 'operator' });
  tokens['a proxy key'] = operator.proxyKey;
  tokens['a billing key'] = operator.billingKey;
  tokens['a customer’s access token'] = await logIn(api, customer.email, testPassword);
  tokens['an operator’s access token'] = await logIn(api, operator.email, testPassword);
  tokens['an expired access token'] = expired(tokens['an operator’s access token']);
});
afterAll(async () => {
  await api.stop();
  await harness.stop();
});

function expired(token: string): string {
  const [header = '', payload = ''] = token.split('.');
  const claims = {
    ...JSON.parse(Buffer.from(payload, 'base64url').toString()),
    exp: Math.floor(Date.now() / 1000) - 1,
  };
  const signed = `${header}.${Buffer.from(JSON.stringify(claims)).toString('base64url')}`;
  return `${signed}.${createHmac('sha256', harness.jwtSecret).update(signed).digest('base64url')}`;
}

const routes = [
  'GET /api/operator/accounts',
  'GET /api/operator/accounts/{id}',
  'GET /api/operator/accounts/{id}/documents',
  'GET /api/operator/accounts/{id}/requests',
  'GET /api/operator/accounts/{id}/transactions',
  'POST /api/operator/accounts/{id}/block',
  'POST /api/operator/accounts/{id}/unblock',
  'PUT /api/operator/accounts/{id}/limits',
  'DELETE /api/operator/accounts/{id}',
  'POST /api/operator/payments',
  'GET /api/operator/payments',
  'GET /api/operator/payments/{paymentId}',
  'GET /api/operator/payments/{paymentId}/events',
  'POST /api/operator/payments/{paymentId}/confirm',
  'POST /api/operator/payments/{paymentId}/cancel',
  'POST /api/operator/payments/{paymentId}/refund',
  'POST /api/operator/bank-statements',
  'GET /api/operator/bank-statements/lines',
  'POST /api/operator/bank-statements/lines/book',
  'POST /api/operator/refunds',
  'GET /api/operator/documents/{documentId}/pdf',
  'POST /api/operator/documents/{documentId}/correct',
  'GET /api/operator/catalogue',
  'PUT /api/operator/catalogue',
  'GET /api/operator/catalogue/prices',
  'POST /api/operator/catalogue/preview',
  'GET /api/operator/catalogue/price-list',
  'POST /api/operator/catalogue/price-list/compare',
  'POST /api/operator/catalogue/price-list/take-over',
  'POST /api/operator/catalogue/scheduled',
  'DELETE /api/operator/catalogue/scheduled/{id}',
  'GET /api/operator/health',
  'GET /api/operator/lag',
  'GET /api/operator/requests/{requestId}',
  'GET /api/operator/mails',
  'POST /api/operator/mails/{id}/resend',
  'GET /api/operator/audit',
  'GET /api/operator/reconciliation',
  'GET /api/operator/seals',
  'POST /api/operator/reconciliation',
];

const call = (route: string, who: string) => {
  const [method = '', path = ''] = route
    .replace('{id}', '999999999')
    .replace(/{(requestId|paymentId|documentId)}/, '01945b2e-7c1a-7d3e-8f10-2b3c4d5e6f70')
    .split(' ');
  const token = tokens[who];
  // An invalid body: callers without access must be refused before it is checked.
  const body = method === 'GET' || method === 'DELETE' ? {} : { body: { unknown: true } };
  return api.call(method, path, { ...body, ...(token !== undefined && { token }) });
};

test('the table of tested endpoints has every endpoint for operators', async () => {
  const { body } = await api.call<OpenApiDocument>('GET', '/api/docs/json');
  const documented = Object.entries(body.paths)
    .filter(([path]) => path.startsWith('/api/operator'))
    .flatMap(([path, methods]) => Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`));
  expect(documented.sort()).toEqual([...routes].sort());
});

const outsiders = ['no token', 'an expired access token'];
test.each(routes.flatMap((route) => outsiders.map((who) => [route, who] as const)))(
  '%s returns 401 with %s',
  async (route, who) => {
    const { status, error } = await call(route, who);
    expect({ status, code: error?.code }).toEqual({ status: 401, code: 'invalid_token' });
  },
);

test.each(routes.flatMap((route) => ['a proxy key', 'a billing key'].map((who) => [route, who] as const)))(
  '%s returns 403 with %s',
  async (route, who) => {
    const { status, error } = await call(route, who);
    expect({ status, code: error?.code }).toEqual({ status: 403, code: 'wrong_key_type' });
  },
);

test.each(routes)('%s returns 403 for a customer, and nothing changes', async (route) => {
  const { status, error } = await call(route, 'a customer’s access token');
  expect({ status, code: error?.code }).toEqual({ status: 403, code: 'access_denied' });
  expect((await harness.database.sql`SELECT FROM audit_entries`).length).toBe(0);
});

test.each(routes)('%s is accessible to an operator', async (route) => {
  const { status } = await call(route, 'an operator’s access token');
  expect([200, 400, 404]).toContain(status);
});
