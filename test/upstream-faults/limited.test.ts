/** A provider that rate-limits one customer keeps serving the others, on the same replica. */
import { afterAll, expect, test } from 'bun:test';
import { chat } from '../harness/clients/chat.ts';
import { startGateway } from '../harness/gateway.ts';
import { type Behaviour, failWith, wholeResponse } from '../harness/providers/scripted-provider.ts';

const { harness, provider, proxy, stop } = await startGateway({
  catalogue: (baseUrl) => `
providers:
  - { id: scripted, protocol: openai, baseUrl: "${baseUrl}" }
models:
${['size', 'alone', 'several', 'gone'].map(modelOf).join('\n')}`,
  proxyEnvironment: { EXPOSE_DEPLOYMENTS: 'true' },
});
const usage = { promptTokens: 10, completionTokens: 1 };
const tooMany = failWith(429, 'Rate limit reached.', { 'retry-after': '30' });

afterAll(stop);
provider.on('second', wholeResponse({ content: 'second', usage }));

/** Each test has its own model, because circuits have memory. */
function modelOf(name: string): string {
  return `
  - id: limited/${name}
    kind: chat
    ownedBy: test
    contextTokens: 32768
    maxOutputTokens: 2048
    price: { prompt: "1", completion: "1" }
    deployments:
      - { provider: scripted, model: ${name}, priority: 1 }
      - { provider: scripted, model: second, priority: 2 }`;
}

const limitBig = (refusal: Behaviour): Behaviour => {
  const well = wholeResponse({ content: 'first', usage });
  return (truth, request) => (truth.prompt.startsWith('big') ? refusal : well)(truth, request);
};

const newKey = async () => (await harness.createCustomer({ usd: '1' })).proxyKey;

/** The deployment that served the request. */
async function ask(key: string, model: string, content: string): Promise<string | null> {
  const response = await chat(proxy, key, { model: `limited/${model}`, messages: [{ role: 'user', content }] });
  expect(response.status).toBe(200);
  await response.text();
  return response.headers.get('x-gateway-deployment');
}

test('a request too large for the provider is served elsewhere, and other customers are not affected', async () => {
  provider.on(
    'size',
    limitBig(failWith(429, 'Request too large for m: Limit 3, Requested 9', { 'retry-after': '30' })),
  );
  for (let customer = 0; customer < 4; customer += 1)
    expect(await ask(await newKey(), 'size', 'big')).toBe('scripted/second');
  expect(await ask(await newKey(), 'size', 'small')).toBe('scripted/size');
});

test('one rate-limited customer does not make the others wait', async () => {
  provider.on('alone', limitBig(tooMany));
  const limited = await newKey();
  for (let time = 0; time < 5; time += 1) expect(await ask(limited, 'alone', 'big')).toBe('scripted/second');
  expect(await ask(await newKey(), 'alone', 'small')).toBe('scripted/alone');
  expect(await ask(limited, 'alone', 'small')).toBe('scripted/alone');
});

test('the deployment rests for all if several customers are rate-limited', async () => {
  provider.on('several', limitBig(tooMany));
  const keys = await Promise.all([newKey(), newKey(), newKey()]);
  const respondedBy = await Promise.all(keys.map((key) => ask(key, 'several', 'big')));
  expect(new Set(respondedBy)).toEqual(new Set(['scripted/second']));
  expect(await ask(await newKey(), 'several', 'small')).toBe('scripted/second');
});

test('the deployment rests immediately if the provider reports that nothing is left', async () => {
  const exhausted = { 'retry-after': '30', 'x-ratelimit-remaining-requests': '0' };
  provider.on('gone', limitBig(failWith(429, 'Rate limit reached.', exhausted)));
  expect(await ask(await newKey(), 'gone', 'big')).toBe('scripted/second');
  expect(await ask(await newKey(), 'gone', 'small')).toBe('scripted/second');
});

test('a request calls a deployment that requests a longer pause only once', async () => {
  provider.on('alone', tooMany);
  provider.on('second', failWith(429, 'Rate limit reached.', { 'retry-after': '20' }));
  const requestsBefore = provider.requests.length;
  const response = await chat(proxy, await newKey(), { model: 'limited/alone' });
  expect(response.status).toBe(503);
  // The shorter of both, less the time since.
  const seconds = Number(response.headers.get('retry-after'));
  expect(seconds).toBeGreaterThan(2);
  expect(seconds).toBeLessThanOrEqual(20);
  expect(provider.requests.length - requestsBefore).toBe(2);
});
