/** A chat completion request in Gemini's words. */
import { describe, expect, test } from 'bun:test';
import { chat, chatCall, refusal, sent, targetOf } from './chat-call.ts';

const user = { role: 'user', content: 'Hello?' };
const callOf = (id: string, name: string, args = '{}', extra: object = {}) => ({
  id,
  type: 'function',
  function: { name, arguments: args },
  ...extra,
});
const signed = (signature: string) => ({ extra_content: { google: { thought_signature: signature } } });

describe('the address and the headers', () => {
  test('a whole answer is asked for by generateContent, with the key in its own header', () => {
    const request = chat.buildRequest(chatCall(), targetOf('gemini-2.5-flash'));
    expect(request.url).toBe('http://127.0.0.1:1/v1beta/models/gemini-2.5-flash:generateContent');
    expect(request.headers).toMatchObject({ 'x-goog-api-key': 'secret', accept: 'application/json' });
    expect(request.headers).not.toHaveProperty('authorization');
  });

  test('a stream is asked for as server-sent events', () => {
    const request = chat.buildRequest(chatCall({ stream: true }), targetOf('tuned/model'));
    expect(request.url).toBe('http://127.0.0.1:1/v1beta/models/tuned%2Fmodel:streamGenerateContent?alt=sse');
    expect(request.headers.accept).toBe('text/event-stream');
  });

  test('a provider that wants no key is sent none', () => {
    expect(chat.buildRequest(chatCall(), { ...targetOf(), apiKey: undefined }).headers).not.toHaveProperty(
      'x-goog-api-key',
    );
  });
});

describe('what decides the cost', () => {
  test('the output cap and the number of answers are always ours, whatever the text hides', () => {
    const text =
      '{"model":"test/gemini","max_tokens":9,"n":2,"n":1,"messages":[{"role":"user","content":"x"}],' +
      '"generationConfig":{"maxOutputTokens":99999,"candidateCount":8},"extra_body":{"candidateCount":8}}';
    const call = { ...chatCall(JSON.parse(text)), text };
    const body = JSON.parse(chat.buildRequest(call, targetOf('m', 77)).body);
    expect(body.generationConfig).toEqual({ maxOutputTokens: 77, candidateCount: 1 });
    expect(Object.keys(body).sort()).toEqual(['contents', 'generationConfig']);
  });
});

describe('messages', () => {
  test('system and developer messages are gathered from anywhere, assistants are models', () => {
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

  test('a chat of system messages alone is a turn of the user, and one without any text is refused', () => {
    const body = sent({ messages: [{ role: 'system', content: 'Write a poem.' }] });
    expect(body.contents).toEqual([{ role: 'user', parts: [{ text: 'Write a poem.' }] }]);
    expect(body.systemInstruction).toBeUndefined();
    expect(refusal({ messages: [{ role: 'user', content: '' }] })).toEqual({
      code: 'invalid_parameter',
      param: 'messages',
    });
  });

  test('answers of tools are told by the function’s name, in the order of the calls, in one turn', () => {
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

  test('an answer to a call that nobody made names the message', () => {
    const messages = [user, { role: 'tool', tool_call_id: 'nobody', content: 'x' }];
    expect(refusal({ messages })).toEqual({ code: 'invalid_parameter', param: 'messages[1].tool_call_id' });
    const withoutId = [user, { role: 'tool', content: 'x' }];
    expect(refusal({ messages: withoutId })).toEqual({ code: 'invalid_parameter', param: 'messages[1].tool_call_id' });
  });

  test('arguments that are no object name the call; empty ones are none', () => {
    const messages = (args: string) => [user, { role: 'assistant', tool_calls: [callOf('a', 'f', args)] }];
    expect(refusal({ messages: messages('{"half":') }).param).toBe('messages[1].tool_calls[0].function.arguments');
    expect(refusal({ messages: messages('[1]') }).code).toBe('invalid_parameter');
    expect(sent({ messages: messages('') }).contents).toMatchObject([
      {},
      { parts: [{ functionCall: { name: 'f', args: {} } }] },
    ]);
  });

  test('signatures of thoughts go back to the call and to the text that they came with', () => {
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

  test('where a client has lost the signature, models that insist on one get the documented stand-in', () => {
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

describe('media', () => {
  const parts = (...content: object[]) =>
    (sent({ messages: [{ role: 'user', content }] }) as { contents: { parts: unknown[] }[] }).contents[0]?.parts;

  test('data is sent inline, with its type', () => {
    expect(
      parts(
        { type: 'text', text: 'Look:' },
        { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA', detail: 'low' } },
        { type: 'image_url', image_url: { url: 'data:image/svg+xml;charset=utf-8,%3Csvg%2F%3E' } },
        { type: 'input_audio', input_audio: { data: 'BBBB', format: 'wav' } },
        { type: 'file', file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,CCCC' } },
        { type: 'file', file: { filename: 'b.pdf', file_data: 'DDDD' } },
      ),
    ).toEqual([
      { text: 'Look:' },
      { inlineData: { mimeType: 'image/png', data: 'AAAA' } },
      { inlineData: { mimeType: 'image/svg+xml', data: btoa('<svg/>') } },
      { inlineData: { mimeType: 'audio/wav', data: 'BBBB' } },
      { inlineData: { mimeType: 'application/pdf', data: 'CCCC' } },
      { inlineData: { mimeType: 'application/pdf', data: 'DDDD' } },
    ]);
  });

  test('addresses and uploaded files are named', () => {
    const uploaded = 'https://generativelanguage.googleapis.com/v1beta/files/abc';
    expect(
      parts(
        { type: 'image_url', image_url: { url: 'https://example.com/a.PNG?size=1' } },
        { type: 'image_url', image_url: { url: 'gs://bucket/b' } },
        { type: 'file', file: { file_id: uploaded } },
      ),
    ).toEqual([
      { fileData: { mimeType: 'image/png', fileUri: 'https://example.com/a.PNG?size=1' } },
      { fileData: { mimeType: 'image/jpeg', fileUri: 'gs://bucket/b' } },
      { fileData: { fileUri: uploaded } },
    ]);
  });

  test('what cannot be read names its place', () => {
    const refused = (part: object) => refusal({ messages: [{ role: 'user', content: [part] }] });
    const at = 'messages[0].content[0]';
    expect(refused({ type: 'image_url', image_url: { url: 'http://example.com/a.png' } })).toEqual({
      code: 'invalid_parameter',
      param: `${at}.image_url.url`,
    });
    expect(refused({ type: 'image_url', image_url: { url: 'data:image/png' } }).param).toBe(`${at}.image_url.url`);
    expect(refused({ type: 'file', file: { file_id: 'file-123' } }).param).toBe(`${at}.file.file_id`);
    expect(refused({ type: 'hologram' })).toEqual({ code: 'unsupported_parameter', param: `${at}.type` });
  });
});

describe('generation', () => {
  const config = (body: object, outputCap = 2048) =>
    sent(body, targetOf('gemini-2.5-flash', outputCap)).generationConfig as Record<string, unknown>;
  const always = { maxOutputTokens: 2048, candidateCount: 1 };

  test('sampling, stop, seed, penalties and log probabilities have their names', () => {
    expect(
      config({
        ...{ temperature: 1.5, top_p: 0.5, stop: 'END', seed: 7, n: 2 },
        ...{ presence_penalty: 0.5, frequency_penalty: -0.5, logprobs: true, top_logprobs: 3 },
      }),
    ).toEqual({
      ...always,
      candidateCount: 2,
      ...{ temperature: 1.5, topP: 0.5, stopSequences: ['END'], seed: 7 },
      ...{ presencePenalty: 0.5, frequencyPenalty: -0.5, responseLogprobs: true, logprobs: 3 },
    });
  });

  test('zeros that mean something stay, defaults that models refuse are left out', () => {
    expect(config({ temperature: 0, top_p: 0, presence_penalty: 0, logprobs: false, stop: [''] })).toEqual({
      ...always,
      temperature: 0,
      topP: 0,
    });
  });

  test('a seed of more than 32 bits stays one and the same', () => {
    const seed = config({ seed: 2 ** 40 + 5 }).seed;
    expect(seed).toBe(5);
    expect(Math.abs(Number(config({ seed: 4_000_000_000 }).seed))).toBeLessThan(2 ** 31);
  });

  test('JSON is asked for by its type, and by its schema where there is one', () => {
    expect(config({ response_format: { type: 'text' } })).toEqual(always);
    expect(config({ response_format: { type: 'json_object' } })).toEqual({
      ...always,
      responseMimeType: 'application/json',
    });
    const schema = { type: 'object', properties: { a: { type: ['string', 'null'] } }, additionalProperties: false };
    expect(config({ response_format: { type: 'json_schema', json_schema: { name: 'x', schema } } })).toEqual({
      ...always,
      responseMimeType: 'application/json',
      responseSchema: { type: 'object', properties: { a: { type: 'string', nullable: true } } },
    });
    expect(refusal({ response_format: { type: 'grammar' } }).code).toBe('unsupported_parameter');
  });

  test('efforts are thinking budgets that leave room for the answer', () => {
    const budget = (body: object, cap = 65_536) => config(body, cap).thinkingConfig;
    expect(budget({})).toBeUndefined();
    expect(budget({ reasoning_effort: 'none' })).toEqual({ thinkingBudget: 0, includeThoughts: false });
    expect(budget({ reasoning_effort: 'low' })).toEqual({ thinkingBudget: 1024, includeThoughts: true });
    expect(budget({ reasoning: { effort: 'medium' } })).toEqual({ thinkingBudget: 8192, includeThoughts: true });
    expect(budget({ reasoning_effort: 'high' })).toEqual({ thinkingBudget: 24_576, includeThoughts: true });
    expect(budget({ reasoning: { max_tokens: 3000 } })).toEqual({ thinkingBudget: 3000, includeThoughts: true });
    expect(budget({ reasoning_effort: 'high' }, 4096)).toEqual({ thinkingBudget: 2048, includeThoughts: true });
    expect(budget({ reasoning_effort: 'high' }, 100)).toEqual({ thinkingBudget: 512, includeThoughts: true });
    expect(refusal({ reasoning_effort: 'heroic' })).toEqual({ code: 'invalid_parameter', param: 'reasoning_effort' });
  });

  test('efforts are levels where the provider wants those', () => {
    const target = targetOf('gemini-3-pro-preview', 65_536, { reasoningControl: 'effort' });
    const level = (body: object) =>
      (sent(body, target).generationConfig as { thinkingConfig?: unknown }).thinkingConfig;
    expect(level({})).toBeUndefined();
    expect(level({ reasoning_effort: 'none' })).toEqual({ thinkingLevel: 'minimal', includeThoughts: false });
    expect(level({ reasoning_effort: 'low' })).toEqual({ thinkingLevel: 'low', includeThoughts: true });
    expect(level({ reasoning: { effort: 'xhigh' } })).toEqual({ thinkingLevel: 'high', includeThoughts: true });
    expect(level({ reasoning: { max_tokens: 5000 } })).toEqual({ thinkingLevel: 'medium', includeThoughts: true });
  });

  test('what Gemini cannot do is refused by name', () => {
    for (const [param, value] of Object.entries({
      logit_bias: { 50256: -100 },
      modalities: ['text', 'audio'],
      functions: [{ name: 'f' }],
      web_search_options: {},
    })) {
      expect(refusal({ [param]: value })).toEqual({ code: 'unsupported_parameter', param });
    }
    expect(config({ logit_bias: {}, modalities: ['text'], functions: null, user: 'me' })).toEqual(always);
  });
});

describe('tools', () => {
  const tool = (name: string, parameters?: object) => ({ type: 'function', function: { name, parameters } });
  const weather = tool('weather', { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] });

  test('functions are declared, without parameters where they have none', () => {
    const body = sent({
      tools: [
        { type: 'function', function: { name: 'now', description: 'The time.' } },
        tool('ping', { type: 'object', properties: {}, additionalProperties: false }),
        weather,
      ],
    });
    expect(body.tools).toEqual([
      {
        functionDeclarations: [
          { name: 'now', description: 'The time.' },
          { name: 'ping' },
          { name: 'weather', parameters: weather.function.parameters },
        ],
      },
    ]);
    expect(body).not.toHaveProperty('toolConfig');
  });

  test('every tool choice has its mode', () => {
    const config = (choice: unknown) => {
      const { toolConfig } = sent({ tools: [weather, tool('time')], tool_choice: choice }) as {
        toolConfig: { functionCallingConfig: unknown };
      };
      return toolConfig.functionCallingConfig;
    };
    expect(config('auto')).toEqual({ mode: 'AUTO' });
    expect(config('none')).toEqual({ mode: 'NONE' });
    expect(config('required')).toEqual({ mode: 'ANY' });
    expect(config({ type: 'function', function: { name: 'weather' } })).toEqual({
      mode: 'ANY',
      allowedFunctionNames: ['weather'],
    });
    const allowed = (mode: string) => ({
      type: 'allowed_tools',
      allowed_tools: { mode, tools: [{ type: 'function', function: { name: 'time' } }] },
    });
    expect(config(allowed('required'))).toEqual({ mode: 'ANY', allowedFunctionNames: ['time'] });
    expect(sent({ tools: [weather, tool('time')], tool_choice: allowed('auto') }).tools).toEqual([
      { functionDeclarations: [{ name: 'time' }] },
    ]);
    expect(refusal({ tools: [weather], tool_choice: 'perhaps' })).toEqual({
      code: 'invalid_parameter',
      param: 'tool_choice',
    });
  });

  test('without tools there is no tool choice; tools of other kinds are refused', () => {
    expect(sent({ tools: [], tool_choice: 'auto' })).not.toHaveProperty('toolConfig');
    expect(refusal({ tools: [{ type: 'custom', custom: { name: 'x' } }] })).toEqual({
      code: 'unsupported_parameter',
      param: 'tools[0].type',
    });
  });
});
