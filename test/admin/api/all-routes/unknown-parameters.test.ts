/** An unknown query parameter is refused by name: a misspelt filter must not list everything. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { testPassword } from '../../../harness/customers.ts';
import { type Harness, startHarness } from '../../../harness.ts';
import { type Api, logIn, startApi } from '../start-api.ts';

let harness: Harness;
let api: Api;
let accessToken: string;
let billingKey: string;
let operations: [method: string, path: string][];
beforeAll(async () => {
  harness = await startHarness();
  api = await startApi(harness);
  const operator = await harness.createCustomer({ usd: '1', role: 'operator' });
  accessToken = await logIn(api, operator.email, testPassword);
  billingKey = operator.billingKey;
  const { body } = await api.call<{ paths: Record<string, object> }>('GET', '/api/docs/json');
  operations = Object.entries(body.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method): [string, string] => [method.toUpperCase(), path.replaceAll(/\{.*?\}/g, '1')]),
  );
});
afterAll(async () => {
  await api.stop();
  await harness.stop();
});

const tokenFor = (path: string) => (path.startsWith('/api/keys') ? billingKey : accessToken);

test('every operation names an unknown parameter', async () => {
  expect(operations.length).toBeGreaterThan(40);
  for (const [method, path] of operations) {
    // Identity providers send parameters of their own.
    if (path === '/api/auth/oidc/callback') continue;
    const { status, error } = await api.call(method, `${path}?limitt=5`, { token: tokenFor(path) });
    expect({ method, path, status, code: error?.code, param: error?.param }).toEqual({
      ...{ method, path },
      ...{ status: 400, code: 'invalid_parameter', param: 'limitt' },
    });
  }
});

test('the error lists the known parameters, and every unknown one', async () => {
  const { error } = await api.call('GET', '/api/transactions?limitt=5&offset=0&ofset=3', { token: accessToken });
  expect(error?.message).toContain(
    "Unknown parameter: 'limitt'. Unknown parameter: 'ofset'. Known parameters: limit, cursor, offset",
  );
  const none = await api.call('GET', '/api/balance?currency=RUB', { token: accessToken });
  expect(none.error?.message).toBe("Unknown parameter: 'currency'. This endpoint has no parameters.");
});

test('a query parameter that occurs twice is refused', async () => {
  const { status, error } = await api.call('GET', '/api/transactions?limit=5&limit=6', { token: accessToken });
  expect(status).toBe(400);
  expect(error).toMatchObject({ code: 'invalid_parameter', param: 'limit' });
});
