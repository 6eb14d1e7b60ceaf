/**
 * Three deployments, one of them down and one rate-limited: a thousand requests all succeed, the one that is down is
 * avoided, and it is used again by itself when it recovers.
 */
import { afterAll, expect, test } from 'bun:test';
import { readHealth } from '../../shared/health/deployment-health.ts';
import { guardTimeoutMs, waitFor } from '../harness/account-view.ts';
import { spentAtRest } from '../harness/books.ts';
import { chat } from '../harness/clients/chat.ts';
import { startGateway } from '../harness/gateway.ts';
import { failWith, wholeResponse } from '../harness/providers/scripted-provider.ts';

const catalogue = (baseUrl: string) => `
markup: "1"
providers:
  - { id: scripted, protocol: openai, baseUrl: "${baseUrl}" }
models:
  - id: test/three
    kind: chat
    ownedBy: test
    contextTokens: 32768
    maxOutputTokens: 2048
    price: { prompt: "1", completion: "10" }
    deployments:
      - { provider: scripted, model: dead, priority: 1 }
      - { provider: scripted, model: limited, priority: 1 }
      - { provider: scripted, model: healthy, priority: 2 }
`;
const { harness, provider, proxy, stop } = await startGateway({
  catalogue,
  proxyEnvironment: { EXPOSE_DEPLOYMENTS: 'true' },
});
const customer = await harness.createCustomer({ usd: '100' });

afterAll(stop);

const requests = 1_000;
const atOnce = 25;
const well = wholeResponse({ usage: { promptTokens: 10, completionTokens: 1 } });
const requestsTo = (model: string) => provider.requests.filter(({ body }) => body.model === model).length;
const ask = () => chat(proxy, customer.proxyKey, { model: 'test/three', max_tokens: 10 });

test('a thousand requests succeed, and few of them reach the deployments that cannot take them', async () => {
  provider.on('dead', failWith(500, 'down'));
  provider.on('limited', failWith(429, 'slow down', { 'retry-after': '60', 'x-ratelimit-remaining-requests': '0' }));
  provider.on('healthy', well);
  const statuses: number[] = [];
  let begun = 0;
  const client = async () => {
    while (begun < requests) {
      begun += 1;
      const response = await ask();
      await response.text();
      statuses.push(response.status);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, client));
  expect(statuses.filter((status) => status === 200)).toHaveLength(requests);
  expect(requestsTo('healthy')).toBe(requests);
  // Requests that were on their way when the circuit opened, and an occasional probe.
  expect(requestsTo('dead')).toBeLessThan(requests / 5);
  // Requests that were on their way when the first one got a Retry-After.
  expect(requestsTo('limited')).toBeLessThan(requests / 5);
  expect(await spentAtRest(harness, customer.accountId)).toBe(BigInt(requests) * 20_000n);
});

test('operators see the state of the deployments, at the proxy and in Redis', async () => {
  const metrics = await (await fetch(`${proxy.url}/metrics`)).text();
  expect(metrics).toContain('gateway_deployment_state{deployment="scripted/limited",state="resting"} 1');
  expect(metrics).toContain('gateway_deployment_state{deployment="scripted/healthy",state="closed"} 1');
  expect(metrics).toContain(`gateway_deployment_requests_total{deployment="scripted/healthy"} ${requests}`);
  expect(metrics).toMatch(/gateway_deployment_failures_total\{deployment="scripted\/dead"\} [1-9]/);
  expect(metrics).toMatch(/gateway_deployment_latency_seconds\{deployment="scripted\/healthy"\} \d/);
  const seen = await waitFor('the report', guardTimeoutMs, async () => {
    const [replica] = await readHealth(harness.redis, Date.now());
    return replica?.deployments.find(({ deployment }) => deployment === 'scripted/dead');
  });
  expect(seen).toMatchObject({ lastFailure: { reason: 'refused (500)' } });
});

test('a deployment that recovers is used again by itself', async () => {
  provider.on('dead', well);
  await waitFor('the deployment that was dead', guardTimeoutMs, async () => {
    const response = await ask();
    expect(response.status).toBe(200);
    return response.headers.get('x-gateway-deployment') === 'scripted/dead';
  });
  const metrics = await (await fetch(`${proxy.url}/metrics`)).text();
  expect(metrics).toContain('gateway_deployment_state{deployment="scripted/dead",state="closed"} 1');
});
