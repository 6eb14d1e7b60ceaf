/** A Responses request becomes the chat completion request that every adapter reads. */
import { expect, test } from 'bun:test';
import { encodeThoughts } from '../../../../proxy/nouns/requests/encrypted-thoughts.ts';
import { parseResponses } from '../parse.ts';

const model = 'test/chat';
const hello = { role: 'user', content: 'Hello?' };

const chatOf = (request: object): Record<string, unknown> =>
  JSON.parse(String(parseResponses(JSON.stringify({ model, input: 'Hello?', ...request })).text));

const messagesOf = (...input: object[]) => chatOf({ input }).messages;

const weather = { type: 'function', name: 'weather', parameters: { type: 'object' }, strict: true };
const clock = { type: 'function', name: 'clock', description: 'Tells the time.', parameters: null, strict: null };
const chatWeather = { type: 'function', function: { name: 'weather', parameters: { type: 'object' }, strict: true } };
const chatClock = { type: 'function', function: { name: 'clock', description: 'Tells the time.' } };

test('a text becomes a user message, and instructions a system message before it', () => {
  expect(chatOf({ instructions: 'Be brief.' })).toEqual({
    model,
    messages: [{ role: 'system', content: 'Be brief.' }, hello],
  });
});

const settings: readonly [string, object, object][] = [
  ['max_output_tokens', { max_output_tokens: 50 }, { max_completion_tokens: 50 }],
  ['sampling', { temperature: 0.5, top_p: 0.9 }, { temperature: 0.5, top_p: 0.9 }],
  ['zero', { temperature: 0 }, { temperature: 0 }],
  [
    'nulls',
    { temperature: null, max_output_tokens: null, tools: null, include: null, reasoning: null, text: null },
    {},
  ],
  ['stream', { stream: true, stream_options: { include_obfuscation: false } }, { stream: true }],
  ['reasoning', { reasoning: { effort: 'high', summary: 'auto' } }, { reasoning_effort: 'high' }],
  ['verbosity', { text: { verbosity: 'low' } }, { verbosity: 'low' }],
  ['plain text', { text: { format: { type: 'text' } } }, {}],
  ['json_object', { text: { format: { type: 'json_object' } } }, { response_format: { type: 'json_object' } }],
  [
    'json_schema',
    { text: { format: { type: 'json_schema', name: 'n', schema: { type: 'object' }, strict: true } } },
    { response_format: { type: 'json_schema', json_schema: { name: 'n', schema: { type: 'object' }, strict: true } } },
  ],
  [
    'who asks',
    { user: 'u', safety_identifier: 's', prompt_cache_key: 'k' },
    { user: 'u', safety_identifier: 's', prompt_cache_key: 'k' },
  ],
  [
    'members without meaning to a provider',
    { metadata: { a: 'b' }, store: true, truncation: 'auto', background: false },
    {},
  ],
  ['parameters that the gateway does not know', { seed: 7, x_custom: [1] }, { seed: 7, x_custom: [1] }],
  ['tools', { tools: [weather, clock] }, { tools: [chatWeather, chatClock] }],
  ['no tools', { tools: [], tool_choice: 'auto', parallel_tool_calls: false }, {}],
  [
    'one call at a time',
    { tools: [weather], parallel_tool_calls: false },
    { tools: [chatWeather], parallel_tool_calls: false },
  ],
  ['required', { tools: [weather], tool_choice: 'required' }, { tools: [chatWeather], tool_choice: 'required' }],
  ['none', { tools: [weather], tool_choice: 'none' }, { tools: [chatWeather], tool_choice: 'none' }],
  [
    'one function',
    { tools: [weather], tool_choice: { type: 'function', name: 'weather' } },
    { tools: [chatWeather], tool_choice: { type: 'function', function: { name: 'weather' } } },
  ],
  [
    'some functions',
    {
      tools: [weather, clock],
      tool_choice: { type: 'allowed_tools', mode: 'required', tools: [{ type: 'function', name: 'clock' }] },
    },
    { tools: [chatClock], tool_choice: 'required' },
  ],
];

for (const [what, given, expected] of settings) {
  test(`${what} become their chat completion counterparts, and nothing else`, () => {
    expect(chatOf(given)).toEqual({ model, messages: [hello], ...expected });
  });
}

test('content parts of a Responses request keep their order, and a single text is a string', () => {
  expect(
    messagesOf(
      { type: 'message', role: 'developer', content: [{ type: 'input_text', text: 'Be brief.' }] },
      {
        role: 'user',
        content: [
          { type: 'input_text', text: 'What is this?' },
          { type: 'input_image', image_url: 'https://example.com/a.png', detail: 'original' },
          { type: 'input_image', image_url: 'data:image/png;base64,AA==' },
          { type: 'input_file', filename: 'a.pdf', file_data: 'data:application/pdf;base64,AA==' },
          { type: 'input_file', file_url: 'https://example.com/a.pdf' },
        ],
      },
    ),
  ).toEqual([
    { role: 'developer', content: 'Be brief.' },
    {
      role: 'user',
      content: [
        { type: 'text', text: 'What is this?' },
        { type: 'image_url', image_url: { url: 'https://example.com/a.png', detail: 'high' } },
        { type: 'image_url', image_url: { url: 'data:image/png;base64,AA==' } },
        { type: 'file', file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,AA==' } },
        { type: 'file', file: { file_data: 'https://example.com/a.pdf' } },
      ],
    },
  ]);
});

test('images and files of a Responses request count as media in the quote', () => {
  const image = { type: 'input_image', image_url: 'https://example.com/a.png' };
  const { mediaParts } = parseResponses(JSON.stringify({ model, input: [{ role: 'user', content: [image, image] }] }));
  expect(mediaParts).toBe(2);
});

const blocks = [{ type: 'thinking' as const, thinking: 'Hm.', signature: 'c2ln' }];
const thoughts = { type: 'reasoning', id: 'rs_1', summary: [{ type: 'summary_text', text: 'Hm.' }] };
const assistantText = (text: string) => ({
  type: 'message',
  id: 'msg_1',
  role: 'assistant',
  status: 'completed',
  content: [{ type: 'output_text', text, annotations: [] }],
});
const called = (id: string, args: string) => ({
  type: 'function_call',
  id: `fc_${id}`,
  call_id: id,
  name: 'weather',
  arguments: args,
  status: 'completed',
});
const toolCall = (id: string, args: string) => ({
  id,
  type: 'function',
  function: { name: 'weather', arguments: args },
});

test('a turn of the model is one message with its reasoning and calls, followed by their outputs', () => {
  expect(
    messagesOf(
      hello,
      { ...thoughts, encrypted_content: encodeThoughts(blocks) },
      assistantText('I look it up.'),
      called('a', '{"city":"Perm"}'),
      called('b', ''),
      { type: 'function_call_output', call_id: 'a', output: '12 degrees' },
      { type: 'function_call_output', call_id: 'b', output: [{ type: 'input_text', text: 'none' }] },
      thoughts,
      assistantText('It is cold.'),
      { role: 'user', content: 'Thanks.' },
    ),
  ).toEqual([
    hello,
    {
      role: 'assistant',
      content: 'I look it up.',
      reasoning_content: 'Hm.',
      thinking_blocks: blocks,
      tool_calls: [toolCall('a', '{"city":"Perm"}'), toolCall('b', '{}')],
    },
    { role: 'tool', tool_call_id: 'a', content: '12 degrees' },
    { role: 'tool', tool_call_id: 'b', content: 'none' },
    { role: 'assistant', content: 'It is cold.', reasoning_content: 'Hm.' },
    { role: 'user', content: 'Thanks.' },
  ]);
});

test('calls whose results came one after the other stay separate turns', () => {
  const output = (id: string) => ({ type: 'function_call_output', call_id: id, output: 'ok' });
  const result = (id: string) => ({ role: 'tool', tool_call_id: id, content: 'ok' });
  expect(messagesOf(hello, called('a', '{}'), output('a'), called('b', '{}'), output('b'))).toEqual([
    hello,
    { role: 'assistant', content: null, tool_calls: [toolCall('a', '{}')] },
    result('a'),
    { role: 'assistant', content: null, tool_calls: [toolCall('b', '{}')] },
    result('b'),
  ]);
});

test('a refusal stays a refusal, string content a string, and reasoning alone is no message', () => {
  expect(
    messagesOf(
      hello,
      { type: 'message', role: 'assistant', content: [{ type: 'refusal', refusal: 'I will not.' }] },
      hello,
      { role: 'assistant', content: 'Then so.' },
      hello,
      thoughts,
      hello,
    ),
  ).toEqual([
    hello,
    { role: 'assistant', content: null, refusal: 'I will not.' },
    hello,
    { role: 'assistant', content: 'Then so.' },
    hello,
    hello,
  ]);
});

test('data that a provider needs back is sent back with the call', () => {
  const extra_content = { google: { thought_signature: 'c2ln' } };
  expect(messagesOf(hello, { ...called('a', '{}'), extra_content })).toEqual([
    hello,
    { role: 'assistant', content: null, tool_calls: [{ ...toolCall('a', '{}'), extra_content }] },
  ]);
});

test('the hold covers the longer of the client’s and the translated request', () => {
  const short = JSON.stringify({ model, input: 'Hello?' });
  const call = parseResponses(short);
  expect(call.bytes).toBe(Buffer.byteLength(call.text));
  expect(call.bytes).toBeGreaterThan(Buffer.byteLength(short));
  const spaced = short + ' '.repeat(100);
  expect(parseResponses(spaced).bytes).toBe(Buffer.byteLength(spaced));
});

test('the relay gets the cap, the stream flag and a single choice of a Responses request', () => {
  const call = parseResponses(JSON.stringify({ model, input: 'Hello?', max_output_tokens: 7, stream: true }));
  expect(call).toMatchObject({ model, outputCap: 7, stream: true, includeUsage: false, n: 1, choices: 1 });
});

test('a recorded turn of a coding agent is accepted', () => {
  const shell = { type: 'function', name: 'shell', description: 'Runs a command.', strict: false, parameters: {} };
  const body = chatOf({
    instructions: 'You are a coding agent.',
    input: [
      { type: 'message', role: 'developer', content: [{ type: 'input_text', text: 'Sandbox: read-only.' }] },
      { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'List the files.' }] },
      { type: 'reasoning', summary: [], content: null, encrypted_content: null },
      { type: 'function_call', name: 'shell', arguments: '{"command":["ls"]}', call_id: 'call_1' },
      { type: 'function_call_output', call_id: 'call_1', output: '{"output":"a.ts"}' },
    ],
    tools: [shell],
    tool_choice: 'auto',
    parallel_tool_calls: false,
    reasoning: { effort: 'medium', summary: 'auto' },
    store: false,
    stream: true,
    include: ['reasoning.encrypted_content'],
    prompt_cache_key: '019a',
    text: { verbosity: 'medium' },
  });
  expect(body).toEqual({
    model,
    messages: [
      { role: 'system', content: 'You are a coding agent.' },
      { role: 'developer', content: 'Sandbox: read-only.' },
      { role: 'user', content: 'List the files.' },
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'shell', arguments: '{"command":["ls"]}' } }],
      },
      { role: 'tool', tool_call_id: 'call_1', content: '{"output":"a.ts"}' },
    ],
    tools: [
      {
        type: 'function',
        function: { name: 'shell', description: 'Runs a command.', parameters: {}, strict: false },
      },
    ],
    parallel_tool_calls: false,
    stream: true,
    prompt_cache_key: '019a',
    verbosity: 'medium',
    reasoning_effort: 'medium',
  });
});
