/**
 * Rankings through both programs, requested by Cohere's own client and by any other: what is sent to each protocol, held and
 * paid, and the receipt. Costs are reckoned here once more, by hand.
 */
import { afterAll, describe, expect, test } from 'bun:test';
import { CohereClient } from 'cohere-ai';
import fc from 'fast-check';
import { guardTimeoutMs, logIn, waitFor } from '../harness/account-view.ts';
import { spentAtRest } from '../harness/books.ts';
import type { Customer } from '../harness/customers.ts';
import { startGateway } from '../harness/gateway.ts';
import { type Behaviour, failWith, rawResponse } from '../harness/providers/scripted-provider.ts';

/** Without a markup. */
const searchNano = 2_000_000n;
const tokenNano = 50n;

const model = (id: string, provider: string, price: string) => `
  - id: test/${id}
    kind: rerank
    ownedBy: test
    contextTokens: 4096
    price: { ${price} }
    deployments: [{ provider: ${provider}, model: upstream-ranker }]`;

const { harness, provider, proxy, admin, stop } = await startGateway({
  catalogue: (baseUrl) => `
providers:
  - { id: scripted, protocol: openai, baseUrl: "${baseUrl}" }
  - { id: cohere, protocol: cohere, baseUrl: "${baseUrl}" }
models:${model('by-search', 'cohere', 'search: "0.002"')}${model('by-token', 'scripted', 'prompt: "0.05"')}
  - id: test/chat
    kind: chat
    ownedBy: test
    contextTokens: 8000
    maxOutputTokens: 100
    price: { prompt: "1", completion: "2" }
    deployments: [{ provider: scripted, model: upstream-chat }]
`,
});
afterAll(stop);

const query = 'What is the capital of France?';
const documents = ['Berlin is in Germany.', 'Paris is the capital of France.', 'Rome is in Italy.'];

const rerank = (customer: Customer, body: object = {}, headers: Readonly<Record<string, string>> = {}) =>
  fetch(`${proxy.url}/v1/rerank`, {
    method: 'POST',
    headers: { authorization: `Bearer ${customer.proxyKey}`, ...headers },
    body: JSON.stringify({ model: 'test/by-search', query, documents, ...body }),
  });

/** The last document is the most relevant, and so on. */
const ranked = (count: number, more: object = {}): Behaviour => {
  const results = Array.from({ length: count }, (_, index) => ({ index, relevance_score: (index + 1) / (count + 1) }));
  return rawResponse(JSON.stringify({ id: 'rank-1', results: results.reverse(), secret: 'x', ...more }));
};
const searched = (units: unknown) => ({ meta: { billed_units: { search_units: units }, warnings: ['x'] } });

/** As soon as the charge is booked. */
const receiptOf = async (customer: Customer, response: Response) => {
  const account = await logIn(admin, customer);
  const path = `/api/requests/${response.headers.get('x-request-id')}`;
  return waitFor('the receipt', guardTimeoutMs, () => account.get<object>(path).catch(() => undefined));
};

describe('a ranking that is paid by searches', () => {
  test('has the best documents, its cost, and a receipt', async () => {
    const customer = await harness.createCustomer({ usd: '10' });
    provider.on('upstream-ranker', ranked(3, searched(1)));
    const sent = [documents[0], { text: documents[1], id: 7 }, documents[2]];
    const response = await rerank(customer, {
      ...{ documents: sent, top_n: 2, return_documents: true, max_tokens_per_doc: 500 },
      provider: { allow_fallbacks: false },
    });
    expect(await response.json()).toEqual({
      id: 'rank-1',
      model: 'test/by-search',
      results: [
        { index: 2, relevance_score: 0.75, document: { text: 'Rome is in Italy.' } },
        { index: 1, relevance_score: 0.5, document: { text: 'Paris is the capital of France.', id: 7 } },
      ],
      meta: { api_version: { version: '1' }, billed_units: { search_units: 1 } },
      usage: { prompt_tokens: 0, total_tokens: 0, cost: 0.002 },
    });
    expect(response.headers.get('x-cost-usd')).toBe('0.002');
    expect(provider.requests.at(-1)).toMatchObject({ path: '/v1/rerank' });
    expect(provider.requests.at(-1)?.body).toEqual({
      ...{ model: 'upstream-ranker', query, documents, top_n: 2, max_tokens_per_doc: 500 },
    });
    expect(await spentAtRest(harness, customer.accountId)).toBe(searchNano);
    const account = await logIn(admin, customer);
    const [transaction] = await account.transactions();
    expect(transaction).toMatchObject({
      description: 'test/by-search: 1 search',
      parts: { kind: 'usage', searches: 1, images: 0, promptTokens: 0, completionTokens: 0 },
    });
    expect(await receiptOf(customer, response)).toMatchObject({
      ...{ searches: 1, promptTokens: 0, estimated: false },
      cost: { units: [{ unit: 'search', count: 1, price: '0.002', amount: '0.002' }] },
    });
  });

  test('is what the client of Cohere reads', async () => {
    const customer = await harness.createCustomer({ usd: '10' });
    const client = new CohereClient({ token: customer.proxyKey, environment: proxy.url, maxRetries: 0 });
    provider.on('upstream-ranker', ranked(3, searched(1)));
    const { results, meta } = await client.rerank({
      ...{ model: 'test/by-search', query, documents: [...documents], topN: 1, returnDocuments: true },
    });
    expect(results).toEqual([{ index: 2, relevanceScore: 0.75, document: { text: 'Rome is in Italy.' } }]);
    expect(meta?.billedUnits?.searchUnits).toBe(1);
    expect(await spentAtRest(harness, customer.accountId)).toBe(searchNano);
  });

  test('costs the searches that the provider reports, and never more than was held for ordinary documents', async () => {
    const customer = await harness.createCustomer({ usd: '1000' });
    let expected = 0n;
    const cases = fc.record({
      count: fc.integer({ min: 1, max: 1_000 }),
      text: fc.string({ unit: 'grapheme', maxLength: 200 }),
      wanted: fc.option(fc.integer({ min: 1, max: 1_000 })),
    });
    const property = fc.asyncProperty(cases, async ({ count, text, wanted }) => {
      const units = Math.ceil(count / 100);
      provider.on('upstream-ranker', ranked(count, searched(units)));
      const body = { documents: Array<string>(count).fill(text), top_n: wanted };
      const quote = await fetch(`${proxy.url}/v1/quote`, {
        method: 'POST',
        headers: { authorization: `Bearer ${customer.proxyKey}` },
        body: JSON.stringify({ model: 'test/by-search', query, ...body }),
      });
      const { max_cost: most } = (await quote.json()) as { max_cost: number };
      const response = await rerank(customer, body);
      const { results, usage } = (await response.json()) as { results: object[]; usage: { cost: number } };
      expect(results.length).toBe(Math.min(wanted ?? count, count));
      const costNano = BigInt(units) * searchNano;
      expected += costNano;
      expect(usage.cost * 1e9).toBeCloseTo(Number(costNano), 3);
      expect(most).toBeGreaterThanOrEqual(usage.cost);
    });
    await fc.assert(property, { numRuns: 40 });
    expect(await spentAtRest(harness, customer.accountId)).toBe(expected);
  });

  test.each([
    ['nothing', {}, 1n, true],
    ['nonsense', searched('many'), 1n, true],
    ['zero', searched(0), 0n, false],
  ])('is estimated only where the provider reports %s', async (_, reported, searches, estimated) => {
    const customer = await harness.createCustomer({ usd: '10' });
    provider.on('upstream-ranker', ranked(3, reported));
    const response = await rerank(customer);
    expect(response.status).toBe(200);
    await response.text();
    expect(await spentAtRest(harness, customer.accountId)).toBe(searches * searchNano);
    expect(await receiptOf(customer, response)).toMatchObject({ estimated, searches: Number(searches) });
  });

  test('is refused where the balance does not cover it, and many at once never overdraw', async () => {
    const customer = await harness.createCustomer({ usd: '0.02' });
    provider.on('upstream-ranker', ranked(3, searched(1)));
    const responses = await Promise.all(Array.from({ length: 30 }, () => rerank(customer)));
    const statuses = responses.map(({ status }) => status);
    await Promise.all(responses.map((response) => response.text()));
    expect(statuses.filter((status) => status === 200).length).toBe(10);
    expect(statuses.every((status) => status === 200 || status === 403)).toBe(true);
    expect(await spentAtRest(harness, customer.accountId)).toBe(10n * searchNano);
  });

  test('is repeated for the same Idempotency-Key, and charged once', async () => {
    const customer = await harness.createCustomer({ usd: '10' });
    provider.on('upstream-ranker', ranked(3, searched(1)));
    const headers = { 'idempotency-key': crypto.randomUUID() };
    const first = await (await rerank(customer, {}, headers)).text();
    expect(await (await rerank(customer, {}, headers)).text()).toBe(first);
    expect(await spentAtRest(harness, customer.accountId)).toBe(searchNano);
  });
});

describe('a ranking that is paid by tokens', () => {
  test('costs the tokens that the provider reports under any of the usual names', async () => {
    const customer = await harness.createCustomer({ usd: '100' });
    let expected = 0n;
    const reports = [
      (tokens: number) => ({ usage: { total_tokens: tokens } }),
      (tokens: number) => ({ usage: { prompt_tokens: tokens, total_tokens: tokens } }),
      (tokens: number) => ({ meta: { tokens: { input_tokens: tokens, output_tokens: 0 } } }),
      (tokens: number) => ({ meta: { billed_units: { input_tokens: tokens } } }),
    ];
    const cases = fc.record({ tokens: fc.integer({ min: 0, max: 12_000 }), report: fc.constantFrom(...reports) });
    const property = fc.asyncProperty(cases, async ({ tokens, report }) => {
      provider.on('upstream-ranker', ranked(3, report(tokens)));
      const response = await rerank(customer, { model: 'test/by-token', return_documents: true });
      const costNano = BigInt(tokens) * tokenNano;
      expected += costNano;
      expect(await response.json()).toMatchObject({
        meta: { billed_units: { input_tokens: tokens } },
        usage: { prompt_tokens: tokens, total_tokens: tokens },
      });
      expect(Number(response.headers.get('x-cost-usd')) * 1e9).toBeCloseTo(Number(costNano), 3);
      expect(provider.requests.at(-1)?.body).toEqual({
        ...{ model: 'upstream-ranker', query, documents, return_documents: false },
      });
    });
    await fc.assert(property, { numRuns: 60 });
    expect(await spentAtRest(harness, customer.accountId)).toBe(expected);
  });

  test.each([
    ['few', documents],
    ['a megabyte of', Array<string>(1_000).fill('word '.repeat(200))],
  ])('counts the query with each of %s documents where the provider reports nothing', async (_, texts) => {
    const customer = await harness.createCustomer({ usd: '10' });
    provider.on('upstream-ranker', ranked(texts.length));
    const response = await rerank(customer, { model: 'test/by-token', documents: texts });
    const { usage } = (await response.json()) as { usage: { prompt_tokens: number } };
    // The query has seven tokens, and a word about one.
    const words = texts.reduce((sum, text) => sum + text.trim().split(' ').length, 0);
    expect(usage.prompt_tokens).toBeGreaterThan(0.8 * (words + 7 * texts.length));
    expect(usage.prompt_tokens).toBeLessThan(1.4 * (words + 7 * texts.length));
    expect(await spentAtRest(harness, customer.accountId)).toBe(BigInt(usage.prompt_tokens) * tokenNano);
    expect(await receiptOf(customer, response)).toMatchObject({ estimated: true });
  });
});

test.each([
  ['is refused', failWith(400, 'no'), 400],
  ['fails', failWith(503, 'busy'), 502],
  ['has no ranking', rawResponse('{"results":[]}'), 502],
  ['names a document that was not sent', ranked(4), 502],
  [
    'names a document twice',
    rawResponse(JSON.stringify({ results: [0, 0].map((index) => ({ index, relevance_score: 1 })) })),
    502,
  ],
  ['has no scores', rawResponse('{"results":[{"index":0},{"index":1},{"index":2}]}'), 502],
  ['is a page', rawResponse('<html>'), 502],
])('a ranking costs nothing where it %s', async (_, behaviour, status) => {
  const customer = await harness.createCustomer({ usd: '10' });
  provider.on('upstream-ranker', behaviour);
  expect((await rerank(customer)).status).toBe(status);
  expect(await spentAtRest(harness, customer.accountId)).toBe(0n);
});

test.each([
  [{ query: '' }, 'invalid_parameter', 'query'],
  [{ query: undefined }, 'missing_parameter', 'query'],
  [{ documents: [] }, 'invalid_parameter', 'documents'],
  [{ documents: undefined }, 'missing_parameter', 'documents'],
  [{ documents: Array<string>(1_001).fill('a') }, 'invalid_parameter', 'documents'],
  [{ documents: ['a', { title: 'b' }] }, 'invalid_parameter', 'documents[1]'],
  [{ top_n: 0 }, 'invalid_parameter', 'top_n'],
  [{ return_documents: 'yes' }, 'invalid_parameter', 'return_documents'],
  [{ model: 'test/chat' }, 'invalid_parameter', 'model'],
  [{ rank_fields: ['title'] }, 'unsupported_parameter', 'rank_fields'],
  [{ model: 'test/by-token', max_tokens_per_doc: 500 }, 'unsupported_parameter', 'max_tokens_per_doc'],
  [{ web_search_options: {} }, 'unsupported_parameter', 'web_search_options'],
])('a request is refused before anything is held (%#)', async (body, code, param) => {
  const customer = await harness.createCustomer({ usd: '10' });
  const requestsBefore = provider.requests.length;
  const response = await rerank(customer, body);
  const { error } = (await response.json()) as { error: { code: string; param: string | null } };
  expect([response.status, error.code, error.param]).toEqual([400, code, param]);
  expect(provider.requests.length).toBe(requestsBefore);
  expect(await (await logIn(admin, customer)).balance()).toMatchObject({ available: 10, reserved: 0 });
});
