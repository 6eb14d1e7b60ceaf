/** What a provider's own Responses API gets: the client's request, stateless, capped, and without what is billed. */
import { describe, expect, test } from 'bun:test';
import type { ChatCall } from '../../../../proxy/nouns/call.ts';
import { encodeThoughts } from '../../../../proxy/nouns/requests/encrypted-thoughts.ts';
import { withoutWebSearch } from '../../../../proxy/nouns/requests/hosted-tools.ts';
import { textOf } from '../../../../proxy/providers/adapter.ts';
import {
  buildResponsesRequest,
  measureResponsesPrompt,
} from '../../../../proxy/providers/openai-responses/request/build-request.ts';
import type { Quirks } from '../../../../shared/catalogue/published-catalogue.ts';
import { GatewayError } from '../../../../shared/errors.ts';
import { parseResponses } from '../../api/parse.ts';
import { deploymentWith, targetWith } from '../openai/calls.ts';

const textSent = (request: object | string, quirks: Quirks = {}) => {
  const text = typeof request === 'string' ? request : JSON.stringify({ model: 'm', input: 'Hello?', ...request });
  return buildResponsesRequest(parseResponses(text), targetWith(quirks));
};
const sent = (request: object, quirks: Quirks = {}) => JSON.parse(String(textOf(textSent(request, quirks).body)));
const stateless = { model: 'upstream-model', store: false, max_output_tokens: 100 };

test('everything in a Responses request that costs only tokens is passed on', () => {
  const given = {
    input: [
      { type: 'additional_tools', role: 'developer', tools: [{ type: 'custom', name: 'exec' }] },
      { role: 'user', content: 'Hello?', id: 'msg_0' },
      { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'gAAAAABo' },
      { type: 'custom_tool_call', id: 'ctc_1', call_id: 'a', name: 'patch', input: 'x' },
      { type: 'custom_tool_call_output', call_id: 'a', output: 'done' },
    ],
    tools: [
      { type: 'custom', name: 'patch', format: { type: 'grammar', syntax: 'lark', definition: 'start: "x"' } },
      { type: 'namespace', name: 'n', description: '', tools: [{ type: 'function', name: 'f', parameters: {} }] },
      { type: 'tool_search', execution: 'server' },
      { type: 'function', name: 'later', defer_loading: true },
    ],
    client_metadata: { 'x-codex-window-id': '1' },
    include: ['reasoning.encrypted_content'],
    text: { verbosity: 'low' },
    reasoning: { effort: 'low', summary: 'auto', context: 'all_turns' },
    prompt_cache_key: 'k',
    service_tier: 'auto',
    stream: true,
  };
  expect(sent({ ...given, metadata: { a: 'b' } })).toEqual({ ...given, ...stateless });
});

test('the URL is that of the Responses API, unless the catalogue has another path for chat models', () => {
  expect(textSent({}).url).toEndWith('/responses');
  expect(textSent({}, { paths: { chat: '/openai/v1/responses' } }).url).toEndWith('/openai/v1/responses');
});

test('no response is stored at the provider, whatever the client asks for', () => {
  expect(sent({ store: true, max_output_tokens: 7, stream: false, background: false })).toMatchObject(stateless);
});

test('numbers in a Responses request keep every digit', () => {
  const { body } = textSent(
    '{"model":"m","input":"x","metadata":{},"prompt_cache_options":{"id":12345678901234567890}}',
  );
  expect(textOf(body)).toContain('12345678901234567890');
});

describe('hosted tools in a Responses request', () => {
  const search = { type: 'web_search' };
  const own = { type: 'function', name: 'f' };

  const more = (tools: object[]) => ({ type: 'additional_tools', role: 'developer', tools });
  const hello = { role: 'user', content: 'Hello?' };
  const sentTo = (given: object, read: (call: ChatCall) => ChatCall) => {
    const call = parseResponses(JSON.stringify({ model: 'm', input: 'Hello?', ...given }));
    return JSON.parse(String(textOf(buildResponsesRequest(read(call), targetWith({})).body)));
  };

  test('are left out of every list of tools', () => {
    const given = { tools: [search, own], input: [more([own, search]), hello] };
    expect(sentTo(given, withoutWebSearch)).toEqual({ ...stateless, tools: [own], input: [more([own]), hello] });
    expect(sentTo({ tools: [search] }, withoutWebSearch)).not.toHaveProperty('tools');
  });

  test.each([
    [[search, own], { type: 'allowed_tools', mode: 'auto', tools: [own] }],
    [[search], 'none'],
    [
      [{ type: 'file_search' }, own, { type: 'web_search_preview' }],
      { type: 'allowed_tools', mode: 'auto', tools: [own] },
    ],
  ])('that are left out are not among the allowed ones either: %j', (tools, expected) => {
    const tool_choice = { type: 'allowed_tools', mode: 'auto', tools };
    const given = { tools: [search, { type: 'file_search' }, own], tool_choice };
    expect(sentTo(given, withoutWebSearch)).toMatchObject({ tools: [own], tool_choice: expected });
  });

  test('are not among the allowed ones if only others than searches are left out', () => {
    const allowing = (...tools: object[]) => ({ type: 'allowed_tools', mode: 'auto', tools });
    const tools = [{ type: 'mcp' }, search, own];
    const choiceSent = (tool_choice: object) => sentTo({ tools, tool_choice }, (call) => call).tool_choice;
    expect(choiceSent(allowing({ type: 'mcp' }, { type: 'web_search_preview' }))).toEqual(allowing(search));
    expect(choiceSent(allowing({ type: 'mcp' }, own))).toEqual(allowing(own));
    expect(choiceSent(allowing({ type: 'mcp' }))).toBe('none');
  });

  test('stay in `tools` if they are searches, which have a price', () => {
    const given = { tools: [{ type: 'mcp' }, search, own], input: [more([own, search]), hello] };
    expect(sentTo(given, (call) => call)).toEqual({
      ...stateless,
      tools: [search, own],
      input: [more([own]), hello],
      max_tool_calls: 5,
    });
  });
});

describe('reasoning that the provider could not read', () => {
  const hello = { role: 'user', content: 'Hello?' };
  const message = { type: 'message', role: 'assistant', content: 'Hi.', id: 'msg_1' };
  const { id: _, ...withoutId } = message;
  const thoughts = encodeThoughts([{ type: 'thinking', thinking: 'Hm.', signature: 'c2ln' }]);

  test.each([
    ['has no encrypted content', {}],
    ['was encrypted by this gateway for another provider', { encrypted_content: thoughts }],
  ])('is left out if it %s, with the ids of the items that belong to it', (_name, members) => {
    const lost = { type: 'reasoning', id: 'rs_1', summary: [], ...members };
    expect(sent({ input: [hello, lost, message, hello] }).input).toEqual([hello, withoutId, hello]);
  });
});

test('data for another provider is removed from its call', () => {
  const call = { type: 'function_call', call_id: 'a', name: 'f', arguments: '{}' };
  const result = { type: 'function_call_output', call_id: 'a', output: 'x' };
  const google = { extra_content: { google: { thought_signature: 'c2ln' } } };
  expect(sent({ input: [{ ...call, ...google }, result] }).input).toEqual([call, result]);
});

test('a parameter that may be billed is refused before the hold, unless the catalogue allows it', () => {
  const refusalOf = (quirks: Quirks) => {
    try {
      measureResponsesPrompt(
        parseResponses(JSON.stringify({ model: 'm', input: 'x', brand_new: 1 })),
        deploymentWith(quirks),
      );
    } catch (error) {
      if (error instanceof GatewayError) return `${error.code} ${error.param}`;
      throw error;
    }
    return 'accepted';
  };
  expect(refusalOf({})).toBe('unsupported_parameter brand_new');
  expect(refusalOf({ allowParameters: ['brand_new'] })).toBe('accepted');
  expect(sent({ brand_new: null })).not.toHaveProperty('brand_new');
});

test('quirks of chat completions do not change a Responses request, those that drop parameters do', () => {
  const given = { reasoning: { effort: 'low' }, prompt_cache_key: 'k' };
  const quirks: Quirks = { reasoningParameter: 'reasoning_effort', dropParameters: ['prompt_cache_key'] };
  expect(sent(given, quirks)).toEqual({ ...stateless, input: 'Hello?', reasoning: { effort: 'low' } });
});
