/** Searches of the web that providers run: what official clients send and read, what providers get, and what it costs. */
import { afterAll, describe, expect, test } from 'bun:test';
import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import type { Receipt } from '../../admin/api/response-types.ts';
import { logIn } from '../../harness/account-view.ts';
import { spentAtRest, violationsAtRest } from '../../harness/books.ts';
import { startGateway } from '../../harness/gateway.ts';
import { wholeResponse } from '../../harness/providers/scripted-provider.ts';
import {
  citation,
  type Searched,
  said,
  searchedItems,
  searchedMessage,
  searchedResponse,
  source,
} from '../../harness/providers/web-search.ts';

const priced = 'prompt: "1", completion: "2", webSearch: "0.01"';

/** 1,000 nano-dollars a prompt token, 2,000 an output token, and 10,000,000 a search where they have a price. */
const { harness, provider, admin, proxy, stop } = await startGateway({
  catalogue: (baseUrl) => `
markup: "1"
providers:
  - { id: native, protocol: openai-responses, baseUrl: "${baseUrl}" }
  - { id: claude, protocol: anthropic, baseUrl: "${baseUrl}" }
  - { id: chat, protocol: openai, baseUrl: "${baseUrl}" }
models:
  - { id: test/native, kind: chat, ownedBy: test, contextTokens: 100000, maxOutputTokens: 1000,
      price: { ${priced} }, deployments: [{ provider: native, model: upstream-native }] }
  - { id: test/claude, kind: chat, ownedBy: test, contextTokens: 100000, maxOutputTokens: 1000,
      price: { ${priced} }, deployments: [{ provider: claude, model: upstream-claude }] }
  - { id: test/both, kind: chat, ownedBy: test, contextTokens: 100000, maxOutputTokens: 1000,
      price: { ${priced} },
      deployments: [{ provider: chat, model: upstream-chat, priority: 1 },
                    { provider: claude, model: upstream-claude, priority: 2 }] }
  - { id: test/unpriced, kind: chat, ownedBy: test, contextTokens: 100000, maxOutputTokens: 1000,
      price: { prompt: "1", completion: "2" }, deployments: [{ provider: claude, model: upstream-claude }] }
`,
});
const customer = await harness.createCustomer({ usd: '100' });
const openai = new OpenAI({ baseURL: `${proxy.url}/v1`, apiKey: customer.proxyKey, maxRetries: 0 });
const anthropic = new Anthropic({ baseURL: proxy.url, apiKey: customer.proxyKey, authToken: null, maxRetries: 0 });

afterAll(stop);

const twice: Searched = { queries: ['perm', 'perm inhabitants'], inputTokens: 900, outputTokens: 50 };
/** Of `twice`. */
const charge = 900n * 1_000n + 50n * 2_000n + 2n * 10_000_000n;
const question = 'How many people live in Perm?';
const messages = [{ role: 'user' as const, content: question }];
/** As Anthropic gets it. */
const asked = { role: 'user', content: [{ type: 'text', text: question }] };

async function chargeOf(act: () => PromiseLike<unknown>): Promise<bigint> {
  const before = await spentAtRest(harness, customer.accountId);
  await act();
  return (await spentAtRest(harness, customer.accountId)) - before;
}

async function failureOf(act: () => PromiseLike<unknown>): Promise<unknown> {
  try {
    return await act();
  } catch (error) {
    return error;
  }
}

const sent = () => provider.requests.at(-1)?.body;

describe("OpenAI's client with the Responses API of the provider", () => {
  const request = {
    model: 'test/native',
    input: question,
    max_tool_calls: 3,
    tools: [
      {
        type: 'web_search_preview' as const,
        search_context_size: 'low' as const,
        user_location: { type: 'approximate' as const, country: 'RU' },
        unknown_option: 'dearer',
      },
    ],
  };

  test.each(['whole', 'stream'])('a %s response passes through, and each search is charged', async (form) => {
    provider.on('upstream-native', searchedResponse(twice));
    const charged = await chargeOf(async () => {
      const response =
        form === 'whole'
          ? await openai.responses.create(request)
          : await openai.responses.stream(request).finalResponse();
      expect<unknown>(response.output).toMatchObject(searchedItems(twice));
      expect(response.usage).toMatchObject({ input_tokens: 900, server_tool_use: { web_search_requests: 2 } });
    });
    expect(charged).toBe(charge);
    expect(sent()).toMatchObject({ max_tool_calls: 3 });
    // A member that is not known could have another price.
    expect(sent()?.tools).toEqual([
      { type: 'web_search', search_context_size: 'low', user_location: { type: 'approximate', country: 'RU' } },
    ]);
  });

  test('searches that have failed are free, and so are pages that are opened', async () => {
    provider.on('upstream-native', searchedResponse({ ...twice, failed: 2 }));
    expect(await chargeOf(() => openai.responses.create(request))).toBe(charge - 20_000_000n);
  });

  test('without a number of its own, a request may search five times', async () => {
    provider.on('upstream-native', searchedResponse(twice));
    const { max_tool_calls: _, ...unlimited } = request;
    await openai.responses.create(unlimited);
    expect(sent()).toMatchObject({ max_tool_calls: 5 });
  });

  test('the next turn sends the searches back', async () => {
    provider.on('upstream-native', searchedResponse(twice));
    const first = await openai.responses.create(request);
    const input = [{ role: 'user', content: question }, ...first.output, ...messages];
    await openai.responses.create({ ...request, input: input as never });
    expect(sent()?.input).toEqual([{ role: 'user', content: question }, ...searchedItems(twice), ...messages]);
  });
});

describe("Anthropic's client with Anthropic's model", () => {
  const tool = {
    type: 'web_search_20250305' as const,
    name: 'web_search' as const,
    max_uses: 3,
    allowed_domains: ['example.com'],
    user_location: { type: 'approximate' as const, country: 'RU', timezone: 'Asia/Yekaterinburg' },
  };
  const request = { model: 'test/claude', max_tokens: 100, messages, tools: [tool] };
  const searches = twice.queries.flatMap((query, index) => [
    { type: 'server_tool_use', id: `srvtoolu_${index}`, name: 'web_search', input: { query } },
    {
      type: 'web_search_tool_result',
      tool_use_id: `srvtoolu_${index}`,
      content: [{ type: 'web_search_result', ...source, encrypted_content: 'Y29udGVudA', page_age: null }],
    },
  ]);
  const content = [
    { type: 'text', text: 'I will look. ' },
    ...searches,
    { type: 'text', text: said, citations: [citation] },
    { type: 'text', text: ' That is all.' },
  ];

  test('a stream has the searches, what they have found and the citations, and each search is charged', async () => {
    provider.on('upstream-claude', searchedMessage(twice));
    const charged = await chargeOf(async () => {
      const message = await anthropic.messages.stream(request).finalMessage();
      expect<unknown>(message.content).toEqual(content);
      expect(message.usage).toMatchObject({ input_tokens: 900, server_tool_use: { web_search_requests: 2 } });
    });
    expect(charged).toBe(charge);
    expect(sent()?.tools).toEqual([tool]);
  });

  test('a whole message has the same', async () => {
    provider.on('upstream-claude', searchedMessage(twice));
    const charged = await chargeOf(async () => {
      const message = await anthropic.messages.create(request);
      expect<unknown>(message.content).toEqual(content);
      expect(message.usage).toMatchObject({ server_tool_use: { web_search_requests: 2 } });
    });
    expect(charged).toBe(charge);
  });

  test('the next turn sends the searches back unchanged, and without the tool only the text', async () => {
    provider.on('upstream-claude', searchedMessage(twice));
    const first = await anthropic.messages.create(request);
    const turns = [...messages, { role: 'assistant' as const, content: first.content }, ...messages];
    await anthropic.messages.create({ ...request, messages: turns });
    expect(sent()?.messages).toEqual([asked, { role: 'assistant', content }, asked]);
    await anthropic.messages.create({ ...request, tools: [], messages: turns });
    const text = { type: 'text', text: `I will look. ${said} That is all.` };
    expect(sent()?.messages).toEqual([asked, { role: 'assistant', content: [text] }, asked]);
  });

  test('a search that is forced is forced at the provider', async () => {
    provider.on('upstream-claude', searchedMessage(twice));
    const clock = { name: 'clock', input_schema: { type: 'object' as const } };
    const tools = [clock, tool];
    await anthropic.messages.create({ ...request, tools, tool_choice: { type: 'tool', name: 'web_search' } });
    expect(sent()?.tool_choice).toEqual({ type: 'tool', name: 'web_search' });
    await anthropic.messages.create({ ...request, tool_choice: { type: 'any' } });
    expect(sent()?.tool_choice).toEqual({ type: 'tool', name: 'web_search' });
    await anthropic.messages.create({ ...request, tools, tool_choice: { type: 'none' } });
    expect(sent()?.tools).toMatchObject([{ name: 'clock' }]);
  });

  test('what was not reported is counted by what was found', async () => {
    for (const reported of [undefined, {}, { web_search_requests: -1 }, { web_search_requests: 'two' }]) {
      provider.on('upstream-claude', searchedMessage({ ...twice, failed: 1, reported }));
      expect(await chargeOf(() => anthropic.messages.create(request))).toBe(charge - 10_000_000n);
      expect(await chargeOf(() => anthropic.messages.stream(request).finalMessage())).toBe(charge - 10_000_000n);
    }
  });
});

describe("OpenAI's client with Anthropic's model", () => {
  const annotation = {
    type: 'url_citation' as const,
    url_citation: { ...source, start_index: 13, end_index: 13 + said.length },
  };
  const text = `I will look. ${said} That is all.`;

  test('a chat completion has the text and its citations', async () => {
    provider.on('upstream-claude', searchedMessage(twice));
    const request = { model: 'test/claude', messages, web_search_options: {} };
    const charged = await chargeOf(async () => {
      const { choices, usage } = await openai.chat.completions.create(request);
      expect(choices[0]?.message).toEqual({
        role: 'assistant',
        content: text,
        refusal: null,
        annotations: [annotation],
      });
      expect(text.slice(annotation.url_citation.start_index, annotation.url_citation.end_index)).toBe(said);
      expect(usage).toMatchObject({ server_tool_use: { web_search_requests: 2 } });
    });
    expect(charged).toBe(charge);
    expect(sent()?.tools).toEqual([{ type: 'web_search_20250305', name: 'web_search', max_uses: 5 }]);

    const chunks = await Array.fromAsync(await openai.chat.completions.create({ ...request, stream: true }));
    const deltas = chunks.flatMap(({ choices }) => choices.map(({ delta }) => delta));
    expect(deltas.map(({ content }) => content ?? '').join('')).toBe(text);
    expect(deltas.flatMap((delta) => ('annotations' in delta ? delta.annotations : []))).toEqual([annotation]);
    expect(deltas.some((delta) => 'search_blocks' in delta)).toBe(false);
  });

  test('the location and the domains of a chat completion reach the provider', async () => {
    provider.on('upstream-claude', searchedMessage(twice));
    await openai.chat.completions.create({
      model: 'test/claude',
      messages,
      web_search_options: {
        user_location: { type: 'approximate', approximate: { city: 'Perm', country: 'RU' } },
        ...{ max_uses: 2, blocked_domains: ['spam.test'] },
      },
    });
    expect(sent()?.tools).toEqual([
      {
        type: 'web_search_20250305',
        name: 'web_search',
        max_uses: 2,
        blocked_domains: ['spam.test'],
        user_location: { type: 'approximate', city: 'Perm', country: 'RU' },
      },
    ]);
  });

  test.each(['whole', 'stream'])('a %s response has its searches as items', async (form) => {
    provider.on('upstream-claude', searchedMessage({ ...twice, failed: 1 }));
    const request = { model: 'test/claude', input: question, tools: [{ type: 'web_search' as const }] };
    const charged = await chargeOf(async () => {
      const { output } =
        form === 'whole'
          ? await openai.responses.create(request)
          : await openai.responses.stream(request).finalResponse();
      const searches = output.filter((item) => item.type === 'web_search_call');
      expect(searches).toMatchObject([
        { status: 'completed', action: { type: 'search', query: 'perm' } },
        { status: 'failed', action: { type: 'search', query: 'perm inhabitants' } },
      ]);
      const parts = output.flatMap((item) => (item.type === 'message' ? item.content : []));
      const texts = parts.flatMap((part) => (part.type === 'output_text' ? [part] : []));
      expect(texts.map((part) => part.text).join('')).toBe(text);
      const cited = texts.flatMap((part) =>
        part.annotations.map((found) =>
          found.type === 'url_citation' ? part.text.slice(found.start_index, found.end_index) : '',
        ),
      );
      expect(cited).toEqual([said]);
    });
    expect(charged).toBe(charge - 10_000_000n);
  });
});

describe('a model without a price for searches', () => {
  const asUsual = wholeResponse({ content: 'About a million.', usage: { promptTokens: 20, completionTokens: 5 } });

  test('answers without them, and the response says so', async () => {
    provider.on('upstream-claude', searchedMessage({ ...twice, queries: [] }));
    const { response } = await openai.responses
      .create({ model: 'test/unpriced', input: question, tools: [{ type: 'web_search' }] })
      .withResponse();
    expect(response.headers.get('x-gateway-removed-tools')).toBe('web_search');
    expect(sent()?.tools).toBeUndefined();
  });

  test('refuses what requires them, before anything is held', async () => {
    const count = provider.requests.length;
    const refused = { code: 'unsupported_parameter', status: 400 };
    const options = { model: 'test/unpriced', messages, web_search_options: {} };
    expect(await failureOf(() => openai.chat.completions.create(options))).toMatchObject({
      ...refused,
      param: 'web_search_options',
    });
    const tools = [{ type: 'web_search' as const }];
    const forced = {
      model: 'test/unpriced',
      input: question,
      tools,
      tool_choice: { type: 'web_search_preview' as const },
    };
    expect(await failureOf(() => openai.responses.create(forced))).toMatchObject({ ...refused, param: 'tool_choice' });
    expect(provider.requests).toHaveLength(count);
  });

  test('is not asked where another model of the request has one', async () => {
    provider.on('upstream-claude', searchedMessage(twice));
    const body = { model: 'test/unpriced', models: ['test/claude'], messages, web_search_options: {} };
    const { data, response } = await openai.chat.completions.create(body).withResponse();
    expect(data.model).toBe('test/claude');
    expect(response.headers.get('x-gateway-removed-tools')).toBeNull();
  });

  test('a deployment that cannot search is only asked without a search', async () => {
    provider.on('upstream-claude', searchedMessage(twice));
    provider.on('upstream-chat', asUsual);
    await openai.chat.completions.create({ model: 'test/both', messages, web_search_options: {} });
    expect(sent()?.model).toBe('upstream-claude');
    await openai.chat.completions.create({ model: 'test/both', messages });
    expect(sent()?.model).toBe('upstream-chat');
  });
});

test('what is not a request for searches is refused by name', async () => {
  const refusalOf = (web_search_options: object) =>
    failureOf(() => openai.chat.completions.create({ model: 'test/claude', messages, web_search_options }));
  for (const max_uses of [0, 51, 1.5, 'many']) {
    expect(await refusalOf({ max_uses })).toMatchObject({
      code: 'invalid_parameter',
      param: 'web_search_options.max_uses',
    });
  }
  expect(await refusalOf({ allowed_domains: 'example.com' })).toMatchObject({
    param: 'web_search_options.allowed_domains',
  });
});

test('the price is in the list of models and in quotes, which say what a request with searches holds', async () => {
  const { data } = await openai.models.list();
  const pricing = data.map((model) => [model.id, (model as unknown as Listed).pricing.web_search]);
  expect(Object.fromEntries(pricing)).toEqual({
    ...{ 'test/native': '0.01', 'test/claude': '0.01', 'test/both': '0.01', 'test/unpriced': undefined },
  });
  const quoteOf = async (more: object) => {
    const body = JSON.stringify({ model: 'test/claude', messages, max_tokens: 100, ...more });
    const headers = { authorization: `Bearer ${customer.proxyKey}` };
    return (await fetch(`${proxy.url}/v1/quote`, { method: 'POST', headers, body })).json() as Promise<Quoted>;
  };
  const plain = await quoteOf({});
  const searching = await quoteOf({ web_search_options: { max_uses: 2 } });
  expect(searching.pricing).toMatchObject({ web_search: '0.01' });
  // The prompt three times, and what is found: once after the first search, and twice after the second.
  expect(searching.prompt_tokens_max).toBeGreaterThan(3 * (plain.prompt_tokens_max + 16_384));
  expect(searching.prompt_tokens_max).toBeLessThan(3 * (plain.prompt_tokens_max + 16_384 + 2_000));
  // A hundred tokens are read twice more than they are generated.
  expect(searching.max_cost).toBeCloseTo(searching.prompt_tokens_max / 1e6 + (100 * (2 + 2)) / 1e6 + 0.02, 9);
});

interface Listed {
  readonly pricing: { readonly web_search?: string };
}

interface Quoted {
  readonly prompt_tokens_max: number;
  readonly max_cost: number;
  readonly pricing: object;
}

test('the receipt of a request lists its searches', async () => {
  provider.on('upstream-claude', searchedMessage(twice));
  const { data, response } = await openai.chat.completions
    .create({ model: 'test/claude', messages, web_search_options: {} })
    .withResponse();
  expect(data.usage).toMatchObject({ cost: 0.021 });
  await spentAtRest(harness, customer.accountId);
  const id = response.headers.get('x-request-id') ?? '';
  const account = await logIn(admin, customer);
  const receipt = await account.get<Receipt>(`/api/requests/${id}`);
  expect(receipt).toMatchObject({
    webSearches: 2,
    cost: { total: '0.021', units: [{ unit: 'webSearch', count: 2, price: '0.01', amount: '0.02' }] },
  });
  expect(await violationsAtRest(harness, [customer.accountId])).toEqual([]);
});
