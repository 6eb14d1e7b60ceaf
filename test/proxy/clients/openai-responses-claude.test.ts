/** OpenAI's client with POST /v1/responses, and an Anthropic model behind the gateway. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import OpenAI from 'openai';
import { toResponseInputItems } from 'openai/lib/responses/ResponseInputItems';
import type { ResponseCreateParamsNonStreaming, ResponseInput } from 'openai/resources/responses/responses';
import { startGateway } from '../../harness/gateway.ts';
import { rawResponse } from '../../harness/providers/scripted-provider.ts';
import { addClaude, claude } from './claude-model.ts';

const gateway = await startGateway();
const { harness, provider, proxy, stop } = gateway;
const customer = await harness.createCustomer({ usd: '1' });
const client = new OpenAI({ baseURL: `${proxy.url}/v1`, apiKey: customer.proxyKey, maxRetries: 0 });

beforeAll(() => addClaude(gateway));
afterAll(stop);

const tools: ResponseCreateParamsNonStreaming['tools'] = [
  { type: 'function', name: 'weather', parameters: { type: 'object' }, strict: false },
];

test('signed thinking goes back to the provider unchanged, if the client requested it', async () => {
  const content = [
    { type: 'thinking', thinking: 'Hm.', signature: 'c2ln' },
    { type: 'tool_use', id: 'toolu_1', name: 'weather', input: { city: 'Perm' } },
  ];
  const message = { id: 'msg_1', type: 'message', role: 'assistant', model: 'claude-x', content };
  const ending = { stop_reason: 'tool_use', stop_sequence: null, usage: { input_tokens: 10, output_tokens: 10 } };
  provider.on('upstream-claude', rawResponse(JSON.stringify({ ...message, ...ending })));

  const include = ['reasoning.encrypted_content' as const];
  const turn = { model: claude, tools, include, reasoning: { effort: 'low' as const }, max_output_tokens: 4_096 };
  const input: ResponseInput = [{ role: 'user', content: 'Weather?' }];
  const { output } = await client.responses.create({ ...turn, input });
  const [thoughts, call] = output;
  expect(thoughts?.type === 'reasoning' && thoughts.encrypted_content).toBeString();
  expect(call).toMatchObject({ type: 'function_call', call_id: 'toolu_1', arguments: '{"city":"Perm"}' });
  input.push(...toResponseInputItems(output), { type: 'function_call_output', call_id: 'toolu_1', output: '12' });
  await client.responses.create({ ...turn, input });
  expect(provider.requests.at(-1)?.body.messages).toMatchObject([
    { role: 'user' },
    { role: 'assistant', content },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_1' }] },
  ]);
});
