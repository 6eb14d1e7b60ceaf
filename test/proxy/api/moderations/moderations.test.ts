/** POST /v1/moderations: what is sent, paid and refused. Its model is free, or paid by the tokens of what it judges. */
import { afterAll, describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { spentAtRest } from '../../../harness/books.ts';
import { inCampaign } from '../../../harness/campaigns.ts';
import type { Customer } from '../../../harness/customers.ts';
import { startGateway } from '../../../harness/gateway.ts';
import { failWith, rawResponse } from '../../../harness/providers/scripted-provider.ts';

const model = (id: string, price: string) => `
  - id: test/${id}
    kind: moderation
    ownedBy: test
    contextTokens: 2000
    price: { ${price} }
    deployments: [{ provider: scripted, model: upstream-judge }]`;

const { harness, provider, proxy, stop } = await startGateway({
  catalogue: (baseUrl) => `
providers:
  - { id: scripted, protocol: openai, baseUrl: "${baseUrl}" }
models:${model('free', 'prompt: "0"')}${model('priced', 'prompt: "1"')}${model('fee', 'prompt: "0", request: "0.0001"')}
`,
});
afterAll(stop);

const newCustomer = (usd = '10') => harness.createCustomer({ usd });

const moderate = (customer: Customer, body: object) =>
  fetch(`${proxy.url}/v1/moderations`, {
    method: 'POST',
    headers: { authorization: `Bearer ${customer.proxyKey}` },
    body: JSON.stringify({ model: 'test/free', input: 'Good morning.', ...body }),
  });

const resultOf = (flagged: boolean) => ({
  flagged,
  categories: { violence: flagged, odd: 'x' },
  category_scores: { violence: flagged ? 0.9 : 0.1, odd: null },
  category_applied_input_types: { violence: ['text'] },
  secret: 'x',
});
const judged = (flags: readonly boolean[], more: object = {}) =>
  rawResponse(JSON.stringify({ id: 'modr-1', model: 'upstream', results: flags.map(resultOf), ...more }));

describe('a moderation', () => {
  test('has a result for each input, and nothing of the provider besides', async () => {
    const customer = await newCustomer();
    provider.on('upstream-judge', judged([false, true], { secret: 'x' }));
    const response = await moderate(customer, { input: ['Good morning.', 'We attack at dawn.'] });
    const of = ({ flagged, categories: { violence }, category_scores: scores }: ReturnType<typeof resultOf>) => ({
      flagged,
      categories: { violence },
      category_scores: { violence: scores.violence },
      category_applied_input_types: { violence: ['text'] },
    });
    expect(await response.json()).toEqual({
      id: 'modr-1',
      model: 'test/free',
      results: [of(resultOf(false)), of(resultOf(true))],
      usage: { prompt_tokens: 0, total_tokens: 0, cost: 0 },
    });
    expect(response.headers.get('x-cost-usd')).toBe('0');
    expect(provider.requests.at(-1)).toMatchObject({
      path: '/v1/moderations',
      body: { model: 'upstream-judge', input: ['Good morning.', 'We attack at dawn.'] },
    });
    expect(await spentAtRest(harness, customer.accountId)).toBe(0n);
  });

  test('judges texts and pictures together', async () => {
    const customer = await newCustomer();
    provider.on('upstream-judge', judged([true]));
    const input = [
      { type: 'text', text: 'Look!' },
      { type: 'image_url', image_url: { url: 'https://pictures.example.com/a.png' } },
    ];
    const response = await moderate(customer, { input });
    expect(((await response.json()) as { results: object[] }).results.length).toBe(1);
    expect(provider.requests.at(-1)?.body.input).toEqual(input);
  });

  test('costs the tokens that the provider reports, and the price of a request (campaign)', async () => {
    const customer = await newCustomer('100');
    let expected = 0n;
    const cases = fc.record({ tokens: fc.integer({ min: 0, max: 2_000 }), hasFee: fc.boolean() });
    const property = fc.asyncProperty(cases, async ({ tokens, hasFee }) => {
      provider.on('upstream-judge', judged([false], { usage: { prompt_tokens: tokens, total_tokens: tokens } }));
      const response = await moderate(customer, { model: hasFee ? 'test/fee' : 'test/priced' });
      const cost = hasFee ? 100_000n : BigInt(tokens) * 1_000n;
      expected += cost;
      expect(Number(response.headers.get('x-cost-usd')) * 1e9).toBeCloseTo(Number(cost), 3);
      await response.text();
    });
    await fc.assert(property, { numRuns: inCampaign(15, 40) });
    expect(await spentAtRest(harness, customer.accountId)).toBe(expected);
  });

  test('is estimated if it has a price and the provider does not count', async () => {
    const customer = await newCustomer();
    provider.on('upstream-judge', judged([false]));
    const response = await moderate(customer, { model: 'test/priced', input: 'Four words of text.' });
    expect(await response.json()).toMatchObject({ usage: { prompt_tokens: 5, cost: 0.000005 } });
    expect(await spentAtRest(harness, customer.accountId)).toBe(5_000n);
  });

  test.each([
    ['is refused', failWith(400, 'no'), 400],
    ['has no results', rawResponse('{"results":[]}'), 502],
    ['has one too many', judged([true, true]), 502],
    ['is a page', rawResponse('<html>'), 502],
  ])('costs nothing where it %s', async (_, behaviour, status) => {
    const customer = await newCustomer();
    provider.on('upstream-judge', behaviour);
    expect((await moderate(customer, { model: 'test/fee' })).status).toBe(status);
    expect(await spentAtRest(harness, customer.accountId)).toBe(0n);
  });
});

test.each([
  [{ input: '' }, 'invalid_parameter', 'input'],
  [{ input: [] }, 'invalid_parameter', 'input'],
  [{ input: undefined }, 'missing_parameter', 'input'],
  [{ input: [{ type: 'text', text: 'a' }, 'b'] }, 'invalid_parameter', 'input'],
  [{ input: [{ type: 'video', video: 'a' }] }, 'invalid_parameter', 'input'],
  [{ model: undefined }, 'missing_parameter', 'model'],
  [{ web_search_options: {} }, 'unsupported_parameter', 'web_search_options'],
  [{ strictness: 3 }, 'unsupported_parameter', 'strictness'],
])('a request for moderation is refused before it is sent (%#)', async (body, code, param) => {
  const customer = await newCustomer();
  const requestsBefore = provider.requests.length;
  const response = await moderate(customer, body);
  const { error } = (await response.json()) as { error: { code: string; param: string | null } };
  expect([response.status, error.code, error.param]).toEqual([400, code, param]);
  expect(provider.requests.length).toBe(requestsBefore);
});

test('a picture of a private address is refused', async () => {
  const customer = await newCustomer();
  const input = [{ type: 'image_url', image_url: { url: 'http://169.254.169.254/latest' } }];
  expect((await moderate(customer, { input })).status).toBe(400);
});
