/** A new customer's first request, as a page that waits for it sees it. */
import { afterAll, expect, test } from 'bun:test';
import type { Session } from '../../admin/api/auth/session.ts';
import { openEvents } from '../admin/api/events/open-events.ts';
import { chat } from '../harness/clients/chat.ts';
import { testPassword } from '../harness/customers.ts';
import { startPrograms } from '../harness/gateway.ts';
import { wholeResponse } from '../harness/providers/scripted-provider.ts';

const { harness, provider, admin, proxy, stop } = await startPrograms();
afterAll(stop);

test('a request is reported to its account with its exact cost, and the stream ends with admin', async () => {
  provider.on('upstream-chat', wholeResponse({ content: 'Hi.', usage: { promptTokens: 11, completionTokens: 7 } }));
  const customer = await harness.createCustomer({ usd: '5' });
  const body = JSON.stringify({ email: customer.email, password: testPassword });
  const login = await fetch(`${admin.url}/api/auth/login`, { method: 'POST', body });
  const { accessToken } = (await login.json()) as Session;
  const client = await openEvents(admin.url, accessToken);

  const response = await chat(proxy, customer.proxyKey, { model: 'test/chat' });
  const event = await client.next('request');
  expect(event).toMatchObject({
    requestId: response.headers.get('x-request-id'),
    charged: response.headers.get('x-cost-usd'),
    key: { id: customer.proxyKeyId },
  });
  expect(await client.next('balance')).toMatchObject({ spent: response.headers.get('x-cost-usd') });

  await admin.stop();
  expect(await client.next('end')).toEqual({ reason: 'shutting_down' });
});
