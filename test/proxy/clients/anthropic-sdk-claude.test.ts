/** Anthropic's own client and an Anthropic model, through the gateway: what only they understand is passed on. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import type Anthropic from '@anthropic-ai/sdk';
import { startGateway } from '../../harness/gateway.ts';
import { typedEventsResponse } from '../../harness/providers/completions.ts';
import type { Behaviour } from '../../harness/providers/scripted-provider.ts';
import { clock, hello, request, spentAtRest, startCustomer } from './anthropic-clients.ts';
import { addClaude, claude } from './claude-model.ts';

const gateway = await startGateway();
const { provider, stop } = gateway;

afterAll(stop);

const model = claude;

beforeAll(() => addClaude(gateway));

function blocksResponse(...blocks: { start: object; deltas: object[] }[]): Behaviour {
  const counts = { input_tokens: 10, cache_read_input_tokens: 10, cache_creation_input_tokens: 0, output_tokens: 1 };
  const message = { id: 'msg_1', type: 'message', role: 'assistant', model: 'claude-x', content: [], usage: counts };
  return typedEventsResponse([
    { type: 'message_start', message },
    ...blocks.flatMap(({ start, deltas }, index) => [
      { type: 'content_block_start', index, content_block: start },
      ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
      { type: 'content_block_stop', index },
    ]),
    { type: 'message_delta', delta: { stop_reason: 'tool_use', stop_sequence: null }, usage: { output_tokens: 10 } },
    { type: 'message_stop' },
  ]);
}

test('an Anthropic model gets its signed thinking back, and cached tokens are charged at their price', async () => {
  const { customer, client } = await startCustomer(gateway);
  provider.on(
    'upstream-claude',
    blocksResponse(
      {
        start: { type: 'thinking', thinking: '', signature: '' },
        deltas: [
          { type: 'thinking_delta', thinking: 'H' },
          { type: 'thinking_delta', thinking: 'm.' },
          { type: 'signature_delta', signature: 'c2lnbmVk' },
        ],
      },
      { start: { type: 'redacted_thinking', data: 'ZGF0YQ' }, deltas: [] },
      { start: { type: 'tool_use', id: 'toolu_a', name: 'clock', input: {} }, deltas: [] },
    ),
  );
  const withTools = { ...request, model, max_tokens: 4096, tools: [clock] };
  const thinking = { type: 'enabled', budget_tokens: 2048 } as const;
  const message = await client.messages.stream({ ...withTools, thinking }).finalMessage();
  const blocks = [
    { type: 'thinking', thinking: 'Hm.', signature: 'c2lnbmVk' },
    { type: 'redacted_thinking', data: 'ZGF0YQ' },
    { type: 'tool_use', id: 'toolu_a', name: 'clock', input: {} },
  ];
  expect<unknown>(message.content).toEqual(blocks);
  expect(message.usage).toMatchObject({ input_tokens: 10, cache_read_input_tokens: 10, output_tokens: 10 });
  // 10 tokens at 0.60, 10 at 0.06 and 10 at 1.80 USD per million.
  expect(await spentAtRest(gateway, customer)).toBe(24_600n);

  const result = { type: 'tool_result', tool_use_id: 'toolu_a', content: 'noon' } as const;
  const turns: Anthropic.MessageParam[] = [
    hello,
    { role: 'assistant', content: message.content },
    { role: 'user', content: [result] },
  ];
  await client.messages.stream({ ...withTools, thinking, messages: turns }).finalMessage();
  expect(provider.requests.at(-1)?.body).toMatchObject({
    model: 'upstream-claude',
    thinking,
    messages: [
      { role: 'user' },
      { role: 'assistant', content: blocks },
      { role: 'user', content: [{ type: 'tool_result' }] },
    ],
  });
});
