/** Chat completion requests become Converse requests. */
import { describe, expect, test } from 'bun:test';
import { buildConverseRequest } from '../../../../../proxy/providers/bedrock/request/build-request.ts';
import { refusalOf } from '../../../api/refusal-of.ts';
import {
  assistant,
  chatCall,
  ephemeral,
  jsonSchema,
  schema,
  toolCall,
  user,
  weather,
} from '../../anthropic/chat-call.ts';
import { target, upstreamBody } from '../chat-call.ts';

const question = [{ role: 'user', content: [{ text: 'Hello?' }] }];
const cachePoint = { cachePoint: { type: 'default' } };
const weatherSpec = {
  toolSpec: {
    name: 'weather',
    description: 'The weather of a place',
    inputSchema: { json: { type: 'object', properties: { place: { type: 'string' } } } },
  },
};
const png = 'iVBORw0KGgo=';
const called = [
  user('Hello?'),
  assistant(null, { tool_calls: [toolCall('call_1', 'weather', '{"place":"Oslo"}')] }),
  { role: 'tool', tool_call_id: 'call_1', content: 'Rain.' },
];

describe('a request to Converse', () => {
  test('goes to the model in the path, streamed or whole', () => {
    const request = buildConverseRequest(chatCall(), target());
    expect(request.url).toBe('https://bedrock.test/model/eu.anthropic.claude-sonnet-4-20250514-v1%3A0/converse');
    expect(request.headers).toEqual({
      'content-type': 'application/json',
      accept: 'application/json',
      'accept-encoding': 'identity',
    });
    const streamed = buildConverseRequest(chatCall({ stream: true }), target({ apiKey: 'bedrock-key' }));
    expect(streamed.url).toEndWith('/converse-stream');
    expect(streamed.headers).toMatchObject({
      accept: 'application/vnd.amazon.eventstream',
      authorization: 'Bearer bedrock-key',
    });
  });

  test('has only the requested members, and the cap of the hold', () => {
    expect(upstreamBody({ user: 'u', metadata: { a: 'b' }, unknown: 1, seed: 1 })).toEqual({
      inferenceConfig: { maxTokens: 4096 },
      messages: question,
    });
  });

  test('has sampling parameters in Converse’s ranges', () => {
    expect(upstreamBody({ temperature: 1.7, top_p: 0.5, stop: ['a', 'b'] }).inferenceConfig).toEqual({
      maxTokens: 4096,
      topP: 0.5,
      stopSequences: ['a', 'b'],
    });
    expect(upstreamBody({ temperature: 0.2, stop: 'x' }).inferenceConfig).toEqual({
      maxTokens: 4096,
      temperature: 0.2,
      stopSequences: ['x'],
    });
  });

  test('has `top_k` for models of Anthropic alone, unless they think', () => {
    expect(upstreamBody({ top_k: 40, temperature: 0.2 })).toMatchObject({
      inferenceConfig: { temperature: 0.2 },
      additionalModelRequestFields: { top_k: 40 },
    });
    const without = [
      upstreamBody({ top_k: 0 }),
      upstreamBody({ top_k: 40 }, { quirks: { reasoningControl: 'effort' } }),
      upstreamBody({ top_k: 40 }, { model: 'eu.amazon.nova-pro-v1:0' }),
    ];
    for (const body of without) expect(body).not.toHaveProperty('additionalModelRequestFields');
    expect(upstreamBody({ top_k: 40, reasoning_effort: 'low' }).additionalModelRequestFields).toEqual({
      thinking: { type: 'enabled', budget_tokens: 1024 },
    });
  });
});

describe('the messages of a Converse request', () => {
  test('become separate system texts and alternating turns', () => {
    const messages = [
      { role: 'system', content: 'Be brief.' },
      user('One'),
      user([
        { type: 'text', text: 'Two' },
        { type: 'text', text: '  ' },
      ]),
      assistant('Three', { refusal: 'No.' }),
      { role: 'developer', content: 'In English.' },
      user('Four'),
    ];
    expect(upstreamBody({ messages })).toMatchObject({
      system: [{ text: 'Be brief.' }, { text: 'In English.' }],
      messages: [
        { role: 'user', content: [{ text: 'One' }, { text: 'Two' }] },
        { role: 'assistant', content: [{ text: 'Three' }, { text: 'No.' }] },
        { role: 'user', content: [{ text: 'Four' }] },
      ],
    });
  });

  test('have signed thinking, calls, and all their results in one turn', () => {
    const thinking_blocks = [
      { type: 'thinking', thinking: 'Hm.', signature: 'sig' },
      { type: 'thinking', thinking: 'unsigned' },
      { type: 'redacted_thinking', data: 'b3BhcXVl' },
    ];
    const tool_calls = [toolCall('call:1', 'weather', '{"place":"Oslo"}'), toolCall('call_2', 'now', '')];
    const messages = [
      user('Hello?'),
      assistant('Let me see.', { thinking_blocks, tool_calls }),
      { role: 'tool', tool_call_id: 'call:1', content: [{ type: 'text', text: 'Rain.' }] },
      { role: 'tool', tool_call_id: 'call_2', content: '' },
      user('And?'),
    ];
    expect(upstreamBody({ messages, tools: [weather] }).messages).toEqual([
      ...question,
      {
        role: 'assistant',
        content: [
          { reasoningContent: { reasoningText: { text: 'Hm.', signature: 'sig' } } },
          { reasoningContent: { redactedContent: 'b3BhcXVl' } },
          { text: 'Let me see.' },
          { toolUse: { toolUseId: 'call_1', name: 'weather', input: { place: 'Oslo' } } },
          { toolUse: { toolUseId: 'call_2', name: 'now', input: {} } },
        ],
      },
      {
        role: 'user',
        content: [
          { toolResult: { toolUseId: 'call_1', content: [{ text: 'Rain.' }] } },
          { toolResult: { toolUseId: 'call_2', content: [] } },
          { text: 'And?' },
        ],
      },
    ]);
  });

  test('have shortened call ids, the same in a call and its result', () => {
    const id = 'c'.repeat(65);
    const messages = [
      user('Hello?'),
      assistant(null, { tool_calls: [toolCall(id, 'weather', '{}')] }),
      { role: 'tool', tool_call_id: id, content: 'Rain.' },
    ];
    const short = expect.stringMatching(/^[0-9a-f]{64}$/);
    expect(upstreamBody({ messages }).messages).toMatchObject([
      ...question,
      { content: [{ toolUse: { toolUseId: short } }] },
      { content: [{ toolResult: { toolUseId: short } }] },
    ]);
    const output = JSON.stringify(upstreamBody({ messages }));
    expect(new Set(output.match(/[0-9a-f]{64}/g)).size).toBe(1);
  });

  test('have images and documents as data, each document with a unique name', () => {
    const file = (file_data: string, filename?: string) => ({ type: 'file', file: { file_data, filename } });
    const content = [
      { type: 'text', text: 'See' },
      { type: 'image_url', image_url: { url: `data:image/jpg;base64,${png}` } },
      file('data:application/pdf;base64,JVBERi0=', 'My_report, v2.pdf'),
      file('data:text/csv,a%2Cb', 'My report v2.csv'),
      file('data:text/plain;base64,SGk=', 'отчёт.txt'),
      file('data:application/json,{}'),
    ];
    expect(upstreamBody({ messages: [user(content)] }).messages).toEqual([
      {
        role: 'user',
        content: [
          { text: 'See' },
          { image: { format: 'jpeg', source: { bytes: png } } },
          { document: { format: 'pdf', name: 'My report v2', source: { bytes: 'JVBERi0=' } } },
          { document: { format: 'csv', name: 'My report v2 (2)', source: { bytes: 'YSxi' } } },
          { document: { format: 'txt', name: 'document', source: { bytes: 'SGk=' } } },
          { document: { format: 'txt', name: 'document (2)', source: { bytes: 'e30=' } } },
        ],
      },
    ]);
  });

  test('have a cache point after each mark, if the model supports them', () => {
    const messages = [
      { role: 'system', content: [{ type: 'text', text: 'Long', cache_control: ephemeral }] },
      user([{ type: 'text', text: 'Hello?', cache_control: ephemeral }], { cache_control: ephemeral }),
      assistant(null, { tool_calls: [{ ...toolCall('call_1', 'weather', '{}'), cache_control: ephemeral }] }),
      { role: 'tool', tool_call_id: 'call_1', content: [{ type: 'text', text: 'Rain.', cache_control: ephemeral }] },
    ];
    const tools = [{ ...weather, cache_control: ephemeral }];
    expect(upstreamBody({ messages, tools })).toMatchObject({
      system: [{ text: 'Long' }, cachePoint],
      messages: [
        { content: [{ text: 'Hello?' }, cachePoint] },
        { content: [{ toolUse: { name: 'weather' } }, cachePoint] },
        { content: [{ toolResult: { content: [{ text: 'Rain.' }] } }, cachePoint] },
      ],
      toolConfig: { tools: [weatherSpec, cachePoint] },
    });
    const without = upstreamBody({ messages, tools }, { quirks: { cacheControl: 'drop' } });
    expect(JSON.stringify(without)).not.toContain('cachePoint');
  });
});

describe('the tools of a Converse request', () => {
  test('are described, and one has to be called if the client requires it', () => {
    const choiceOf = (tool_choice: unknown) =>
      (upstreamBody({ tools: [weather], tool_choice }).toolConfig as { toolChoice?: object }).toolChoice;
    expect(upstreamBody({ tools: [weather] }).toolConfig).toEqual({ tools: [weatherSpec] });
    expect(choiceOf('auto')).toBeUndefined();
    expect(choiceOf('required')).toEqual({ any: {} });
    expect(choiceOf({ type: 'function', function: { name: 'weather' } })).toEqual({ tool: { name: 'weather' } });
  });

  test('tools that must not be called are left out, unless the conversation has calls', () => {
    expect(upstreamBody({ tools: [weather], tool_choice: 'none' })).not.toHaveProperty('toolConfig');
    const body = { messages: called, tools: [weather], tool_choice: 'none' };
    expect(refusalOf(() => upstreamBody(body))).toEqual(['unsupported_parameter', 'tool_choice']);
  });

  test('tools of earlier calls are listed in a Converse request that has none', () => {
    expect(upstreamBody({ messages: called }).toolConfig).toEqual({
      tools: [{ toolSpec: { name: 'weather', inputSchema: { json: { type: 'object' } } } }],
    });
  });

  test('include one more if the response has to match a schema', () => {
    const json = { toolSpec: { name: 'json', description: expect.any(String), inputSchema: { json: schema } } };
    expect(upstreamBody({ response_format: jsonSchema }).toolConfig).toEqual({
      tools: [json],
      toolChoice: { tool: { name: 'json' } },
    });
    expect(upstreamBody({ response_format: jsonSchema, tools: [weather] }).toolConfig).toEqual({
      tools: [weatherSpec, json],
      toolChoice: { any: {} },
    });
    expect(upstreamBody({ response_format: { type: 'json_object' } }).system).toEqual([
      { text: expect.stringContaining('JSON') },
    ]);
  });
});

describe('the reasoning of a Converse request', () => {
  const fieldsOf = (fields: object, quirks = {}) =>
    upstreamBody({ ...fields }, { quirks }).additionalModelRequestFields;

  test('is a token budget within the cap, or an effort, for Anthropic’s models', () => {
    expect(fieldsOf({ reasoning_effort: 'medium' })).toEqual({ thinking: { type: 'enabled', budget_tokens: 2048 } });
    expect(fieldsOf({ reasoning: { max_tokens: 100_000 } })).toEqual({
      thinking: { type: 'enabled', budget_tokens: 4096 - 256 },
    });
    expect(fieldsOf({ reasoning_effort: 'high' }, { reasoningControl: 'effort' })).toMatchObject({
      thinking: { type: 'adaptive' },
      output_config: { effort: 'high' },
    });
    expect(upstreamBody({ reasoning_effort: 'low', temperature: 0.3 }).inferenceConfig).toEqual({ maxTokens: 4096 });
  });

  test('is dropped or passed on for other models', () => {
    expect(fieldsOf({ reasoning_effort: 'low' }, { reasoningParameter: 'none' })).toBeUndefined();
    expect(fieldsOf({ reasoning_effort: 'low' }, { reasoningParameter: 'reasoning_effort' })).toEqual({
      reasoning_effort: 'low',
    });
    expect(fieldsOf({ reasoning: { max_tokens: 2000 } }, { reasoningParameter: 'reasoning_effort' })).toEqual({
      reasoning_effort: 'medium',
    });
    expect(fieldsOf({ reasoning_effort: 'none' })).toBeUndefined();
  });

  test('gives way to a required tool, and to a turn that began without thinking', () => {
    expect(fieldsOf({ reasoning_effort: 'low', tools: [weather], tool_choice: 'required' })).toBeUndefined();
    expect(fieldsOf({ reasoning_effort: 'low', messages: called })).toBeUndefined();
  });
});

test.each<[object, string]>([
  [{ n: 2 }, 'n'],
  [{ logprobs: true }, 'logprobs'],
  [{ presence_penalty: 1 }, 'presence_penalty'],
  [{ logit_bias: { 1: 1 } }, 'logit_bias'],
  [{ stop: ' ' }, 'stop'],
  [{ tools: [weather], parallel_tool_calls: false }, 'parallel_tool_calls'],
  [{ tools: [weather], tool_choice: { type: 'allowed_tools' } }, 'tool_choice.type'],
  [
    { messages: [user([{ type: 'image_url', image_url: { url: 'https://x.test/a.png' } }])] },
    'messages[0].content[0].image_url.url',
  ],
  [
    { messages: [user([{ type: 'image_url', image_url: { url: 'data:constructor;base64,AA' } }])] },
    'messages[0].content[0].image_url.url',
  ],
  [
    { messages: [user([{ type: 'image_url', image_url: { url: 'data:image/tiff;base64,AA' } }])] },
    'messages[0].content[0].image_url.url',
  ],
  [{ messages: [user([{ type: 'file', file: { filename: 'a.pdf' } }])] }, 'messages[0].content[0].file.file_data'],
  [
    { messages: [user([{ type: 'input_audio', input_audio: { data: 'AA', format: 'wav' } }])] },
    'messages[0].content[0].type',
  ],
])('%j is refused by name, because Converse does not support it', (fields, param) => {
  expect(refusalOf(() => upstreamBody({ ...fields }))).toEqual(['unsupported_parameter', param]);
});
