/** Members for models of Anthropic and Google do not reach a provider that would refuse them. */
import { expect, test } from 'bun:test';
import { textOf } from '../../../../../proxy/providers/adapter.ts';
import { buildChatRequest } from '../../../../../proxy/providers/openai/request/build-request.ts';
import type { Quirks } from '../../../../../shared/catalogue/published-catalogue.ts';
import { targetWith, testCall } from '../calls.ts';

const cache_control = { type: 'ephemeral' };
const thinking_blocks = [{ type: 'thinking', thinking: 'hm', signature: 's' }];
const body = {
  model: 'm',
  messages: [
    { role: 'system', content: [{ type: 'text', text: 'Be brief.', cache_control }] },
    { role: 'user', content: 'Why "cache_control"?' },
    { role: 'assistant', content: 'So.', thinking_blocks, cache_control },
    { role: 'tool', tool_call_id: 'c1', content: 'done', cache_control },
  ],
  tools: [{ type: 'function', function: { name: 'f', parameters: { cache_control: 1 } }, cache_control }],
};

function sent(value: object, quirks: Quirks = {}): Record<string, unknown> {
  return JSON.parse(String(textOf(buildChatRequest(testCall({ body: { ...value } }), targetWith(quirks)).body)));
}

test('cache marks and signed thinking are removed, and nothing else', () => {
  expect(sent(body)).toMatchObject({
    messages: [
      { role: 'system', content: [{ type: 'text', text: 'Be brief.' }] },
      { role: 'user', content: 'Why "cache_control"?' },
      { role: 'assistant', content: 'So.' },
      { role: 'tool', tool_call_id: 'c1', content: 'done' },
    ],
    tools: [{ type: 'function', function: { name: 'f', parameters: { cache_control: 1 } } }],
  });
  expect(JSON.stringify(sent(body).messages)).not.toContain('thinking_blocks');
  expect(JSON.stringify(sent(body).tools)).toBe(
    '[{"type":"function","function":{"name":"f","parameters":{"cache_control":1}}}]',
  );
});

test('a provider that supports cache marks gets them', () => {
  const { messages, tools } = sent(body, { cacheControl: 'pass' });
  expect(tools).toEqual(body.tools);
  expect(messages).toEqual(body.messages.map(({ thinking_blocks: _, ...message }) => message));
});

const extra_content = { google: { thought_signature: 'c2lnbmVk' } };
const called = { id: 'c1', type: 'function', function: { name: 'f', arguments: '{"extra_content":1}' } };
const signedTurns = [
  { role: 'user', content: 'Why "extra_content"?' },
  { role: 'assistant', content: null, tool_calls: [{ ...called, extra_content }, called] },
  { role: 'tool', tool_call_id: 'c1', content: 'done' },
  { role: 'assistant', content: 'So.', extra_content },
];

test('signatures of thoughts are removed from messages and calls, and nothing else', () => {
  expect(sent({ model: 'm', messages: signedTurns }).messages).toEqual([
    { role: 'user', content: 'Why "extra_content"?' },
    { role: 'assistant', content: null, tool_calls: [called, called] },
    { role: 'tool', tool_call_id: 'c1', content: 'done' },
    { role: 'assistant', content: 'So.' },
  ]);
});

test('a provider that supports signatures of thoughts gets them', () => {
  expect(sent({ model: 'm', messages: signedTurns }, { extraContent: 'pass' }).messages).toEqual(signedTurns);
});

test('cache marks are also removed if other quirks change messages', () => {
  const { messages } = sent(body, { developerRole: 'system', toolCallIds: 'alphanumeric9' });
  expect(JSON.stringify(messages)).not.toMatch(/"(cache_control|thinking_blocks)":/);
});

test('a request without cache marks is sent as the client wrote it', () => {
  const text = '{"model":"m", "messages":[{"role":"user","content":"n is 12345678901234567890"}]}';
  const call = testCall({ text, body: JSON.parse(text) });
  expect(textOf(buildChatRequest(call, targetWith({})).body)).toContain(
    '[{"role":"user","content":"n is 12345678901234567890"}]',
  );
});

test('a tool whose schema has a member of that name is sent as the client wrote it', () => {
  const tools =
    '[{"type":"function", "function":{"name":"f","parameters":{"cache_control":{"maximum":12345678901234567890}}}}]';
  const text = `{"model":"m","messages":[{"role":"user","content":"Hi"}],"tools":${tools}}`;
  const call = testCall({ text, body: JSON.parse(text) });
  expect(textOf(buildChatRequest(call, targetWith({})).body)).toContain(tools);
});
