/** Chat completion requests become Gemini requests. */
import { describe, expect, test } from 'bun:test';
import { chat, chatCall, refusal, sent, targetOf } from '../chat-call.ts';

const user = { role: 'user', content: 'Hello?' };
const callOf = (id: string, name: string, args = '{}', extra: object = {}) => ({
  id,
  type: 'function',
  function: { name, arguments: args },
  ...extra,
});
const signed = (signature: string) => ({ extra_content: { google: { thought_signature: signature } } });

describe('the URL and the headers of a Gemini request', () => {
  test('request a whole response with generateContent, with the key in its own header', () => {
    const request = chat.buildRequest(chatCall(), targetOf('gemini-2.5-flash'));
    expect(request.url).toBe('http://127.0.0.1:1/v1beta/models/gemini-2.5-flash:generateContent');
    expect(request.headers).toMatchObject({ 'x-goog-api-key': 'secret', accept: 'application/json' });
    expect(request.headers).not.toHaveProperty('authorization');
  });

  test('request a stream as server-sent events', () => {
    const request = chat.buildRequest(chatCall({ stream: true }), targetOf('tuned/model'));
    expect(request.url).toBe('http://127.0.0.1:1/v1beta/models/tuned%2Fmodel:streamGenerateContent?alt=sse');
    expect(request.headers.accept).toBe('text/event-stream');
  });

  test('have no key for a provider without one', () => {
    expect(chat.buildRequest(chatCall(), { ...targetOf(), apiKey: undefined }).headers).not.toHaveProperty(
      'x-goog-api-key',
    );
  });
});

describe('the cost of a Gemini request', () => {
  test("is bounded by the gateway's cap and number of choices, whatever the text hides", () => {
    const text =
      '{"model":"test/gemini","max_tokens":9,"n":2,"n":1,"messages":[{"role":"user","content":"x"}],' +
      '"generationConfig":{"maxOutputTokens":99999,"candidateCount":8},"extra_body":{"candidateCount":8}}';
    const call = { ...chatCall(JSON.parse(text)), text };
    const body = JSON.parse(String(chat.buildRequest(call, targetOf('m', 77)).body));
    expect(body.generationConfig).toEqual({ maxOutputTokens: 77, candidateCount: 1 });
    expect(Object.keys(body).sort()).toEqual(['contents', 'generationConfig']);
  });
});

describe('the messages of a Gemini request', () => {
  test('have system and developer messages collected from anywhere, and assistants as models', () => {
    const body = sent({
      messages: [
        { role: 'system', content: 'Be kind.' },
        user,
        { role: 'assistant', content: 'Hi.' },
        { role: 'developer', content: [{ type: 'text', text: 'Be brief.' }] },
        { role: 'user', content: 'Go on.' },
      ],
    });
    expect(body.systemInstruction).toEqual({ parts: [{ text: 'Be kind.' }, { text: 'Be brief.' }] });
    expect(body.contents).toEqual([
      { role: 'user', parts: [{ text: 'Hello?' }] },
      { role: 'model', parts: [{ text: 'Hi.' }] },
      { role: 'user', parts: [{ text: 'Go on.' }] },
    ]);
  });

  test('include a user turn made of only system messages, and at least one text', () => {
    const body = sent({ messages: [{ role: 'system', content: 'Write a poem.' }] });
    expect(body.contents).toEqual([{ role: 'user', parts: [{ text: 'Write a poem.' }] }]);
    expect(body.systemInstruction).toBeUndefined();
    expect(refusal({ messages: [{ role: 'user', content: '' }] })).toEqual({
      code: 'invalid_parameter',
      param: 'messages',
    });
  });

  test('have the function’s name in tool results, in the order of the calls, in one turn', () => {
    const body = sent({
      messages: [
        user,
        {
          role: 'assistant',
          content: null,
          tool_calls: [callOf('a', 'weather', '{"city":"Paris"}'), callOf('b', 'weather', '{"city":"Rome"}')],
        },
        { role: 'tool', tool_call_id: 'b', content: 'rain' },
        { role: 'system', content: 'Mind the units.' },
        { role: 'tool', tool_call_id: 'a', content: '{"degrees":18}' },
        { role: 'user', content: 'And?' },
      ],
    });
    expect(body.contents).toEqual([
      { role: 'user', parts: [{ text: 'Hello?' }] },
      {
        role: 'model',
        parts: [
          { functionCall: { name: 'weather', args: { city: 'Paris' } } },
          { functionCall: { name: 'weather', args: { city: 'Rome' } } },
        ],
      },
      {
        role: 'user',
        parts: [
          { functionResponse: { name: 'weather', response: { degrees: 18 } } },
          { functionResponse: { name: 'weather', response: { output: 'rain' } } },
        ],
      },
      { role: 'user', parts: [{ text: 'And?' }] },
    ]);
  });

  test('are named in the error for a result without a call', () => {
    const messages = [user, { role: 'tool', tool_call_id: 'nobody', content: 'x' }];
    expect(refusal({ messages })).toEqual({ code: 'invalid_parameter', param: 'messages[1].tool_call_id' });
    const withoutId = [user, { role: 'tool', content: 'x' }];
    expect(refusal({ messages: withoutId })).toEqual({ code: 'invalid_parameter', param: 'messages[1].tool_call_id' });
  });

  test('have {} for empty arguments, and other arguments that are no object are refused by path', () => {
    const messages = (args: string) => [user, { role: 'assistant', tool_calls: [callOf('a', 'f', args)] }];
    expect(refusal({ messages: messages('{"half":') }).param).toBe('messages[1].tool_calls[0].function.arguments');
    expect(refusal({ messages: messages('[1]') }).code).toBe('invalid_parameter');
    expect(sent({ messages: messages('') }).contents).toMatchObject([
      {},
      { parts: [{ functionCall: { name: 'f', args: {} } }] },
    ]);
  });

  test('return thought signatures with the call and the text that they came with', () => {
    const body = sent({
      messages: [
        user,
        {
          role: 'assistant',
          content: 'Let me see.',
          ...signed('text-sig'),
          tool_calls: [callOf('a', 'f', '{}', signed('call-sig'))],
        },
        { role: 'tool', tool_call_id: 'a', content: 'ok' },
      ],
    });
    expect(body.contents).toMatchObject([
      {},
      {
        role: 'model',
        parts: [
          { text: 'Let me see.', thoughtSignature: 'text-sig' },
          { functionCall: { name: 'f', args: {} }, thoughtSignature: 'call-sig' },
        ],
      },
      {},
    ]);
  });

  test('have the documented placeholder for a required signature that the client has lost', () => {
    const messages = [
      user,
      { role: 'assistant', tool_calls: [callOf('a', 'f'), callOf('b', 'f')] },
      { role: 'tool', tool_call_id: 'a', content: 'ok' },
      { role: 'tool', tool_call_id: 'b', content: 'ok' },
    ];
    const partsFor = (model: string) => {
      const { contents } = sent({ messages }, targetOf(model)) as { contents: { parts: object[] }[] };
      return contents[1]?.parts.map((part) => 'thoughtSignature' in part);
    };
    expect(partsFor('gemini-3-pro-preview')).toEqual([true, false]);
    expect(partsFor('gemini-2.5-pro')).toEqual([false, false]);
  });
});
