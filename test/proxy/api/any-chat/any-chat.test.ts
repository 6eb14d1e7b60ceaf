/** POST /v1/chat/completions with a body of the Responses API or with flat tools, through the real gateway. */
import { afterAll, describe, expect, test } from 'bun:test';
import { readAnyChat } from '../../../../proxy/api/any-chat/read-any-chat.ts';
import { readDimensions } from '../../../../proxy/request/admission/read-dimensions.ts';
import { spentAtRest } from '../../../harness/books.ts';
import { startGateway } from '../../../harness/gateway.ts';
import { deltasResponse, messageResponse } from '../../../harness/providers/completions.ts';
import { testCatalogue } from '../../../harness/providers/test-catalogue.ts';

const { harness, provider, proxy, stop } = await startGateway({
  catalogue: (baseUrl) => `${testCatalogue(baseUrl)}
  - { id: test/long, kind: chat, ownedBy: test, contextTokens: 1000000, maxOutputTokens: 100,
      price: { prompt: "1", completion: "2" }, deployments: [{ provider: scripted, model: upstream-chat }] }
`,
});
const { accountId, proxyKey } = await harness.createCustomer({ usd: '5' });
afterAll(stop);

const applyPatch = { type: 'custom', name: 'ApplyPatch' };
const call = { id: 'call_1', type: 'function', function: { name: 'ApplyPatch', arguments: '{"input":"+Hello"}' } };
const hello = { role: 'user', content: 'Hello?' };

function ask(body: object, path = '/v1/chat/completions'): Promise<Response> {
  return fetch(`${proxy.url}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${proxyKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'test/chat', ...body }),
  });
}

describe('the form of the Responses API', () => {
  test('is sent on as a chat completion, without what only a Responses API has', async () => {
    provider.on('upstream-chat', messageResponse({ content: 'Hi.' }));
    const body = {
      input: [hello],
      instructions: 'Be brief.',
      reasoning: { effort: 'low', summary: 'auto' },
      text: { verbosity: 'low' },
      max_output_tokens: 40,
      store: false,
      include: ['reasoning.encrypted_content'],
      metadata: { of: 'client' },
      truncation: 'auto',
    };
    expect((await ask(body)).status).toBe(200);
    const { path, body: sent } = provider.requests.at(-1) ?? {};
    expect(path).toBe('/v1/chat/completions');
    expect(sent).toEqual({
      model: 'upstream-chat',
      messages: [{ role: 'system', content: 'Be brief.' }, hello],
      reasoning_effort: 'low',
      verbosity: 'low',
      max_tokens: 40,
    });
  });

  test('of more than 256 KiB gets the text of a call as well', async () => {
    provider.on('upstream-chat', deltasResponse([{ tool_calls: [{ index: 0, ...call }] }], 'tool_calls'));
    const long = { role: 'user', content: 'x'.repeat(300_000) };
    const events = await (await ask({ model: 'test/long', input: [long], tools: [applyPatch], stream: true })).text();
    expect(events).toContain('"arguments":"+Hello"');
    expect(events).toEndWith('data: [DONE]\n\n');
  });

  test('can be quoted', async () => {
    expect(await (await ask({ input: [hello], max_output_tokens: 40 }, '/v1/quote')).json()).toMatchObject({
      object: 'quote',
      max_tokens: 40,
    });
  });

  test('is attributed by its metadata and its user', () => {
    const body = { model: 'test/chat', input: 'Hello?', user: 'ada', metadata: { team: 'blue' } };
    const read = readAnyChat(body, JSON.stringify(body));
    expect(readDimensions(read, ['user', 'metadata.team'])).toEqual({ user: 'ada', 'metadata.team': 'blue' });
  });
});

test('tools that the provider would run are left out of every form and named', async () => {
  provider.on('upstream-chat', messageResponse({ content: 'Hi.' }));
  const tools = [applyPatch, { type: 'web_search' }];
  for (const body of [
    { input: [hello], tools },
    { messages: [hello], tools },
  ]) {
    const response = await ask(body);
    expect(response.headers.get('x-gateway-removed-tools')).toBe('web_search');
    expect(JSON.stringify(provider.requests.at(-1)?.body)).not.toContain('web_search');
  }
});

test.each<[object, string]>([
  [{ input: [hello], previous_response_id: 'resp_1' }, 'previous_response_id'],
  [{ input: [hello], web_search_options: {} }, 'web_search_options'],
  [{ input: [hello], service_tier: 'priority' }, 'service_tier'],
  [{ input: [hello], tools: [{ type: 'web_search' }], tool_choice: 'required' }, 'tool_choice'],
  [{ input: [hello], tools: [{ ...applyPatch, format: { type: 'sketch' } }] }, 'tools[0].format'],
  [{ messages: [hello], tools: [{ ...applyPatch, format: { type: 'sketch' } }] }, 'tools[0].format'],
  [{ messages: [hello], tools: [{ type: 'function', name: 'Read', parameters: 7 }] }, 'tools[0].parameters'],
  [{ messages: [hello], tools: [{ name: 'Read', input_schema: {}, strict: 7 }] }, 'tools[0].strict'],
  [
    { messages: [hello], tools: [{ name: 'Read', input_schema: {} }], tool_choice: { type: 'tool' } },
    'tool_choice.name',
  ],
  [{ messages: [], tools: [applyPatch] }, 'messages'],
  [{ input: null }, 'messages'],
])('%j is refused by name, and nothing is charged', async (body, param) => {
  const sentBefore = provider.requests.length;
  const spentBefore = await spentAtRest(harness, accountId);
  const response = await ask(body);
  const { error } = (await response.json()) as { error: { param: string } };
  expect({ status: response.status, param: error.param }).toEqual({ status: 400, param });
  expect(provider.requests).toHaveLength(sentBefore);
  expect(await spentAtRest(harness, accountId)).toBe(spentBefore);
});

test('an earlier call of a custom tool goes back with JSON as arguments, and without an empty list', async () => {
  provider.on('upstream-chat', messageResponse({ content: 'Hi.' }));
  const returned = { ...call, function: { name: 'ApplyPatch', arguments: '+"Hello"' } };
  const turn = { role: 'assistant', content: [], tool_calls: [returned] };
  const result = { role: 'tool', tool_call_id: 'call_1', content: 'Done.' };
  expect((await ask({ messages: [hello, turn, result], tools: [applyPatch] })).status).toBe(200);
  const sent = { ...call, function: { name: 'ApplyPatch', arguments: JSON.stringify({ input: '+"Hello"' }) } };
  const { messages } = provider.requests.at(-1)?.body ?? {};
  expect(messages).toEqual([hello, { ...turn, content: null, tool_calls: [sent] }, result]);
});

test("calls and results in Anthropic's form become those of a chat, with every digit", async () => {
  provider.on('upstream-chat', messageResponse({ content: 'Hi.' }));
  const text = JSON.stringify({
    model: 'test/chat',
    messages: [
      hello,
      { role: 'assistant', content: [{ type: 'tool_use', id: 'toolu_1', name: 'Read', input: { line: 'LINE' } }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: 'Empty.', is_error: true }] },
    ],
    tools: [{ name: 'Read', input_schema: { type: 'object' } }],
    tool_choice: { type: 'tool', name: 'Read' },
  }).replace('"LINE"', '12345678901234567890');
  const response = await fetch(`${proxy.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${proxyKey}` },
    body: text,
  });
  expect(response.status).toBe(200);
  const called = { name: 'Read', arguments: '{"line":12345678901234567890}' };
  expect(provider.requests.at(-1)?.body).toEqual({
    model: 'upstream-chat',
    messages: [
      hello,
      { role: 'assistant', content: null, tool_calls: [{ id: 'toolu_1', type: 'function', function: called }] },
      { role: 'tool', tool_call_id: 'toolu_1', content: 'Error: Empty.' },
    ],
    tools: [{ type: 'function', function: { name: 'Read', parameters: { type: 'object' } } }],
    tool_choice: { type: 'function', function: { name: 'Read' } },
    max_tokens: expect.any(Number),
  });
});

test('a forced custom tool is forced as the function that stands for it', async () => {
  provider.on('upstream-chat', messageResponse({ tool_calls: [call] }, 'tool_calls'));
  const choice = { type: 'custom', name: 'ApplyPatch' };
  for (const body of [
    { input: [hello], tools: [applyPatch], tool_choice: choice },
    { messages: [hello], tools: [applyPatch], tool_choice: choice },
  ]) {
    expect(await (await ask(body)).json()).toMatchObject({
      choices: [{ message: { tool_calls: [{ function: { name: 'ApplyPatch', arguments: '+Hello' } }] } }],
    });
    expect(provider.requests.at(-1)?.body.tool_choice).toEqual({ type: 'function', function: { name: 'ApplyPatch' } });
  }
});
