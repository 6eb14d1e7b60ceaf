/** What Anthropic is sent for what a client asked. */
import { describe, expect, test } from 'bun:test';
import { buildMessagesRequest } from '../../../../proxy/adapters/anthropic/build-request.ts';
import { GatewayError } from '../../../../shared/errors.ts';
import { chatCall, target, upstreamBody } from './chat-call.ts';

const user = (content: unknown, extra: object = {}) => ({ role: 'user', content, ...extra });
const assistant = (content: unknown, extra: object = {}) => ({ role: 'assistant', content, ...extra });
const toolCall = (id: string, name: string, args: string) => ({
  id,
  type: 'function',
  function: { name, arguments: args },
});
const weather = {
  type: 'function',
  function: {
    name: 'weather',
    description: 'The weather of a place',
    parameters: { type: 'object', properties: { place: { type: 'string' } } },
    strict: true,
  },
};
const schema = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
const jsonSchema = { type: 'json_schema', json_schema: { name: 'answer', schema, strict: true } };
const ephemeral = { type: 'ephemeral' };

describe('address, headers and what decides the cost', () => {
  test('the provider is asked at /messages with its key and version', () => {
    const { url, headers } = buildMessagesRequest(chatCall(), target({ apiKey: 'sk-ant' }));
    expect(url).toBe('https://anthropic.test/v1/messages');
    expect(headers).toMatchObject({
      'x-api-key': 'sk-ant',
      'anthropic-version': '2023-06-01',
      'content-type': 'application/json',
    });
    expect(headers.authorization).toBeUndefined();
    expect(buildMessagesRequest(chatCall(), target()).headers['x-api-key']).toBeUndefined();
  });

  test('a plain question becomes the least request; the cap is the one that the hold covers', () => {
    expect(upstreamBody({ max_tokens: 100_000, max_completion_tokens: 50_000 }, { outputCap: 77 })).toEqual({
      model: 'claude-upstream',
      max_tokens: 77,
      messages: [{ role: 'user', content: [{ type: 'text', text: 'Hello?' }] }],
    });
    expect(upstreamBody({ stream: true, stream_options: { include_usage: true } })).toMatchObject({ stream: true });
  });

  test('nothing that we do not know reaches the provider', () => {
    const extra = { service_tier: 'priority', speed: 'fast', web_search_options: {}, thinking: { type: 'adaptive' } };
    expect(upstreamBody({ ...extra, seed: 7, n: 1, store: true })).toEqual(upstreamBody({}));
  });
});

describe('messages', () => {
  const translations: readonly [string, readonly object[], object][] = [
    [
      'system and developer messages anywhere are the system text, with their cache marks',
      [
        { role: 'system', content: 'One.' },
        user('Hi'),
        {
          role: 'developer',
          content: [
            { type: 'text', text: 'Two.', cache_control: ephemeral },
            { type: 'text', text: ' ' },
          ],
        },
        { role: 'system', content: 'Three.', cache_control: { type: 'ephemeral', ttl: '1h' } },
      ],
      {
        system: [
          { type: 'text', text: 'One.' },
          { type: 'text', text: 'Two.', cache_control: ephemeral },
          { type: 'text', text: 'Three.', cache_control: { type: 'ephemeral', ttl: '1h' } },
        ],
        messages: [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }],
      },
    ],
    [
      'consecutive messages of one role are one turn, and blank ones are left out',
      [
        user('a'),
        user('\n'),
        user([
          { type: 'text', text: '' },
          { type: 'text', text: 'b' },
        ]),
        assistant(''),
        assistant('c'),
        assistant(null),
        user('d'),
      ],
      {
        messages: [
          {
            role: 'user',
            content: [
              { type: 'text', text: 'a' },
              { type: 'text', text: 'b' },
            ],
          },
          { role: 'assistant', content: [{ type: 'text', text: 'c' }] },
          { role: 'user', content: [{ type: 'text', text: 'd' }] },
        ],
      },
    ],
    [
      'a message’s cache mark stands on its last block',
      [
        user(
          [
            { type: 'text', text: 'a' },
            { type: 'text', text: 'b' },
          ],
          { cache_control: ephemeral },
        ),
      ],
      {
        messages: [
          {
            role: 'user',
            content: [
              { type: 'text', text: 'a' },
              { type: 'text', text: 'b', cache_control: ephemeral },
            ],
          },
        ],
      },
    ],
    [
      'results of parallel tool calls come together in one turn, before what the user says next',
      [
        user('Go'),
        assistant('Calling.', {
          tool_calls: [toolCall('call_1', 'weather', '{"place":"Oslo"}'), toolCall('functions.now:0', 'now', '')],
        }),
        { role: 'tool', tool_call_id: 'call_1', content: 'cold' },
        { role: 'tool', tool_call_id: 'functions.now:0', content: '' },
        user('And?'),
      ],
      {
        messages: [
          { role: 'user', content: [{ type: 'text', text: 'Go' }] },
          {
            role: 'assistant',
            content: [
              { type: 'text', text: 'Calling.' },
              { type: 'tool_use', id: 'call_1', name: 'weather', input: { place: 'Oslo' } },
              { type: 'tool_use', id: 'functions_now_0', name: 'now', input: {} },
            ],
          },
          {
            role: 'user',
            content: [
              { type: 'tool_result', tool_use_id: 'call_1', content: [{ type: 'text', text: 'cold' }] },
              { type: 'tool_result', tool_use_id: 'functions_now_0' },
              { type: 'text', text: 'And?' },
            ],
          },
        ],
      },
    ],
    [
      'signed thoughts go back first, without those that nobody signed',
      [
        user('Go'),
        assistant('So.', {
          reasoning_content: 'hm',
          thinking_blocks: [
            { type: 'thinking', thinking: 'hm', signature: 'sig' },
            { type: 'redacted_thinking', data: 'abc' },
            { type: 'thinking', thinking: 'unsigned' },
          ],
        }),
        user('More'),
      ],
      {
        messages: [
          { role: 'user', content: [{ type: 'text', text: 'Go' }] },
          {
            role: 'assistant',
            content: [
              { type: 'thinking', thinking: 'hm', signature: 'sig' },
              { type: 'redacted_thinking', data: 'abc' },
              { type: 'text', text: 'So.' },
            ],
          },
          { role: 'user', content: [{ type: 'text', text: 'More' }] },
        ],
      },
    ],
    [
      'an answer that the client has begun ends without white space',
      [user('Go'), assistant('It is \n')],
      {
        messages: [
          { role: 'user', content: [{ type: 'text', text: 'Go' }] },
          { role: 'assistant', content: [{ type: 'text', text: 'It is' }] },
        ],
      },
    ],
  ];
  for (const [name, messages, expected] of translations) {
    test(name, () => expect(upstreamBody({ messages })).toMatchObject(expected));
  }

  test('tool calls of the past without tools are declared, and barred', () => {
    const messages = [
      user('Go'),
      assistant(null, { tool_calls: [toolCall('c1', 'weather', '{}')] }),
      { role: 'tool', tool_call_id: 'c1', content: 'cold' },
    ];
    expect(upstreamBody({ messages })).toMatchObject({
      tools: [{ name: 'weather', input_schema: { type: 'object' } }],
      tool_choice: { type: 'none' },
    });
  });

  test('integers beyond 2^53 in arguments stay as they are', () => {
    const messages = [
      user('Go'),
      assistant(null, { tool_calls: [toolCall('c1', 'find', '{"id":12345678901234567890}')] }),
      { role: 'tool', tool_call_id: 'c1', content: 'x' },
    ];
    expect(buildMessagesRequest(chatCall({ messages }), target()).body).toContain('{"id":12345678901234567890}');
  });
});

describe('pictures and files', () => {
  const base64 = (value: string) => Buffer.from(value).toString('base64');
  const file = (data: string, filename?: string) => ({ type: 'file', file: { file_data: data, filename } });
  const image = (url: string, extra: object = {}) => ({ type: 'image_url', image_url: { url }, ...extra });
  const translations: readonly [string, object, object][] = [
    [
      'a picture as data',
      image('data:image/png;base64,aGk='),
      { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'aGk=' } },
    ],
    [
      'a misspelt JPEG',
      image('data:image/jpg;base64,aGk='),
      { type: 'image', source: { type: 'base64', media_type: 'image/jpeg', data: 'aGk=' } },
    ],
    [
      'a picture by address, with a cache mark',
      image('https://x.test/a.png', { cache_control: ephemeral }),
      { type: 'image', source: { type: 'url', url: 'https://x.test/a.png' }, cache_control: ephemeral },
    ],
    [
      'a PDF',
      file('data:application/pdf;base64,JVBERi0=', 'a.pdf'),
      { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: 'JVBERi0=' }, title: 'a.pdf' },
    ],
    [
      'a PDF by address',
      file('https://x.test/a.pdf'),
      { type: 'document', source: { type: 'url', url: 'https://x.test/a.pdf' } },
    ],
    [
      'a text file',
      file(`data:text/csv;charset=utf-8;base64,${base64('ä;b')}`),
      { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'ä;b' } },
    ],
    [
      'a text file, percent-encoded',
      file('data:,a%20b'),
      { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'a b' } },
    ],
  ];
  for (const [name, part, expected] of translations) {
    test(name, () => {
      const content = [{ type: 'text', text: 'Look' }, part];
      expect(upstreamBody({ messages: [user(content)] }).messages).toEqual([
        { role: 'user', content: [{ type: 'text', text: 'Look' }, expected] },
      ]);
    });
  }

  test('a tool may answer with a picture', () => {
    const messages = [
      user('Go'),
      assistant(null, { tool_calls: [toolCall('c1', 'shot', '{}')] }),
      { role: 'tool', tool_call_id: 'c1', content: [image('https://x.test/a.png')] },
    ];
    expect(upstreamBody({ messages }).messages).toMatchObject([
      {},
      {},
      { content: [{ type: 'tool_result', content: [{ type: 'image', source: { type: 'url' } }] }] },
    ]);
  });
});

describe('tools', () => {
  const upstreamTool = {
    name: 'weather',
    description: 'The weather of a place',
    input_schema: { type: 'object', properties: { place: { type: 'string' } } },
  };
  test('functions are tools without `strict`; missing parameters are an empty object', () => {
    const bare = { type: 'function', function: { name: 'now' }, cache_control: ephemeral };
    expect(upstreamBody({ tools: [weather, bare] })).toMatchObject({
      tools: [upstreamTool, { name: 'now', input_schema: { type: 'object' }, cache_control: ephemeral }],
    });
    expect(upstreamBody({ tools: [weather] }).tools).toEqual([upstreamTool]);
    expect(upstreamBody({ tools: [weather] }).tool_choice).toBeUndefined();
  });

  const named = { type: 'function', function: { name: 'weather' } };
  const choices: readonly [object, object | undefined][] = [
    [{ tool_choice: 'auto' }, { type: 'auto' }],
    [{ tool_choice: 'none' }, { type: 'none' }],
    [{ tool_choice: 'none', parallel_tool_calls: false }, { type: 'none' }],
    [{ tool_choice: 'required' }, { type: 'any' }],
    [{ tool_choice: named }, { type: 'tool', name: 'weather' }],
    [{ parallel_tool_calls: false }, { type: 'auto', disable_parallel_tool_use: true }],
    [
      { tool_choice: 'required', parallel_tool_calls: false },
      { type: 'any', disable_parallel_tool_use: true },
    ],
    [
      { tool_choice: named, parallel_tool_calls: false },
      { type: 'tool', name: 'weather', disable_parallel_tool_use: true },
    ],
    [{ parallel_tool_calls: true }, undefined],
  ];
  for (const [fields, expected] of choices) {
    test(`${JSON.stringify(fields)} → ${JSON.stringify(expected)}`, () => {
      const { tool_choice: choice } = upstreamBody({ tools: [weather], ...fields });
      expect(choice).toEqual(expected);
    });
  }

  test('a choice without tools is none of Anthropic’s', () => {
    expect(upstreamBody({ tool_choice: 'auto', parallel_tool_calls: false, tools: [] })).toEqual(upstreamBody({}));
  });
});

describe('JSON answers', () => {
  test('a schema is a tool that has to be called', () => {
    expect(upstreamBody({ response_format: jsonSchema })).toMatchObject({
      tools: [{ name: 'json', input_schema: schema }],
      tool_choice: { type: 'tool', name: 'json', disable_parallel_tool_use: true },
    });
  });

  test('beside other tools any of them has to be called, under a name that none of them has', () => {
    const tools = [weather, { type: 'function', function: { name: 'json' } }];
    expect(upstreamBody({ tools, response_format: jsonSchema })).toMatchObject({
      tools: [{ name: 'weather' }, { name: 'json' }, { name: 'json_', input_schema: schema }],
      tool_choice: { type: 'any', disable_parallel_tool_use: true },
    });
    expect(upstreamBody({ tools, tool_choice: 'none', response_format: jsonSchema }).tool_choice).toEqual({
      type: 'tool',
      name: 'json_',
      disable_parallel_tool_use: true,
    });
  });

  test('where the provider has native structured output, that is used', () => {
    const body = upstreamBody({ response_format: jsonSchema }, { quirks: { structuredOutput: 'native' } });
    expect(body.output_config).toEqual({ format: { type: 'json_schema', schema } });
    expect(body.tools).toBeUndefined();
  });

  test('JSON without a schema is asked for in words', () => {
    for (const format of [{ type: 'json_object' }, { type: 'json_schema', json_schema: { name: 'x' } }]) {
      const body = upstreamBody({
        response_format: format,
        messages: [{ role: 'system', content: 'Be brief.' }, user('Hi')],
      });
      expect(body.system).toEqual([
        { type: 'text', text: 'Be brief.' },
        { type: 'text', text: expect.stringContaining('JSON') },
      ]);
      expect(body.tools).toBeUndefined();
    }
    expect(upstreamBody({ response_format: { type: 'text' } })).toEqual(upstreamBody({}));
  });
});

describe('sampling', () => {
  const translations: readonly [object, object][] = [
    [{ temperature: 0 }, { temperature: 0 }],
    [{ temperature: 1.7 }, { temperature: 1 }],
    [{ temperature: null, top_p: 0.5 }, { top_p: 0.5 }],
    [{ temperature: 0.3, top_p: 1 }, { temperature: 0.3 }],
    [{ temperature: 1, top_p: 0.5 }, { top_p: 0.5 }],
    [
      { temperature: 0.3, top_p: 0.5 },
      { temperature: 0.3, top_p: 0.5 },
    ],
    [{ stop: 'END' }, { stop_sequences: ['END'] }],
    [{ stop: ['a', '', 'b'] }, { stop_sequences: ['a', 'b'] }],
    [{ stop: '' }, {}],
    [{ user: 'u-1' }, { metadata: { user_id: 'u-1' } }],
    [{ frequency_penalty: 0, presence_penalty: 0, logprobs: false, top_logprobs: 0, logit_bias: {}, seed: 1 }, {}],
  ];
  for (const [fields, expected] of translations) {
    test(`${JSON.stringify(fields)} → ${JSON.stringify(expected)}`, () => {
      expect(upstreamBody({ ...fields })).toEqual({ ...upstreamBody({}), ...expected });
    });
  }
});

describe('thinking', () => {
  const thinking = (budget: number) => ({ thinking: { type: 'enabled', budget_tokens: budget } });
  const translations: readonly [object, number, object][] = [
    [{ reasoning_effort: 'low' }, 4096, thinking(1024)],
    [{ reasoning_effort: 'medium' }, 4096, thinking(2048)],
    [{ reasoning_effort: 'high' }, 8192, thinking(4096)],
    [{ reasoning: { effort: 'high' } }, 8192, thinking(4096)],
    [{ reasoning: { max_tokens: 3000 }, reasoning_effort: 'low' }, 8192, thinking(3000)],
    [{ reasoning: { max_tokens: 10 } }, 8192, thinking(1024)],
    [{ reasoning_effort: 'none' }, 8192, {}],
    // The budget counts inside the cap, and the answer needs a part of it.
    [{ reasoning_effort: 'high' }, 4096, thinking(3840)],
    [{ reasoning_effort: 'high' }, 1280, thinking(1024)],
    [{ reasoning_effort: 'high', temperature: 0.5 }, 1279, { temperature: 0.5 }],
    [{ reasoning_effort: 'low', temperature: 0.5, top_p: 0.5 }, 4096, thinking(1024)],
    [{ reasoning_effort: 'low', top_p: 0.95 }, 4096, { ...thinking(1024), top_p: 0.95 }],
  ];
  for (const [fields, outputCap, expected] of translations) {
    test(`${JSON.stringify(fields)} within ${outputCap} → ${JSON.stringify(expected)}`, () => {
      expect(upstreamBody({ ...fields }, { outputCap })).toEqual({ ...upstreamBody({}, { outputCap }), ...expected });
    });
  }

  const asked = { reasoning_effort: 'low' };
  const toolTurn = (extra: object) => [
    user('Go'),
    assistant(null, { tool_calls: [toolCall('c1', 'weather', '{}')], ...extra }),
    { role: 'tool', tool_call_id: 'c1', content: 'cold' },
  ];
  test('a turn that goes on after tool calls thinks only where its thoughts came back', () => {
    expect(upstreamBody({ ...asked, tools: [weather], messages: toolTurn({}) }).thinking).toBeUndefined();
    const signed = toolTurn({ thinking_blocks: [{ type: 'thinking', thinking: 'hm', signature: 's' }] });
    expect(upstreamBody({ ...asked, tools: [weather], messages: signed }).thinking).toBeDefined();
    const finished = [...toolTurn({}), assistant('Cold.'), user('And tomorrow?')];
    expect(upstreamBody({ ...asked, tools: [weather], messages: finished }).thinking).toBeDefined();
  });

  test('a tool that has to be called, a schema and a begun answer come before thinking', () => {
    expect(upstreamBody({ ...asked, tools: [weather], tool_choice: 'required' }).thinking).toBeUndefined();
    expect(upstreamBody({ ...asked, response_format: jsonSchema }).thinking).toBeUndefined();
    expect(upstreamBody({ ...asked, messages: [user('Go'), assistant('It')] }).thinking).toBeUndefined();
    const native = { quirks: { structuredOutput: 'native' as const } };
    expect(upstreamBody({ ...asked, response_format: jsonSchema }, native).thinking).toBeDefined();
  });

  test('models that think by effort get no budget and no sampling parameters', () => {
    const quirks = { reasoningControl: 'effort' as const };
    const adaptive = { thinking: { type: 'adaptive', display: 'summarized' } };
    const plain = upstreamBody({}, { quirks });
    expect(upstreamBody({ reasoning_effort: 'xhigh', temperature: 0, top_p: 0.5 }, { quirks })).toEqual({
      ...plain,
      ...adaptive,
      output_config: { effort: 'xhigh' },
    });
    expect(upstreamBody({ reasoning: { max_tokens: 1500 } }, { quirks }).output_config).toEqual({ effort: 'medium' });
    expect(upstreamBody({ reasoning: { max_tokens: 99_999 } }, { quirks }).output_config).toEqual({ effort: 'high' });
    expect(upstreamBody({ temperature: 0 }, { quirks })).toEqual(plain);
    expect(upstreamBody({ ...asked, tools: [weather], tool_choice: 'required' }, { quirks })).toMatchObject({
      output_config: { effort: 'low' },
    });
  });
});

describe('what is refused', () => {
  const refusals: readonly [object, string, string][] = [
    [{ n: 2 }, 'unsupported_parameter', 'n'],
    [{ logprobs: true }, 'unsupported_parameter', 'logprobs'],
    [{ top_logprobs: 3 }, 'unsupported_parameter', 'top_logprobs'],
    [{ frequency_penalty: 0.1 }, 'unsupported_parameter', 'frequency_penalty'],
    [{ presence_penalty: -1 }, 'unsupported_parameter', 'presence_penalty'],
    [{ logit_bias: { 5: 1 } }, 'unsupported_parameter', 'logit_bias'],
    [{ functions: [{ name: 'x' }] }, 'unsupported_parameter', 'functions'],
    [{ stop: ['a', ' \n'] }, 'unsupported_parameter', 'stop'],
    [{ response_format: { type: 'grammar' } }, 'unsupported_parameter', 'response_format.type'],
    [{ tools: [{ type: 'custom' }] }, 'unsupported_parameter', 'tools[0].type'],
    [{ tools: [weather], tool_choice: 'sometimes' }, 'invalid_parameter', 'tool_choice'],
    [{ tools: [weather], tool_choice: { type: 'allowed_tools' } }, 'unsupported_parameter', 'tool_choice.type'],
    [{ reasoning_effort: 'wild' }, 'invalid_parameter', 'reasoning_effort'],
    [{ reasoning: { effort: 'wild' } }, 'invalid_parameter', 'reasoning.effort'],
    [{ messages: [assistant('Hi'), user('x')] }, 'invalid_parameter', 'messages[0]'],
    [{ messages: [{ role: 'system', content: 'x' }, user(' ')] }, 'invalid_parameter', 'messages'],
    [
      { messages: [user([{ type: 'input_audio', input_audio: { data: 'x', format: 'wav' } }])] },
      'unsupported_parameter',
      'messages[0].content[0].type',
    ],
    [
      { messages: [user([{ type: 'image_url', image_url: { url: 'http://x.test' } }])] },
      'invalid_parameter',
      'messages[0].content[0].image_url.url',
    ],
    [
      { messages: [user([{ type: 'image_url', image_url: { url: 'data:image/png,abc' } }])] },
      'invalid_parameter',
      'messages[0].content[0].image_url.url',
    ],
    [{ messages: [user([{ type: 'image_url' }])] }, 'invalid_parameter', 'messages[0].content[0].image_url'],
    [
      { messages: [user([{ type: 'file', file: { file_id: 'f' } }])] },
      'unsupported_parameter',
      'messages[0].content[0].file.file_data',
    ],
    [
      { messages: [user([{ type: 'file', file: { file_data: 'data:audio/wav;base64,aGk=' } }])] },
      'unsupported_parameter',
      'messages[0].content[0].file.file_data',
    ],
    [
      { messages: [user([{ type: 'file', file: { file_data: 'data:text/plain;base64,/w==' } }])] },
      'invalid_parameter',
      'messages[0].content[0].file.file_data',
    ],
    [
      {
        messages: [
          { role: 'system', content: [{ type: 'image_url', image_url: { url: 'https://x.test' } }] },
          user('x'),
        ],
      },
      'unsupported_parameter',
      'messages[0].content[0].type',
    ],
    [{ messages: [user('x'), { role: 'tool', content: 'y' }] }, 'missing_parameter', 'messages[1].tool_call_id'],
    [
      { messages: [user('x'), { role: 'function', name: 'f', content: 'y' }] },
      'unsupported_parameter',
      'messages[1].role',
    ],
    ...['{"a":', '[1]', '"x"', 'null'].map(
      (args) =>
        [
          {
            messages: [
              user('x'),
              assistant(null, { tool_calls: [toolCall('a', 'f', '{}'), toolCall('b', 'f', args)] }),
            ],
          },
          'invalid_parameter',
          'messages[1].tool_calls[1].function.arguments',
        ] as [object, string, string],
    ),
    [
      { messages: [user('x'), assistant(null, { tool_calls: [{ type: 'function', function: { name: 'f' } }] })] },
      'missing_parameter',
      'messages[1].tool_calls[0].id',
    ],
  ];
  for (const [fields, code, param] of refusals) {
    test(`${code} ${param}: ${JSON.stringify(fields).slice(0, 90)}`, () => {
      expect(refusalOf(() => upstreamBody({ ...fields }))).toMatchObject({ code, param, status: 400 });
    });
  }
});

function refusalOf(build: () => unknown) {
  try {
    build();
  } catch (error) {
    if (error instanceof GatewayError) return { code: error.code, param: error.param, status: error.status };
    throw error;
  }
  return undefined;
}
