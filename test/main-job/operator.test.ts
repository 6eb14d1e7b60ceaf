/** Operators' decisions as seen by a customer's requests, and the receipt of a real request. */
import { afterAll, expect, test } from 'bun:test';
import { guardTimeoutMs, waitFor } from '../harness/account-view.ts';
import { chat, errorCodeOf } from '../harness/clients/chat.ts';
import { testPassword } from '../harness/customers.ts';
import { startGateway } from '../harness/gateway.ts';
import { wholeResponse } from '../harness/providers/scripted-provider.ts';

const { harness, provider, admin, proxy, stop } = await startGateway();
const customer = await harness.createCustomer({ usd: '5' });
const operator = await harness.createCustomer({ usd: '0', role: 'operator' });
provider.on('upstream-chat', wholeResponse({ content: 'Hi.', usage: { promptTokens: 11, completionTokens: 7 } }));

afterAll(stop);

async function tokenOf(email: string): Promise<string> {
  const body = JSON.stringify({ email, password: testPassword });
  const response = await fetch(`${admin.url}/api/auth/login`, { method: 'POST', body });
  const { accessToken } = (await response.json()) as { accessToken: string };
  return accessToken;
}

const operatorToken = await tokenOf(operator.email);
const customerToken = await tokenOf(customer.email);

function decide(method: string, path: string, body: object): Promise<Response> {
  return fetch(`${admin.url}/api/operator/accounts/${customer.accountId}${path}`, {
    method,
    headers: { authorization: `Bearer ${operatorToken}` },
    body: JSON.stringify(body),
  });
}

const ask = () => chat(proxy, customer.proxyKey, { model: 'test/chat' });

test('the receipt of a request matches its response, to the nano-dollar', async () => {
  const response = await ask();
  const requestId = response.headers.get('x-request-id');
  const receipt = await waitFor('the receipt', guardTimeoutMs, async () => {
    const headers = { authorization: `Bearer ${customerToken}` };
    const found = await fetch(`${admin.url}/api/requests/${requestId}`, { headers });
    return found.status === 200 && ((await found.json()) as Record<string, unknown>);
  });
  expect(receipt).toMatchObject({
    requestId,
    key: { id: customer.proxyKeyId },
    estimated: false,
    final: true,
    promptTokens: 11,
    completionTokens: 7,
    charged: response.headers.get('x-cost-usd'),
    cost: { exact: '0.0000192', rounding: '0', uncharged: '0' },
    balanceAfter: '4.9999808',
  });
  // Only operators see the supplier of a model.
  expect(receipt).not.toHaveProperty('deployment');
});

test('a blocked account’s key is refused from the confirmation of the block to that of the unblock', async () => {
  expect((await decide('POST', '/block', { reason: 'chargeback' })).status).toBe(200);
  const refused = await ask();
  expect({ status: refused.status, code: await errorCodeOf(refused) }).toEqual({
    status: 403,
    code: 'key_deactivated',
  });
  expect((await decide('POST', '/unblock', { reason: 'paid' })).status).toBe(200);
  expect((await ask()).status).toBe(200);
});

test('an account’s limit applies to all of its keys as soon as it is confirmed', async () => {
  expect((await decide('PUT', '/limits', { requestsPerMinute: 1 })).status).toBe(200);
  const responses = [await ask(), await ask(), await ask()];
  const limited = responses.filter(({ status }) => status === 429);
  expect(limited.length).toBeGreaterThan(0);
  for (const response of limited) expect(await errorCodeOf(response)).toBe('rate_limit_exceeded');
  expect((await decide('PUT', '/limits', { requestsPerMinute: null })).status).toBe(200);
  expect((await ask()).status).toBe(200);
});
