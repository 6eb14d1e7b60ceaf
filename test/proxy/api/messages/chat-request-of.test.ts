/** A Messages request becomes the equivalent chat completion request, which every adapter can read. */
import { describe, expect, test } from 'bun:test';
import { chatRequestSchema } from '../../../../proxy/nouns/requests/chat-request.ts';
import { checkValue } from '../../../../shared/http/check-value.ts';
import { parseMessages } from '../parse.ts';

const ephemeral = { type: 'ephemeral' };
const hello = { role: 'user', content: 'Hello?' };
const tool = { name: 'weather', description: 'Tells it.', input_schema: { type: 'object', properties: {} } };

const parse = (members: object) => parseMessages(JSON.stringify({ model: 'm', max_tokens: 64, ...members }));

/** The translated request, which is also what adapters read. */
function translate(members: object): Record<string, unknown> {
  const { text, body } = parse(members);
  const sent: Record<string, unknown> = JSON.parse(String(text));
  expect(sent).toEqual(structuredClone({ ...body }));
  checkValue(chatRequestSchema, sent);
  return sent;
}

const messagesOf = (...messages: object[]) => translate({ messages }).messages;

describe('the parameters of a Messages request', () => {
  test('are read if they determine the cost', () => {
    const call = parse({ messages: [hello], stream: true });
    expect(call).toMatchObject({ model: 'm', stream: true, n: 1, choices: 1, outputCap: 64, includeUsage: false });
    expect(call.promptTexts).toEqual(['Hello?']);
  });

  test('become chat parameters, and nothing is added that the client has not sent', () => {
    expect(translate({ messages: [hello], top_p: null, tools: [], stop_sequences: [], metadata: {} })).toEqual({
      model: 'm',
      max_tokens: 64,
      messages: [hello],
    });
  });

  test('all have a counterpart', () => {
    const sent = translate({
      messages: [hello],
      system: 'Be brief.',
      temperature: 0.5,
      top_p: 0.9,
      top_k: 40,
      stop_sequences: ['END'],
      metadata: { user_id: 'u-1' },
      tools: [{ ...tool, type: 'custom', strict: true, cache_control: ephemeral }],
      tool_choice: { type: 'auto', disable_parallel_tool_use: true },
      output_config: { format: { type: 'json_schema', schema: { type: 'object' } } },
      service_tier: 'auto',
    });
    expect(sent).toEqual({
      model: 'm',
      max_tokens: 64,
      messages: [{ role: 'system', content: 'Be brief.' }, hello],
      temperature: 0.5,
      top_p: 0.9,
      top_k: 40,
      stop: ['END'],
      user: 'u-1',
      tools: [
        {
          type: 'function',
          function: { name: 'weather', description: 'Tells it.', parameters: tool.input_schema, strict: true },
          cache_control: ephemeral,
        },
      ],
      tool_choice: 'auto',
      parallel_tool_calls: false,
      response_format: {
        type: 'json_schema',
        json_schema: { name: 'output', schema: { type: 'object' }, strict: true },
      },
    });
  });

  test.each([
    [{ type: 'auto' }, 'auto'],
    [{ type: 'any' }, 'required'],
    [{ type: 'none' }, 'none'],
    [
      { type: 'tool', name: 'weather' },
      { type: 'function', function: { name: 'weather' } },
    ],
  ])('include tool_choice %j', (choice, expected) => {
    expect(translate({ messages: [hello], tools: [tool], tool_choice: choice }).tool_choice).toEqual(expected);
  });

  test.each([
    [{ thinking: { type: 'enabled', budget_tokens: 2048 } }, { max_tokens: 2048 }],
    [{ thinking: { type: 'disabled' } }, undefined],
    [{ thinking: { type: 'disabled' }, output_config: { effort: 'low' } }, undefined],
    [{ thinking: { type: 'adaptive' } }, { effort: 'high' }],
    [{ thinking: { type: 'adaptive' }, output_config: { effort: 'low' } }, { effort: 'low' }],
    [{ output_config: { effort: 'max' } }, { effort: 'max' }],
    [{}, undefined],
  ])('include thinking %j', (members, expected) => {
    expect(translate({ messages: [hello], ...members }).reasoning).toEqual(expected);
  });

  test('bound the prompt by the longer of the client’s and the translated request', () => {
    const short = { messages: [{ role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a' }] }] };
    for (const members of [{ messages: [hello], unknown: 'x'.repeat(500) }, short]) {
      const { bytes, text } = parse(members);
      expect(bytes).toBe(Math.max(JSON.stringify({ model: 'm', max_tokens: 64, ...members }).length, text.length));
    }
  });
});

describe('the turns of a Messages request', () => {
  test('keep their cache marks, and a single text without one becomes a string', () => {
    const marked = { type: 'text', text: 'long', cache_control: ephemeral };
    expect(
      translate({ system: [marked], messages: [{ role: 'user', content: [{ type: 'text', text: 'a' }] }] }),
    ).toEqual(
      expect.objectContaining({
        messages: [
          { role: 'system', content: [marked] },
          { role: 'user', content: 'a' },
        ],
      }),
    );
  });

  test('have a cache mark on the last block if the whole request has one', () => {
    expect(translate({ messages: [hello], cache_control: ephemeral }).messages).toEqual([
      { role: 'user', content: [{ type: 'text', text: 'Hello?', cache_control: ephemeral }] },
    ]);
  });

  test('have images, documents and search results as content parts', () => {
    const content = [
      { type: 'text', text: 'See:' },
      { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'iVBO' }, cache_control: ephemeral },
      { type: 'image', source: { type: 'url', url: 'https://example.com/a.png' } },
      { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: 'JVBE' }, title: 'Report' },
      { type: 'document', source: { type: 'url', url: 'https://example.com/a.pdf' }, context: 'Old.' },
      { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'Words' }, title: 'Note' },
      { type: 'document', source: { type: 'content', content: [{ type: 'text', text: 'Inner' }] }, title: 'Set' },
      { type: 'search_result', source: 'https://x', title: 'X', content: [{ type: 'text', text: 'found' }] },
    ];
    expect(parse({ messages: [{ role: 'user', content }] }).mediaParts).toBe(4);
    expect(messagesOf({ role: 'user', content })).toEqual([
      {
        role: 'user',
        content: [
          { type: 'text', text: 'See:' },
          { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBO' }, cache_control: ephemeral },
          { type: 'image_url', image_url: { url: 'https://example.com/a.png' } },
          { type: 'file', file: { filename: 'Report', file_data: 'data:application/pdf;base64,JVBE' } },
          { type: 'text', text: 'Old.' },
          { type: 'file', file: { filename: 'document.pdf', file_data: 'https://example.com/a.pdf' } },
          { type: 'text', text: 'Note\n\nWords' },
          { type: 'text', text: 'Set' },
          { type: 'text', text: 'Inner' },
          { type: 'text', text: 'X\n\nhttps://x\n\nfound' },
        ],
      },
    ]);
  });

  test('have tool results directly after their calls, in order, before other content of the user', () => {
    const calls = [
      { type: 'text', text: 'Let me ' },
      { type: 'text', text: 'look.' },
      { type: 'tool_use', id: 'a', name: 'weather', input: { city: 'Oslo' } },
      { type: 'tool_use', id: 'b', name: 'clock', input: {} },
    ];
    const results = [
      { type: 'text', text: 'Here:' },
      { type: 'tool_result', tool_use_id: 'b', content: 'noon' },
      { type: 'tool_result', tool_use_id: 'a', is_error: true, content: [{ type: 'text', text: 'no data' }] },
    ];
    expect(messagesOf(hello, { role: 'assistant', content: calls }, { role: 'user', content: results })).toEqual([
      hello,
      {
        role: 'assistant',
        content: 'Let me look.',
        tool_calls: [
          { id: 'a', type: 'function', function: { name: 'weather', arguments: '{"city":"Oslo"}' } },
          { id: 'b', type: 'function', function: { name: 'clock', arguments: '{}' } },
        ],
      },
      { role: 'tool', tool_call_id: 'b', content: 'noon' },
      { role: 'tool', tool_call_id: 'a', content: 'Error: no data' },
      { role: 'user', content: 'Here:' },
    ]);
  });

  test('pass on an image that a tool returns to models whose tools return only text', () => {
    const content = [
      {
        type: 'tool_result',
        tool_use_id: 'a',
        content: [{ type: 'image', source: { type: 'url', url: 'https://x.test/a' } }],
      },
      { type: 'tool_result', tool_use_id: 'b', is_error: true, cache_control: ephemeral },
    ];
    expect(messagesOf({ role: 'user', content })).toEqual([
      { role: 'tool', tool_call_id: 'a', content: 'The result is attached below.' },
      { role: 'tool', tool_call_id: 'b', content: 'Error', cache_control: ephemeral },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Result of the tool call a:' },
          { type: 'image_url', image_url: { url: 'https://x.test/a' } },
        ],
      },
    ]);
  });

  test('return signed thinking unchanged, and unsigned thinking as reasoning', () => {
    const signed = { type: 'thinking', thinking: 'Hm.', signature: 'c2ln' };
    const redacted = { type: 'redacted_thinking', data: 'ZGF0YQ' };
    const call = { type: 'tool_use', id: 'a', name: 'clock', input: {}, extra_content: { google: { x: 1 } } };
    expect(messagesOf({ role: 'assistant', content: [signed, redacted, call] })).toEqual([
      {
        role: 'assistant',
        content: null,
        thinking_blocks: [signed, redacted],
        tool_calls: [
          {
            id: 'a',
            type: 'function',
            function: { name: 'clock', arguments: '{}' },
            extra_content: { google: { x: 1 } },
          },
        ],
      },
    ]);
    const unsigned = { type: 'thinking', thinking: 'Hm.', signature: '' };
    expect(messagesOf({ role: 'assistant', content: [unsigned, { type: 'text', text: 'Yes.' }] })).toEqual([
      { role: 'assistant', content: 'Yes.', reasoning_content: 'Hm.' },
    ]);
  });

  test('keep the digits of a number in a tool input', () => {
    const input = '{"id":9007199254740993,"ratio":0.12345678901234567}';
    const { text } = parseMessages(
      `{"model":"m","max_tokens":1,"messages":[{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"n","input":${input}}]}]}`,
    );
    const [message] = JSON.parse(String(text)).messages;
    expect(message.tool_calls[0].function.arguments).toContain('"id":9007199254740993');
  });

  test('keep system messages in the middle', () => {
    expect(messagesOf(hello, { role: 'system', content: [{ type: 'text', text: 'Be kind.' }] }, hello)).toEqual([
      hello,
      { role: 'system', content: 'Be kind.' },
      hello,
    ]);
  });
});
