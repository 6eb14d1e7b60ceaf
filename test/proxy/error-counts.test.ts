/** What an account sees of its failed requests: each counts once, by day, code and key. */
import { afterAll, expect, test } from 'bun:test';
import { guardTimeoutMs, waitFor } from '../harness/account-view.ts';
import { chat } from '../harness/clients/chat.ts';
import { testPassword } from '../harness/customers.ts';
import { startGateway } from '../harness/gateway.ts';
import { rawResponse, wholeResponse } from '../harness/providers/scripted-provider.ts';

const { harness, provider, admin, proxy, stop } = await startGateway();

afterAll(stop);

interface Counted {
  readonly total: number;
  readonly errors: readonly { day: string; code: string; keyId: number; count: number }[];
}

async function readErrors(email: string): Promise<Counted> {
  const post = { method: 'POST', headers: { 'content-type': 'application/json' } };
  const body = JSON.stringify({ email, password: testPassword });
  const response = await fetch(`${admin.url}/api/auth/login`, { ...post, body });
  const { accessToken } = (await response.json()) as { accessToken: string };
  const headers = { authorization: `Bearer ${accessToken}` };
  return (await (await fetch(`${admin.url}/api/errors`, { headers })).json()) as Counted;
}

test('failed requests are counted by code and key, and others are not', async () => {
  const customer = await harness.createCustomer({ usd: '1' });
  const { email, proxyKey, proxyKeyId } = customer;
  provider.on('upstream-chat', wholeResponse({ content: 'Hello' }));
  const ask = async (body: Readonly<Record<string, unknown>>) => (await chat(proxy, proxyKey, body)).text();
  await ask({ model: 'test/chat' });
  await ask({ model: 'no/such-model' });
  await ask({ model: 'no/such-model' });
  await ask({ model: 'test/chat', temperature: 'hot' });
  provider.on('upstream-chat', rawResponse('data: {"choices"', 'text/event-stream'));
  expect(await ask({ model: 'test/chat', stream: true })).toContain('upstream_error');
  await waitFor('the counts', guardTimeoutMs, async () => (await readErrors(email)).total === 4);
  const { errors } = await readErrors(email);
  // The day may have ended in between.
  const ofCode = Map.groupBy(errors, ({ code, keyId }) => `${code} of ${keyId}`);
  const sums = [...ofCode].map(([what, counts]) => [what, counts.reduce((sum, { count }) => sum + count, 0)]);
  expect(Object.fromEntries(sums)).toEqual({
    [`model_not_found of ${proxyKeyId}`]: 2,
    [`invalid_parameter of ${proxyKeyId}`]: 1,
    [`upstream_error of ${proxyKeyId}`]: 1,
  });
});

test('an account sees the failed requests of its own keys only', async () => {
  const [mine, other] = await Promise.all([1, 2].map(() => harness.createCustomer({ usd: '1' })));
  if (!mine || !other) throw new Error('there are not two customers');
  await (await chat(proxy, other.proxyKey, { model: 'no/such-model' })).text();
  await waitFor('the count', guardTimeoutMs, async () => (await readErrors(other.email)).total === 1);
  expect(await readErrors(mine.email)).toMatchObject({ total: 0, errors: [] });
});

test('the error counts of a proxy are added before it exits', async () => {
  const customer = await harness.createCustomer({ usd: '1' });
  const leaving = await harness.openProxy();
  await (await chat(leaving, customer.proxyKey, { model: 'no/such-model' })).text();
  await leaving.stop();
  expect((await readErrors(customer.email)).total).toBe(1);
});
