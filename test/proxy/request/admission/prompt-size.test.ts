/** The hold covers the request as sent to the provider, which may be larger than the client's. */
import { describe, expect, test } from 'bun:test';
import type { ChatCall } from '../../../../proxy/nouns/call.ts';
import type { Deployment, Model } from '../../../../proxy/pricing/catalogue.ts';
import { textOf } from '../../../../proxy/providers/adapter.ts';
import { adapterOf } from '../../../../proxy/providers/adapters.ts';
import { quoteOf } from '../../../../proxy/request/planning/quote.ts';
import { picoUsdPerToken } from '../../../../shared/money.ts';
import { pricesAt } from '../../../harness/prices.ts';
import { parseChatCompletion, parseMessages, parseResponses } from '../../api/parse.ts';
import { anthropicDeployment } from '../../providers/anthropic/chat-call.ts';
import { targetOf } from '../../providers/gemini/chat-call.ts';
import { deploymentWith } from '../../providers/openai/calls.ts';

const gemini = targetOf().deployment;
const openai = deploymentWith({ developerRole: 'system', toolCallIds: 'alphanumeric9' });

const price = picoUsdPerToken(1_000n);
const modelAt = (...deployments: Deployment[]): Model => ({
  id: 'm',
  kind: 'chat',
  ownedBy: 'test',
  createdAt: 0,
  contextTokens: 1_000_000_000,
  maxOutputTokens: 100,
  prices: pricesAt({ prompt: price, completion: price }),
  deployments,
});

const heldFor = (call: ChatCall, ...deployments: Deployment[]) =>
  quoteOf(modelAt(...deployments), call).promptTokensMax;

const sentBytes = (call: ChatCall, deployment: Deployment) => {
  const operation = adapterOf(deployment.provider.protocol).operations.chat;
  const request = operation?.buildRequest(call, { deployment, apiKey: undefined, outputCap: 1 });
  return Buffer.byteLength((request && textOf(request.body)) ?? '');
};

const description = 'All of this is repeated in each place that refers to it. '.repeat(40);
const $defs = { it: { type: 'object', description, properties: { a: { type: 'string' } } } };
const places = Array.from({ length: 30 }, (_, index) => [`place${index}`, { $ref: '#/$defs/it' }]);
const referring = { type: 'object', properties: Object.fromEntries(places), $defs };
/** JSON text in which numbers are shorter than when they are serialised again. */
const numbers = (name: string) => `{"${name}":[${'1e20,'.repeat(5_000)}1e20]}`;
const types = { type: ['string', 'number', 'integer', 'boolean', 'array'], title: 'long '.repeat(500) };

const messages = [{ role: 'user', content: 'Hello?' }];
const chat = (body: object) => JSON.stringify({ model: 'm', messages, max_tokens: 1, ...body });
const tool = (parameters: object, extra: object = {}) => ({
  type: 'function',
  function: { name: 'f', parameters },
  ...extra,
});
const withNumbers = (text: string) => text.replace('"NUMBERS"', numbers('enum'));
const calling = [
  ...messages,
  { role: 'assistant', tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: numbers('a') } }] },
  { role: 'tool', tool_call_id: 'c', content: numbers('found') },
];

const bodies: [string, Deployment, ChatCall][] = [
  ['references in tools', gemini, parseChatCompletion(chat({ tools: [tool(referring)] }))],
  ['types in tools', gemini, parseChatCompletion(chat({ tools: [tool({ properties: { a: types } })] }))],
  [
    'references in the response format',
    gemini,
    parseChatCompletion(chat({ response_format: { type: 'json_schema', json_schema: { schema: referring } } })),
  ],
  ['numbers in calls and results', gemini, parseChatCompletion(chat({ messages: calling }))],
  ['numbers in calls', anthropicDeployment, parseChatCompletion(chat({ messages: calling }))],
  [
    'numbers in tools',
    anthropicDeployment,
    parseChatCompletion(withNumbers(chat({ tools: [tool({ a: 'NUMBERS' })] }))),
  ],
  [
    'numbers in tools with cache marks',
    openai,
    parseChatCompletion(
      withNumbers(chat({ tools: [tool({ a: 'NUMBERS' }, { cache_control: { type: 'ephemeral' } })] })),
    ),
  ],
  [
    'references in tools of the Messages dialect',
    gemini,
    parseMessages(
      JSON.stringify({ model: 'm', max_tokens: 1, messages, tools: [{ name: 'f', input_schema: referring }] }),
    ),
  ],
  [
    'references in tools of the Responses dialect',
    gemini,
    parseResponses(
      JSON.stringify({ model: 'm', input: 'x', tools: [{ type: 'function', name: 'f', parameters: referring }] }),
    ),
  ],
];

test.each(bodies)('the hold covers the request as sent with %s', (_what, deployment, call) => {
  const sent = sentBytes(call, deployment);
  expect(sent).toBeGreaterThan(call.bytes + 2_000);
  expect(heldFor(call, deployment)).toBeGreaterThanOrEqual(sent);
});

test('the measured request is the one that is sent, including when it is sent again', () => {
  for (const [, deployment, call] of bodies) {
    const before = sentBytes(call, deployment);
    heldFor(call, deployment);
    expect([sentBytes(call, deployment), sentBytes(call, deployment)]).toEqual([before, before]);
  }
});

test('the hold includes room for the instructions that providers add for earlier calls and old functions', () => {
  const plain = heldFor(parseChatCompletion(chat({ messages: [...messages, ...messages] })), openai);
  const called = heldFor(parseChatCompletion(chat({ messages: calling })), openai);
  expect(called - parseChatCompletion(chat({ messages: calling })).bytes).toBeGreaterThan(1_000);
  expect(heldFor(parseChatCompletion(chat({ functions: [{ name: 'f' }] })), openai) - plain).toBeGreaterThan(900);
});

describe('a model with several providers', () => {
  const call = parseChatCompletion(chat({ tools: [tool(referring)] }));

  test('has a hold for the provider to which the request is longest', () => {
    const longest = heldFor(call, gemini);
    expect(heldFor(call, openai)).toBeLessThan(longest);
    expect(heldFor(call, openai, gemini)).toBe(longest);
    expect(heldFor(call, gemini, openai)).toBe(longest);
  });

  test('is refused before anything is held only if all of them refuse the request', () => {
    const two = parseChatCompletion(chat({ n: 2 }));
    const refused = expect.objectContaining({ code: 'unsupported_parameter', param: 'n' });
    expect(() => heldFor(two, anthropicDeployment)).toThrow(refused);
    expect(heldFor(two, anthropicDeployment, openai)).toBe(heldFor(two, openai));
  });
});
