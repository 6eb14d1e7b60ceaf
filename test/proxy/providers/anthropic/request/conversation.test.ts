/** Chat messages become turns of a conversation. */
import { describe, expect, test } from 'bun:test';
import { buildMessagesRequest } from '../../../../../proxy/providers/anthropic/request/build-request.ts';
import { assistant, chatCall, ephemeral, target, toolCall, upstreamBody, user } from '../chat-call.ts';

describe('chat messages become turns for Anthropic:', () => {
  const translations: readonly [string, readonly object[], object][] = [
    [
      'system and developer messages anywhere become the system text, with their cache marks',
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
        { role: 'system', content: 'Three.', cache_control: { type: 'ephemeral', ttl: '5m' } },
      ],
      {
        system: [
          { type: 'text', text: 'One.' },
          { type: 'text', text: 'Two.', cache_control: ephemeral },
          { type: 'text', text: 'Three.', cache_control: ephemeral },
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
        assistant(' '),
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
      'a message’s cache mark applies to its last block',
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
      'results of parallel tool calls are in one turn, before the next user message',
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
      'signed thinking goes back first, without unsigned thinking',
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
      'an assistant message at the end has no trailing white space',
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

  test('tools of earlier calls are declared but disabled if the request has none', () => {
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

  test('integers beyond 2^53 in arguments stay exact', () => {
    const messages = [
      user('Go'),
      assistant(null, { tool_calls: [toolCall('c1', 'find', '{"id":12345678901234567890}')] }),
      { role: 'tool', tool_call_id: 'c1', content: 'x' },
    ];
    expect(buildMessagesRequest(chatCall({ messages }), target()).body).toContain('{"id":12345678901234567890}');
  });
});
