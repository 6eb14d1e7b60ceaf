/** What a provider would bill beside the tokens of the price list is refused before anything is held. */
import { describe, expect, test } from 'bun:test';
import { buildChatRequest } from '../../../proxy/adapters/openai/build-request.ts';
import { GatewayError } from '../../../shared/errors.ts';
import { targetWith } from '../adapters/openai/calls.ts';
import { parseChatCompletion, parseCompletion, parseEmbedding, parseResponses } from '../endpoints/parse.ts';

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
    [{ service_tier: 'priority' }, 'service_tier'],
    [{ service_tier: 'flex' }, 'service_tier'],
    [{ web_search_options: {} }, 'web_search_options'],
    [{ plugins: [{ id: 'web' }] }, 'plugins'],
    [{ modalities: ['text', 'audio'], audio: { voice: 'alloy', format: 'wav' } }, 'modalities'],
    [{ tools: [{ type: 'function', function: { name: 'f' } }, { type: 'web_search' }] }, 'tools[1].type'],
  ];
  test.each(refused)('with %j is refused', (extra, param) => {
    const body = JSON.stringify({ ...chat, ...extra });
    expect(refusalOf(() => parseChatCompletion(body))).toBe(`unsupported_parameter ${param}`);
  });

  const accepted = [
    {},
    { service_tier: 'auto', modalities: ['text'] },
    { service_tier: 'default', web_search_options: null, plugins: null, modalities: null, tools: null },
    { service_tier: null, tools: [{ type: 'function', function: { name: 'f' } }] },
  ];
  test.each(accepted)('with %j is accepted', (extra) => {
    expect(refusalOf(() => parseChatCompletion(JSON.stringify({ ...chat, ...extra })))).toBe('accepted');
  });
});

test('another tier is refused by the Responses interface too', () => {
  const responses = JSON.stringify({ model: 'm', input: 'Hello?', service_tier: 'priority' });
  expect(refusalOf(() => parseResponses(responses))).toBe('unsupported_parameter service_tier');
});

describe('what is not priced', () => {
  const extras: [object, string][] = [
    [{ service_tier: 'priority' }, 'service_tier'],
    [{ plugins: [{ id: 'web' }] }, 'plugins'],
    [{ models: ['a/dearer-one'] }, 'models'],
    [{ preset: 'mine' }, 'preset'],
    [{ provider: { order: ['dear'] } }, 'provider'],
    [{ search_parameters: { mode: 'on' } }, 'search_parameters'],
    [{ enable_search: true }, 'enable_search'],
    [{ data_sources: [{ type: 'azure_search' }] }, 'data_sources'],
    // As a server that does not look at the case of names would read it.
    [{ N: 128 }, 'N'],
    [{ Service_Tier: 'priority' }, 'Service_Tier'],
    [{ 'max_to\u212Aens': 100_000 }, 'max_to\u212Aens'],
  ];
  test.each(extras)('%j is refused by every endpoint', (extra, param) => {
    const bodies = [
      () => parseChatCompletion(JSON.stringify({ ...chat, ...extra })),
      () => parseCompletion(JSON.stringify({ model: 'm', prompt: 'x', ...extra })),
      () => parseEmbedding(JSON.stringify({ model: 'm', input: 'x', ...extra })),
    ];
    expect(bodies.map(refusalOf)).toEqual(bodies.map(() => `unsupported_parameter ${param}`));
  });

  test('does not reach a provider by standing twice in the text', () => {
    const text = JSON.stringify(chat).replace(
      /}$/,
      ',"service_tier":"priority","plugins":[{"id":"web"}],"plugins":null,"service_tier":"default","enable_search":false}',
    );
    const sent = buildChatRequest(parseChatCompletion(text), targetWith({})).body;
    expect(sent).not.toContain('priority');
    expect(JSON.parse(sent)).toEqual({ ...chat, service_tier: 'default', max_tokens: 100, model: 'upstream-model' });
    expect(sent).not.toContain('plugins');
  });
});
