/** What lines of batches cost at a discount, through both programs: any usage is compared with prices that are written here once more. */
import { afterAll, expect, test } from 'bun:test';
import fc from 'fast-check';
import { guardTimeoutMs, logIn, waitFor } from '../harness/account-view.ts';
import { spentAtRest } from '../harness/books.ts';
import type { Customer } from '../harness/customers.ts';
import { startGateway } from '../harness/gateway.ts';
import { completionOf } from '../harness/providers/chunks.ts';
import { rawResponse } from '../harness/providers/scripted-provider.ts';
import { clientOf, linesOf, runToEnd } from '../harness/storage/run-batch.ts';
import { openTestStore } from '../harness/storage/stores.ts';

const folder = await openTestStore('folder');
const chat = (id: string, more: string) => `
  - id: test/${id}
    kind: chat
    ownedBy: test
    contextTokens: 32768
    maxOutputTokens: 500
    ${more}
    deployments: [{ provider: scripted, model: upstream-chat }]`;
const prices = 'price: { prompt: "1", cachedPrompt: "0.1", completion: "4", steps: [{ above: 1000, prompt: "2" }] }';
const { harness, provider, proxy, admin, stop } = await startGateway({
  proxyEnvironment: folder.environment,
  catalogue: (baseUrl) => `
markup: "1.5"
providers:
  - { id: scripted, protocol: openai, baseUrl: "${baseUrl}" }
models:${chat('cheaper', `${prices}\n    batchDiscount: "0.5"`)}${chat('same', prices)}
`,
});
afterAll(async () => {
  await stop();
  await folder.remove();
});

interface Used {
  readonly prompt: number;
  readonly cached: number;
  readonly completion: number;
}

/** In nano-dollars, with the markup. A dollar per million tokens is a million pico-dollars per token. */
function costOf({ prompt, cached, completion }: Used, share: number): bigint {
  const picoEach = (usd: number) => Math.round(usd * 1.5 * share * 1_000_000);
  const promptPrice = picoEach(prompt > 1_000 ? 2 : 1);
  const pico = (prompt - cached) * promptPrice + cached * picoEach(0.1) + completion * picoEach(4);
  return BigInt(Math.ceil(pico / 1_000));
}

const uses: fc.Arbitrary<readonly Used[]> = fc.array(
  fc
    .record({
      prompt: fc.oneof(fc.integer({ min: 1, max: 2_500 }), fc.constantFrom(1_000, 1_001)),
      share: fc.double({ min: 0, max: 1, noNaN: true }),
      completion: fc.integer({ min: 1, max: 400 }),
    })
    .map(({ prompt, share, completion }) => ({ prompt, cached: Math.floor(prompt * share), completion })),
  { minLength: 20, maxLength: 60 },
);

/** A line's number is its prompt. */
function respondWith(used: readonly Used[]): void {
  provider.on('upstream-chat', (truth, request) => {
    const { prompt = 1, cached = 0, completion = 1 } = used[Number(truth.prompt)] ?? {};
    const usage = {
      ...{ prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt + completion },
      prompt_tokens_details: { cached_tokens: cached },
    };
    // What a provider says of its tier is about the request that it got.
    const body = { ...completionOf({ content: 'Yes.' }), service_tier: 'default', usage };
    return rawResponse(JSON.stringify(body))(truth, request);
  });
}

const bodyOf = (model: string) => (number: number) => ({
  model: `test/${model}`,
  messages: [{ role: 'user', content: String(number - 1) }],
  max_tokens: 400,
});

const receiptOf = async (customer: Customer, requestId: string) => {
  const account = await logIn(admin, customer);
  const path = `/api/requests/${requestId}`;
  return waitFor('the receipt', guardTimeoutMs, () => account.get<object>(path).catch(() => undefined));
};

test.each([
  ['cheaper', 0.5],
  ['same', 1],
])('each line of the model %s costs %d of the price of its usage', async (model, share) => {
  const customer = await harness.createCustomer({ usd: '1000' });
  const client = clientOf(proxy, customer.proxyKey);
  let expected = 0n;
  const property = fc.asyncProperty(uses, async (used) => {
    respondWith(used);
    const { output, errors } = await runToEnd(client, linesOf(used.length, bodyOf(model)));
    expect([output.length, errors]).toEqual([used.length, []]);
    for (const { custom_id: id, response } of output) {
      const line = used[Number(id.slice('line-'.length)) - 1];
      if (line === undefined) throw new Error(`no line ${id}`);
      const cost = costOf(line, share);
      expect(Math.round((response?.body.usage?.cost ?? 0) * 1e9)).toBe(Number(cost));
      expected += cost;
    }
  });
  await fc.assert(property, { numRuns: 4, endOnFailure: true });
  expect(await spentAtRest(harness, customer.accountId)).toBe(expected);
});

test('the receipt of a line names its rate, and a client that waits pays the usual price', async () => {
  const customer = await harness.createCustomer({ usd: '10' });
  const client = clientOf(proxy, customer.proxyKey);
  const used = { prompt: 1_001, cached: 0, completion: 10 };
  respondWith([used]);
  const { output } = await runToEnd(client, linesOf(1, bodyOf('cheaper')));
  const requestId = output[0]?.response?.request_id ?? '';
  expect(await receiptOf(customer, requestId)).toMatchObject({
    cost: { rate: { serviceTier: 'batch', abovePromptTokens: 1_000 }, total: '0.0015315' },
  });
  await client.chat.completions.create({ model: 'test/cheaper', messages: [{ role: 'user', content: '0' }] });
  const usual = costOf(used, 1);
  expect(await spentAtRest(harness, customer.accountId)).toBe(1_531_500n + usual);
});

test('no request can ask for the price of batches', async () => {
  const customer = await harness.createCustomer({ usd: '10' });
  const response = await fetch(`${proxy.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${customer.proxyKey}` },
    body: JSON.stringify({ ...bodyOf('cheaper')(1), service_tier: 'batch' }),
  });
  const { error } = (await response.json()) as { error: { code: string; param: string } };
  expect([response.status, error.code, error.param]).toEqual([400, 'unsupported_parameter', 'service_tier']);
});
