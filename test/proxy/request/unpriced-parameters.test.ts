/** What a provider would bill beside the tokens of the price list is refused before anything is held. */
import { describe, expect, test } from 'bun:test';
import { parseChatCompletion } from '../../../proxy/endpoints/chat-completions.ts';
import { parseResponses } from '../../../proxy/endpoints/responses.ts';
import { GatewayError } from '../../../shared/errors.ts';

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
