/** Parameters that a provider would bill in addition to tokens at list prices are refused before anything is held. */
import { describe, expect, test } from 'bun:test';
import type { ChatCall } from '../../../../proxy/nouns/call.ts';
import type { Model } from '../../../../proxy/pricing/catalogue.ts';
import { pricedFor } from '../../../../proxy/pricing/price-call.ts';
import { textOf } from '../../../../proxy/providers/adapter.ts';
import { openaiAdapter } from '../../../../proxy/providers/openai/openai-adapter.ts';
import { buildChatRequest } from '../../../../proxy/providers/openai/request/build-request.ts';
import { GatewayError } from '../../../../shared/errors.ts';
import { pricesAt } from '../../../harness/prices.ts';
import {
  parseChatCompletion,
  parseCompletion,
  parseEmbedding,
  parseMessages,
  parseResponses,
} from '../../api/parse.ts';
import { deploymentWith, targetWith } from '../../providers/openai/calls.ts';

const chat = { model: 'm', messages: [{ role: 'user', content: 'Hello?' }] };

function refusalOf(parse: () => unknown): string {
  try {
    parse();
  } catch (error) {
    if (error instanceof GatewayError) return `${error.code} ${error.param}`;
    throw error;
  }
  return 'accepted';
}

describe('a chat completion', () => {
  const refused: [object, string][] = [
    [{ service_tier: 'scale' }, 'service_tier'],
    [{ service_tier: 'FLEX' }, 'service_tier'],
    [{ web_search_options: true }, 'web_search_options'],
    [{ plugins: [{ id: 'web' }] }, 'plugins'],
    [{ modalities: ['text', 'video'] }, 'modalities'],
    [{ tools: [{ type: 'function', function: { name: 'f' } }, { type: 'brand_new' }] }, 'tools[1].type'],
  ];
  test.each(refused)('a chat completion with %j is refused', (extra, param) => {
    const body = JSON.stringify({ ...chat, ...extra });
    expect(refusalOf(() => parseChatCompletion(body))).toBe(`unsupported_parameter ${param}`);
  });

  const accepted = [
    {},
    { service_tier: 'auto', modalities: ['text'] },
    { service_tier: 'default', web_search_options: null, plugins: null, modalities: null, tools: null },
    { service_tier: null, tools: [{ type: 'function', function: { name: 'f' } }] },
  ];
  test.each(accepted)('a chat completion with %j is accepted', (extra) => {
    expect(refusalOf(() => parseChatCompletion(JSON.stringify({ ...chat, ...extra })))).toBe('accepted');
  });
});

test('the Responses API also refuses another tier', () => {
  const responses = JSON.stringify({ model: 'm', input: 'Hello?', service_tier: 'scale' });
  expect(refusalOf(() => parseResponses(responses))).toBe('unsupported_parameter service_tier');
});

describe('a parameter without a price', () => {
  const extras: [object, string][] = [
    [{ service_tier: 'scale' }, 'service_tier'],
    [{ speed: 'fast' }, 'speed'],
    [{ inference_geo: 'us' }, 'inference_geo'],
    [{ prediction: { type: 'content', content: 'x' } }, 'prediction'],
    [{ plugins: [{ id: 'web' }] }, 'plugins'],
    [{ preset: 'mine' }, 'preset'],
    [{ search_parameters: { mode: 'on' } }, 'search_parameters'],
    [{ enable_search: true }, 'enable_search'],
    [{ data_sources: [{ type: 'azure_search' }] }, 'data_sources'],
  ];
  test.each(extras)('%j is refused by every endpoint', (extra, param) => {
    const bodies = [
      () => parseChatCompletion(JSON.stringify({ ...chat, ...extra })),
      () => parseCompletion(JSON.stringify({ model: 'm', prompt: 'x', ...extra })),
      () => parseEmbedding(JSON.stringify({ model: 'm', input: 'x', ...extra })),
      () => parseMessages(JSON.stringify({ ...chat, max_tokens: 1, ...extra })),
      () => parseResponses(JSON.stringify({ model: 'm', input: 'x', ...extra })),
    ];
    expect(bodies.map(refusalOf)).toEqual(bodies.map(() => `unsupported_parameter ${param}`));
  });

  // Which chat models have a price for it, the catalogue says (test/main-job/audio-chat.test.ts).
  test.each([
    [{ audio: { voice: 'alloy' } }, 'audio'],
    [{ modalities: ['text', 'audio'] }, 'modalities'],
  ] as const)('%j is refused by every endpoint but chat completions', (extra, param) => {
    const others = [
      () => parseCompletion(JSON.stringify({ model: 'm', prompt: 'x', ...extra })),
      () => parseEmbedding(JSON.stringify({ model: 'm', input: 'x', ...extra })),
      () => parseMessages(JSON.stringify({ ...chat, max_tokens: 1, ...extra })),
      () => parseResponses(JSON.stringify({ model: 'm', input: 'x', ...extra })),
    ];
    expect(others.map(refusalOf)).toEqual(others.map(() => `unsupported_parameter ${param}`));
    expect(refusalOf(() => parseChatCompletion(JSON.stringify({ ...chat, ...extra })))).toBe('accepted');
  });

  const free = { speed: 'standard', inference_geo: 'global', plugins: [], enable_search: false, prediction: null };

  test('does not reach a provider if it has no effect', () => {
    const sent = textOf(
      buildChatRequest(parseChatCompletion(JSON.stringify({ ...chat, ...free })), targetWith({})).body,
    );
    expect(JSON.parse(String(sent))).toEqual({ ...chat, max_tokens: 100, model: 'upstream-model' });
  });
});

describe('a duplicate name', () => {
  const sentFor = (text: string) => textOf(buildChatRequest(parseChatCompletion(text), targetWith({})).body);
  const messages = JSON.stringify(chat.messages);

  test.each([
    ['"tools":[{"type":"web_search"}],"tools":[{"type":"function","function":{"name":"f"}}]', 'web_search'],
    ['"tools":[{"type":"web_search","type":"function","function":{"name":"f"}}]', 'web_search'],
    ['"modalities":["audio"],"modalities":["text"]', 'audio'],
    ['"modalities":["audio"],"modaliti\\u0065s":["text"]', 'audio'],
    ['"service_tier":"priority","service_tier":"default"', 'priority'],
    ['"plugins":[{"id":"web"}],"plugins":null', 'web'],
    ['"speed":"fast","speed":null', 'fast'],
    ['"metadata":{"a":{"b":"hidden","b":1}}', 'hidden'],
    ['"__proto__":"hidden","seed":12345678901234567890,"__proto__":null', 'hidden'],
  ])('is sent once, as it was checked: %s', (members, hidden) => {
    const sent = sentFor(`{"model":"m",${members},"messages":${messages}}`);
    expect(sent).not.toContain(hidden);
    expect(sent).toContain('Hello?');
  });

  test('a duplicate name in a message or a part of it is sent once', () => {
    const image = '{"type":"image_url","image_url":{"url":"https://x.test/film.mp4","url":"https://x.test/a.png"}}';
    const sent = sentFor(
      `{"model":"m","messages":[{"role":"user","content":"hidden","content":[${image},{"type":"hidden","type":"text","text":"Hello?"}]}]}`,
    );
    expect(sent).not.toMatch(/film|hidden/);
  });

  test('does not affect integers or any other text', () => {
    const id = '12345678901234567890';
    expect(
      sentFor(`{"model":"m","messages":${messages},"seed":1,"seed":7,"chat_template_kwargs":{"id":${id}}}`),
    ).toContain(id);
    const plain = `{"chat_template_kwargs" : {"a": 1.0}, "messages":${messages}`;
    expect(sentFor(`${plain},"model":"m"}`)).toStartWith(plain);
  });

  test('is refused in another case if it determines what is requested', () => {
    const tool = { type: 'function', function: { name: 'f' } };
    const part = { type: 'text', text: 'x' };
    const refused: [object, string][] = [
      [{ tools: [{ ...tool, Type: 'web_search' }] }, 'tools[0].Type'],
      [{ messages: [{ role: 'user', content: 'x', CONTENT: [part] }] }, 'messages[0].CONTENT'],
      [
        { messages: [{ role: 'user', content: [{ ...part, 'image_ur\uff4c': {} }] }] },
        'messages[0].content[0].image_ur\uff4c',
      ],
    ];
    for (const [extra, param] of refused) {
      const text = JSON.stringify({ ...chat, ...extra });
      expect(refusalOf(() => parseChatCompletion(text))).toBe(`unsupported_parameter ${param}`);
    }
  });
});

describe('a parameter that the gateway does not know', () => {
  const unknown: [object, string][] = [
    [{ brand_new: 1 }, 'brand_new'],
    [{ max_output_tokens: 100_000 }, 'max_output_tokens'],
    [{ extra_body: { service_tier: 'priority' } }, 'extra_body'],
    [{ best_of: 10 }, 'best_of'],
    // As a server that ignores the case of names would read it.
    [{ N: 128 }, 'N'],
    [{ Service_Tier: 'priority' }, 'Service_Tier'],
    [{ 'max_to\u212Aens': 100_000 }, 'max_to\u212Aens'],
    [{ ['x'.repeat(1_000)]: 1 }, `${'x'.repeat(64)}…`],
  ];
  test.each(unknown)('%j is refused before the hold and before it is sent', (extra, param) => {
    const call = parseChatCompletion(JSON.stringify({ ...chat, ...extra }));
    const { chat: operation } = openaiAdapter.operations;
    const expected = `unsupported_parameter ${param}`;
    expect(refusalOf(() => operation?.measurePrompt(call, deploymentWith({})))).toBe(expected);
    expect(refusalOf(() => operation?.buildRequest(call, targetWith({})))).toBe(expected);
  });

  test('is refused by every endpoint, each by its own list', () => {
    const { completion, embedding } = openaiAdapter.operations;
    const text = parseCompletion(JSON.stringify({ model: 'm', prompt: 'x', messages: [] }));
    const vector = parseEmbedding(JSON.stringify({ model: 'm', input: 'x', temperature: 1 }));
    for (const refuse of [
      () => completion?.measurePrompt(text, deploymentWith({})),
      () => completion?.buildRequest(text, targetWith({})),
    ]) {
      expect(refusalOf(refuse)).toBe('unsupported_parameter messages');
    }
    expect(refusalOf(() => embedding?.measurePrompt(vector, deploymentWith({})))).toBe(
      'unsupported_parameter temperature',
    );
  });

  test('is sent to a provider for which the catalogue allows it', () => {
    const call = parseChatCompletion(JSON.stringify({ ...chat, brand_new: 1, other: 2 }));
    const quirks = { allowParameters: ['brand_new', 'other'] };
    expect(textOf(buildChatRequest(call, targetWith(quirks)).body)).toContain('"brand_new":1,"other":2');
    expect(refusalOf(() => buildChatRequest(call, targetWith({ allowParameters: ['other'] })))).toBe(
      'unsupported_parameter brand_new',
    );
  });

  test('an unknown parameter with the value null has no effect, and does not reach the provider', () => {
    const call = parseChatCompletion(JSON.stringify({ ...chat, brand_new: null }));
    expect(textOf(buildChatRequest(call, targetWith({})).body)).not.toContain('brand_new');
  });
});

/** Of `"ttl": "1h"` in the body: an hour is found, five minutes are not, and anything else is refused. */
function checkLifetimes(parse: (text: string) => ChatCall, body: string, at: string): void {
  expect(parse(body).longCacheWriteAt).toBe(at);
  expect(parse(body.replaceAll('"1h"', '"5m"')).longCacheWriteAt).toBeUndefined();
  expect(refusalOf(() => parse(body.replaceAll('"1h"', '"2h"')))).toBe(`unsupported_parameter ${at}`);
}

const unpricedModel: Model = {
  id: 'm',
  kind: 'chat',
  ownedBy: 'test',
  createdAt: 0,
  contextTokens: 1_000,
  maxOutputTokens: 100,
  prices: pricesAt({ prompt: 1n, completion: 1n }),
  deployments: [],
};

describe('a cache write for an hour', () => {
  const cache_control = { type: 'ephemeral', ttl: '1h' };
  const tool = { type: 'function', function: { name: 'f' } };
  const inChat: [object, string][] = [
    [{ cache_control }, ''],
    [{ messages: [{ role: 'system', content: 'x', cache_control }] }, 'messages[0].'],
    [
      { messages: [{ role: 'user', content: [{ type: 'text', text: 'x', cache_control }] }] },
      'messages[0].content[0].',
    ],
    [
      { messages: [{ role: 'assistant', tool_calls: [{ ...tool, id: 'c', cache_control }] }] },
      'messages[0].tool_calls[0].',
    ],
    [{ tools: [tool, { ...tool, cache_control }] }, 'tools[1].'],
    [{ tools: [{ type: 'function', function: { name: 'f', cache_control } }] }, 'tools[0].function.'],
  ];
  test.each(inChat)('is found in a chat completion: %j', (extra, at) => {
    checkLifetimes(parseChatCompletion, JSON.stringify({ ...chat, ...extra }), `${at}cache_control.ttl`);
  });

  const text = { type: 'text', text: 'x', cache_control };
  const result = { type: 'tool_result', tool_use_id: 'c', content: [text] };
  const inMessages: [object, string][] = [
    [{ cache_control }, ''],
    [{ system: [text] }, 'system[0].'],
    [{ messages: [{ role: 'user', content: [text] }] }, 'messages[0].content[0].'],
    [{ messages: [{ role: 'user', content: [result] }] }, 'messages[0].content[0].content[0].'],
    [{ tools: [{ name: 'f', input_schema: {}, cache_control }] }, 'tools[0].'],
    [
      { messages: [{ role: 'user', content: [{ type: 'document', source: { type: 'content', content: [text] } }] }] },
      'messages[0].content[0].source.content[0].',
    ],
  ];
  test.each(inMessages)('is found in a Messages request: %j', (extra, at) => {
    checkLifetimes(parseMessages, JSON.stringify({ ...chat, max_tokens: 1, ...extra }), `${at}cache_control.ttl`);
  });

  test('is found in a Responses request', () => {
    checkLifetimes(parseResponses, JSON.stringify({ model: 'm', input: 'x', cache_control }), 'cache_control.ttl');
  });

  test('is not what a tool is called with', () => {
    const call = { type: 'tool_use', id: 'c', name: 'f', input: { cache_control } };
    const messages = [{ role: 'assistant', content: [call] }];
    expect(parseMessages(JSON.stringify({ ...chat, max_tokens: 1, messages })).longCacheWriteAt).toBeUndefined();
  });

  test('is refused where the model has no price for it', () => {
    const call = parseChatCompletion(JSON.stringify({ ...chat, tools: [{ ...tool, cache_control }] }));
    const model = { ...unpricedModel, hasLongCacheWrites: true };
    expect(pricedFor(model, call)).toBe(model);
    expect(refusalOf(() => pricedFor(unpricedModel, call))).toBe('unsupported_parameter tools[0].cache_control.ttl');
  });

  test('does not affect a top-level mark for providers that support it', () => {
    const call = parseChatCompletion(JSON.stringify({ ...chat, cache_control: { type: 'ephemeral' } }));
    expect(textOf(buildChatRequest(call, targetWith({})).body)).not.toContain('cache_control');
    expect(textOf(buildChatRequest(call, targetWith({ cacheControl: 'pass' })).body)).toContain('cache_control');
  });
});
