/** Several proxies on one port of one machine: the kernel gives each new connection to one of them. */
import { afterAll, expect, test } from 'bun:test';
import { deploymentHeader } from '../../proxy/request/response/stored-response.ts';
import { guardTimeoutMs, waitFor } from '../harness/account-view.ts';
import { startGateway } from '../harness/gateway.ts';
import { wholeResponse } from '../harness/providers/scripted-provider.ts';

/** Only the second proxy names the deployment, which shows which one has responded. */
const gateway = await startGateway({ proxyEnvironment: { PROXY_REUSE_PORT: 'true' } });
const { harness, provider, proxy } = gateway;
const environment = {
  PROXY_REUSE_PORT: 'true',
  PROXY_PORT: new URL(proxy.url).port,
  EXPOSE_DEPLOYMENTS: 'true',
};
const second = await harness.startProxy(environment);
const customer = await harness.createCustomer({ usd: '10' });
provider.on('upstream-chat', wholeResponse({ usage: { promptTokens: 10, completionTokens: 1 } }));

afterAll(gateway.stop);

async function ask(): Promise<'first' | 'second'> {
  const response = await fetch(`${proxy.url}/v1/chat/completions`, {
    method: 'POST',
    keepalive: false,
    headers: { authorization: `Bearer ${customer.proxyKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'test/chat', messages: [{ role: 'user', content: 'Hello' }], max_tokens: 20 }),
  });
  expect(response.status).toBe(200);
  await response.text();
  return response.headers.has(deploymentHeader) ? 'second' : 'first';
}

test('two proxies on one port both respond, and one continues when the other has stopped', async () => {
  const respondents = new Set<string>();
  await waitFor('both to answer', guardTimeoutMs, async () => respondents.add(await ask()).size === 2);
  await proxy.stop();
  for (let request = 1; request <= 20; request += 1) expect(await ask()).toBe('second');
  await second.stop();
});
