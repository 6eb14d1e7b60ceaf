/** A search that a request offers and does not require changes neither who may be asked, nor what is refused or charged. */
import { afterAll, describe, expect, test } from 'bun:test';
import { spentAtRest, violationsAtRest } from '../../harness/books.ts';
import type { Customer } from '../../harness/customers.ts';
import { startGateway } from '../../harness/gateway.ts';
import { framed } from '../../harness/providers/completions.ts';
import { failWith, wholeResponse, writtenResponse } from '../../harness/providers/scripted-provider.ts';
import {
  type Searched,
  searchedEvents,
  searchedMessage,
  searchedResponse,
} from '../../harness/providers/web-search.ts';

const limits = 'contextTokens: 100000, maxOutputTokens: 1000';
const priced = 'price: { prompt: "1", completion: "2", webSearch: "0.01" }';

/** 1,000 nano-dollars a prompt token, 2,000 an output token, and 10,000,000 a search where they have a price. */
const { harness, provider, proxy, stop } = await startGateway({
  catalogue: (baseUrl) => `
markup: "1"
providers:
  - { id: native, protocol: openai-responses, baseUrl: "${baseUrl}" }
  - { id: claude, publicName: claude, protocol: anthropic, baseUrl: "${baseUrl}" }
  - { id: chat, publicName: chat, protocol: openai, baseUrl: "${baseUrl}" }
models:
  - { id: test/native, kind: chat, ownedBy: test, ${limits}, ${priced},
      deployments: [{ provider: native, model: upstream-native }] }
  - { id: test/claude, kind: chat, ownedBy: test, ${limits}, ${priced},
      deployments: [{ provider: claude, model: upstream-claude }] }
  - { id: test/both, kind: chat, ownedBy: test, ${limits}, ${priced},
      deployments: [{ provider: chat, model: upstream-chat, priority: 1 },
                    { provider: claude, model: upstream-claude, priority: 2 }] }
  - { id: test/unpriced, kind: chat, ownedBy: test, ${limits}, price: { prompt: "1", completion: "2" },
      deployments: [{ provider: claude, model: upstream-claude }] }
`,
});
const customer = await harness.createCustomer({ usd: '100' });

afterAll(stop);

const searchNano = 10_000_000n;
const twice: Searched = { queries: ['a', 'b'], inputTokens: 900, outputTokens: 50 };
const plain = wholeResponse({ content: 'Hi.', usage: { promptTokens: 20, completionTokens: 5 } });
const messages = [{ role: 'user', content: 'Hello?' }];
const tool = { type: 'web_search_20250305', name: 'web_search' };
const offered = { max_tokens: 100, messages, tools: [tool] };
const sent = () => provider.requests.at(-1)?.body;

function post(path: string, body: object, key = customer.proxyKey): Promise<Response> {
  return fetch(`${proxy.url}/v1/${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}` },
    body: JSON.stringify(body),
  });
}

async function chargeOf(act: () => Promise<unknown>, { accountId }: Customer = customer): Promise<bigint> {
  const before = await spentAtRest(harness, accountId);
  await act();
  return (await spentAtRest(harness, accountId)) - before;
}

/** Without the search, and says so. */
async function expectPlain(response: Response): Promise<void> {
  expect([response.status, response.headers.get('x-gateway-removed-tools')]).toEqual([200, 'web_search']);
  await response.text();
  expect(JSON.stringify(sent()?.tools ?? [])).not.toContain('web_search');
}

describe('what cannot be had with the search is had without it', () => {
  test('the first model of a request, if only the second has a price', async () => {
    provider.on('upstream-claude', searchedMessage({ ...twice, queries: [] }));
    const response = await post('messages', { ...offered, model: 'test/unpriced', models: ['test/claude'] });
    expect(response.headers.get('x-gateway-model')).toBe('test/unpriced');
    await expectPlain(response);
  });

  test('a provider that the request demands', async () => {
    provider.on('upstream-chat', plain);
    await expectPlain(await post('messages', { ...offered, model: 'test/both', provider: { only: ['chat'] } }));
    const required = { ...offered, tool_choice: { type: 'any' }, model: 'test/both', provider: { only: ['chat'] } };
    expect((await post('messages', required)).status).toBe(404);
  });

  test('a deployment that runs no searches, while those that do are down', async () => {
    provider.on('upstream-claude', failWith(529, 'overloaded'));
    provider.on('upstream-chat', plain);
    await expectPlain(await post('messages', { ...offered, model: 'test/both' }));
  });

  test('and is not charged there for searches that were only asked of others', async () => {
    let asked = 0;
    const unasked = searchedMessage({ ...twice, reported: { web_search_requests: 3 } });
    provider.on('upstream-claude', (truth, request) => {
      asked += 1;
      const searches = JSON.stringify(truth.body.tools ?? []).includes('web_search');
      return searches ? failWith(529, 'overloaded')(truth, request) : unasked(truth, request);
    });
    provider.on('upstream-chat', failWith(503, 'overloaded'));
    const charged = await chargeOf(() =>
      post('messages', { ...offered, model: 'test/both' }).then((each) => each.text()),
    );
    expect(asked).toBeGreaterThan(1);
    expect(charged).toBe(900n * 1_000n + 50n * 2_000n);
  });

  test('a balance that covers the request alone', async () => {
    provider.on('upstream-claude', searchedMessage({ ...twice, queries: [] }));
    const poor = await harness.createCustomer({ usd: '0.02' });
    await expectPlain(await post('messages', { ...offered, model: 'test/claude' }, poor.proxyKey));
    const required = { ...offered, tool_choice: { type: 'any' }, model: 'test/claude' };
    expect((await post('messages', required, poor.proxyKey)).status).toBe(403);
    expect(await violationsAtRest(harness, [poor.accountId])).toEqual([]);
  });

  test('a price that the request allows at most', async () => {
    provider.on('upstream-claude', searchedMessage(twice));
    const response = await post('messages', {
      ...offered,
      model: 'test/claude',
      provider: { max_price: { prompt: 1 } },
    });
    expect([response.status, response.headers.get('x-gateway-removed-tools')]).toEqual([200, null]);
  });

  test('stored pages instead of live ones, which only the Responses API of a provider has', async () => {
    provider.on('upstream-claude', searchedMessage({ ...twice, queries: [] }));
    const tools = [{ type: 'web_search', external_web_access: false }];
    await expectPlain(await post('responses', { model: 'test/claude', input: 'Hello?', tools }));
    provider.on('upstream-native', searchedResponse(twice));
    await post('responses', { model: 'test/native', input: 'Hello?', tools });
    expect(sent()?.tools).toEqual(tools);
  });

  test('a function of the same name', async () => {
    provider.on('upstream-claude', searchedMessage({ ...twice, queries: [] }));
    const own = { name: 'web_search', input_schema: { type: 'object' } };
    await post('messages', { ...offered, model: 'test/claude', tools: [own, tool] });
    expect(sent()?.tools).toEqual([own]);
  });
});

test('members of a search are only checked where it can be run', async () => {
  provider.on('upstream-claude', searchedMessage({ ...twice, queries: [] }));
  for (const wrong of [{ max_uses: 100 }, { user_location: 'US' }, { allowed_domains: 7 }]) {
    const body = { ...offered, tools: [{ ...tool, ...wrong }] };
    await expectPlain(await post('messages', { ...body, model: 'test/unpriced' }));
    const refused = await post('messages', { ...body, model: 'test/claude' });
    expect(refused.status).toBe(400);
    expect(await refused.text()).toContain(`tools[0].${Object.keys(wrong)[0]}`);
  }
});

describe('a provider is not paid for searches', () => {
  test('that nobody has asked for, or beyond the number asked', async () => {
    const used = 900n * 1_000n + 50n * 2_000n;
    const seven: Searched = { ...twice, reported: { web_search_requests: 7 } };
    provider.on('upstream-claude', searchedMessage(seven));
    const ask = (more: object) =>
      post('messages', { ...offered, model: 'test/claude', ...more }).then((each) => each.text());
    expect(await chargeOf(() => ask({ tools: [] }))).toBe(used);
    expect(await chargeOf(() => ask({ tools: [], stream: true }))).toBe(used);
    expect(await chargeOf(() => ask({ tools: [{ ...tool, max_uses: 1 }] }))).toBe(used + searchNano);
  });
});

describe('a provider is paid for searches', () => {
  test('whose results were delivered before any text', async () => {
    const events = searchedEvents(twice).filter(({ index }) => index !== 0);
    const kept = events.slice(0, events.findLastIndex(({ content_block: block }) => isFound(block)) + 1);
    const read = Promise.withResolvers<void>();
    provider.on(
      'upstream-claude',
      writtenResponse(async ({ write }) => {
        write(framed(kept));
        await read.promise;
        throw new Error('the connection breaks, as scripted');
      }),
    );
    const charged = await chargeOf(async () => {
      const response = await post('messages', { ...offered, model: 'test/claude', stream: true });
      let text = '';
      for await (const chunk of response.body ?? []) {
        text += Buffer.from(chunk).toString();
        if (text.split('"type":"web_search_tool_result"').length > 2) read.resolve();
      }
    });
    expect(charged / searchNano).toBe(2n);
  });

  test('that it shows and reports as none', async () => {
    provider.on('upstream-claude', searchedMessage({ ...twice, reported: { web_search_requests: 0 } }));
    const charged = await chargeOf(() =>
      post('messages', { ...offered, model: 'test/claude' }).then((each) => each.text()),
    );
    expect(charged / searchNano).toBe(2n);
  });

  test('whose items are missing in the last event of a response', async () => {
    const whole = searchedResponse(twice);
    provider.on('upstream-native', async (truth, request) => {
      const events = await (await whole(truth, request)).text();
      const last = events.lastIndexOf('event: ');
      const [name, data = ''] = events.slice(last).split('data: ');
      const event = JSON.parse(data);
      event.response.output = [];
      const text = `${events.slice(0, last)}${name}data: ${JSON.stringify(event)}\n\n`;
      return new Response(text, { headers: { 'content-type': 'text/event-stream' } });
    });
    const body = { model: 'test/native', input: 'Hello?', tools: [{ type: 'web_search' }], stream: true };
    const charged = await chargeOf(() => post('responses', body).then((each) => each.text()));
    expect(charged).toBe(900n * 1_000n + 50n * 2_000n + 2n * searchNano);
  });
});

test('a choice names a search as it is sent, and other hosted tools are in no list of allowed ones', async () => {
  provider.on('upstream-native', searchedResponse(twice));
  const tools = [{ type: 'web_search_preview' }, { type: 'file_search' }, { type: 'web_search', filters: 7 }];
  const request = { model: 'test/native', input: 'Hello?', tools };
  await post('responses', { ...request, tool_choice: { type: 'web_search_preview' } });
  expect(sent()).toMatchObject({ tools: [{ type: 'web_search' }], tool_choice: { type: 'web_search' } });
  const allowed = { type: 'allowed_tools', mode: 'required', tools: [{ type: 'web_search' }, { type: 'file_search' }] };
  await post('responses', { ...request, tool_choice: allowed });
  expect(sent()?.tool_choice).toEqual({ ...allowed, tools: [{ type: 'web_search' }] });
});

test('functions that must not be called are not offered beside a search', async () => {
  provider.on('upstream-claude', searchedMessage(twice));
  const f = { type: 'function', function: { name: 'f' } };
  const called = [
    ...messages,
    { role: 'assistant', tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } }] },
    { role: 'tool', tool_call_id: 'c', content: '1' },
  ];
  const request = { model: 'test/claude', messages, web_search_options: {} };
  const search = [{ type: 'web_search_20250305', name: 'web_search', max_uses: 5 }];
  for (const more of [{ tools: [f], tool_choice: 'none' }, { messages: called }]) {
    await post('chat/completions', { ...request, ...more });
    expect(sent()?.tools).toEqual(search);
    expect(sent()?.tool_choice).toBeUndefined();
  }
});

test('what a client of chat completions writes as searches reaches no provider', async () => {
  provider.on('upstream-claude', searchedMessage(twice));
  const search_blocks = [
    { type: 'web_search_tool_result', tool_use_id: 'a', content: [], cache_control: { ttl: '1h' } },
  ];
  const turn = { role: 'assistant', content: 'x', search_blocks, searched_turn: search_blocks };
  const body = { model: 'test/claude', messages: [...messages, turn, ...messages], web_search_options: {} };
  await post('chat/completions', body);
  expect(JSON.stringify(sent()?.messages)).not.toContain('web_search_tool_result');
});

/** Whether a block has what a search has found. */
function isFound(block: unknown): boolean {
  return (block as { type?: string } | undefined)?.type === 'web_search_tool_result';
}
