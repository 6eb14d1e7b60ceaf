/** Messages without content are refused in every API format, before anything is held. */
import { describe, expect, test } from 'bun:test';
import { readChatCompletion } from '../../../../../proxy/api/chat-completions/chat-completions.ts';
import { readMessages, readTokenCount } from '../../../../../proxy/api/messages/messages.ts';
import { readResponses } from '../../../../../proxy/api/responses/responses.ts';
import { refusalOf } from '../../refusal-of.ts';

const chat = (...messages: object[]) => readWith(readChatCompletion, { messages });
const messages = (...turns: object[]) => readWith(readMessages, { max_tokens: 9, messages: turns });
const responses = (...input: object[]) => readWith(readResponses, { input });

const called = { id: 'a', type: 'function', function: { name: 'f', arguments: '{}' } };

describe('a chat completion', () => {
  test.each(['system', 'developer', 'user', 'tool', 'assistant'])(
    'is refused if a %s message has no content',
    (role) => {
      for (const nothing of [{}, { content: null }, { content: [] }]) {
        expect(chat({ role: 'user', content: 'Hello?' }, { role, ...nothing })).toEqual([
          'missing_parameter',
          'messages[1].content',
        ]);
      }
      expect(chat({ role, content: '' })).toBe('accepted');
      expect(chat({ role, content: [{ type: 'text', text: 'Hello?' }] })).toBe('accepted');
    },
  );

  test.each([{ tool_calls: [called] }, { function_call: { name: 'f', arguments: '{}' } }, { refusal: 'No.' }])(
    'is accepted if an assistant message has no content but %j',
    (content) => {
      expect(chat({ role: 'assistant', content: null, ...content })).toBe('accepted');
      expect(chat({ role: 'assistant', ...content })).toBe('accepted');
    },
  );

  test('is refused if its only content is an empty list of tool calls', () => {
    expect(chat({ role: 'assistant', content: null, tool_calls: [] })).toEqual([
      'missing_parameter',
      'messages[0].content',
    ]);
  });

  test.each(['text', 'image_url', 'input_audio', 'file', 'refusal'])(
    'is refused if a part of type %s has no content',
    (type) => {
      const parts = [{ type: 'text', text: 'Look:' }, { type }];
      expect(chat({ role: 'user', content: parts })).toEqual(['missing_parameter', `messages[0].content[1].${type}`]);
    },
  );

  test('is accepted with unknown part types, which are left to the provider', () => {
    expect(chat({ role: 'user', content: [{ type: 'video_url' }] })).toBe('accepted');
  });
});

describe('a Messages request', () => {
  test.each(['user', 'assistant', 'system'])('is refused if a turn of %s has no content', (role) => {
    for (const nothing of [{}, { content: null }, { content: [] }]) {
      const sent = {
        messages: [
          { role: 'user', content: 'Hello?' },
          { role, ...nothing },
        ],
      };
      const expected = ['missing_parameter', 'messages[1].content'];
      expect(readWith(readMessages, { max_tokens: 9, ...sent })).toEqual(expected);
      expect(readWith(readTokenCount, sent)).toEqual(expected);
    }
    expect(messages({ role, content: 'Hello?' })).toBe('accepted');
  });
});

describe('a Responses request', () => {
  test.each(['user', 'system', 'developer'])('is refused if a message of %s has no content', (role) => {
    for (const nothing of [{}, { content: [] }]) {
      expect(responses({ role: 'user', content: 'Hello?' }, { role, ...nothing })).toEqual([
        'missing_parameter',
        'input[1].content',
      ]);
    }
    expect(responses({ role, content: 'Hello?' })).toBe('accepted');
  });
});

function readWith(read: (value: object, text: string) => unknown, body: object): unknown {
  const value = { model: 'test/chat', ...body };
  return refusalOf(() => read(value, JSON.stringify(value))) ?? 'accepted';
}
