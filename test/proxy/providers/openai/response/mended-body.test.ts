/** Whatever a provider leaves out of a body or changes, the client gets the published format. */
import { describe, expect, test } from 'bun:test';
import { noUsage } from '../../../../../proxy/nouns/usage.ts';
import { readChatBody, readCompletionBody } from '../../../../../proxy/providers/openai/response/read-body.ts';
import { type OpenaiSchema, openaiSchemasMissing, schemaProblems } from '../../../../harness/openapi/openai-schemas.ts';
import { testCall, testDeployment } from '../calls.ts';

type Json = Record<string, unknown>;

const charge = {
  usage: { ...noUsage, promptTokens: 1, completionTokens: 2 },
  costUsd: '0.000000123',
};

function rendered(body: { render(given: typeof charge): string }, schema: OpenaiSchema): Json {
  const response = JSON.parse(body.render(charge));
  if (!openaiSchemasMissing) expect(schemaProblems(schema, response)).toEqual([]);
  return response;
}

const chat = (response: object) =>
  rendered(readChatBody(JSON.stringify(response), testCall(), testDeployment), 'CreateChatCompletionResponse');
const message = (own: Json, more: Json = {}) =>
  (chat({ choices: [{ message: own, ...more }] }).choices as { message: Json; finish_reason: string }[])[0];

describe('a chat completion', () => {
  test('a chat completion that lacks nearly everything is completed', () => {
    const response = chat({ choices: [{ message: {} }] });
    expect(response).toMatchObject({ object: 'chat.completion', model: 'test/model' });
    expect(response.choices).toEqual([
      { index: 0, message: { role: 'assistant', content: '', refusal: null }, logprobs: null, finish_reason: 'stop' },
    ]);
  });

  test('a chat completion without content has the content "", unless it calls tools', () => {
    const whole = { id: 'c', object: 'chat.completion', created: 1, model: 'm', usage: { prompt_tokens: 1 } };
    const own = { role: 'assistant', content: null, refusal: null };
    const choice = { index: 0, message: own, logprobs: null, finish_reason: 'length' };
    expect(chat({ ...whole, choices: [choice] }).choices).toEqual([{ ...choice, message: { ...own, content: '' } }]);
    expect(message({ ...own, tool_calls: [] })?.message.content).toBe('');
    const called = { name: 'f', arguments: '{}' };
    expect(message({ ...own, tool_calls: [{ id: 'a', function: called }] })?.message.content).toBeNull();
    expect(message({ ...own, function_call: called })?.message.content).toBeNull();
  });

  test('has the client’s name of the model, and does not name the supplier', () => {
    const choice = { index: 0, message: { role: 'assistant', content: 'x', refusal: null }, finish_reason: 'stop' };
    const response = { id: 'c', object: 'chat.completion', created: 1, model: 'm', usage: {} };
    expect(chat({ ...response, choices: [{ ...choice, logprobs: null }] }).model).toBe('test/model');
    const completion = chat({ ...response, provider: 'Somebody', x_groq: { id: 'r' }, choices: [choice] });
    expect(completion.model).toBe('test/model');
    expect(Object.keys(completion).sort()).toEqual(['choices', 'created', 'id', 'model', 'object', 'usage']);
  });

  test('has reasoning separate from text', () => {
    const content = [
      { type: 'thinking', thinking: [{ type: 'text', text: 'Hm.' }] },
      { type: 'text', text: 'Yes' },
    ];
    expect(message({ content })?.message).toMatchObject({ content: 'Yes', reasoning_content: 'Hm.' });
    expect(message({ content: 'x', reasoning: 'so' })?.message).toEqual({
      role: 'assistant',
      content: 'x',
      refusal: null,
      reasoning_content: 'so',
    });
  });

  test('has complete tool calls', () => {
    const calls = [
      { function: { name: 'f', arguments: { a: 1 } } },
      { id: 'b', type: null, function: { name: 'g', arguments: '' } },
    ];
    const choice = message({ tool_calls: calls, function_call: null });
    expect(choice?.finish_reason).toBe('tool_calls');
    expect(choice?.message.tool_calls).toMatchObject([
      { id: expect.stringMatching(/^call_/), type: 'function', function: { name: 'f', arguments: '{"a":1}' } },
      { id: 'b', type: 'function', function: { name: 'g', arguments: '{}' } },
    ]);
    expect(message({ content: 'x', tool_calls: null })?.message).not.toHaveProperty('tool_calls');
  });

  test('has the audio of a provider that says no more of it', () => {
    const { audio } = message({ content: null, audio: { data: 'AAAA' } })?.message ?? {};
    expect(audio).toEqual({
      id: expect.stringMatching(/^audio_/),
      data: 'AAAA',
      transcript: '',
      expires_at: expect.any(Number),
    });
    const kept = { id: 'a', data: 'AAAA', transcript: 'Yes.', expires_at: 1_800_000_000 };
    expect(message({ content: null, audio: kept })?.message.audio).toEqual(kept);
  });

  test('has no members whose format does not fit the API format', () => {
    const citation = {
      type: 'url_citation',
      url_citation: { start_index: 0, end_index: 1, url: 'https://a', title: 'A' },
    };
    const odd = { annotations: [citation, { type: 'file' }], audio: {}, refusal: 3 };
    expect(message({ content: 'x', ...odd })?.message).toEqual({
      role: 'assistant',
      content: 'x',
      refusal: null,
      annotations: [citation],
    });
    expect(message({ content: 'x', annotations: null })?.message).not.toHaveProperty('annotations');
    const response = chat({
      service_tier: 'on_demand',
      system_fingerprint: null,
      metadata: 3,
      choices: [{ message: {} }],
    });
    expect(Object.keys(response).sort()).toEqual(['choices', 'created', 'id', 'model', 'object', 'usage']);
  });

  test('keeps members that the API format does not name, exact to the digit', () => {
    const text =
      '{"id":"a","object":"chat.completion","created":1,"model":"m","choices":[{"message":{}}],"seed":12345678901234567890}';
    expect(readChatBody(text, testCall(), testDeployment).render(charge)).toContain('"seed":12345678901234567890');
  });

  test('a chat completion that reports a failure, has no choices or broke off is a failure', () => {
    const failures: [string, string][] = [
      ['{"error":{"message":"no more"}}', 'refused'],
      ['{"error":{"message":"too long","code":400}}', 'rejected'],
      ['{"choices":[]}', 'malformed'],
      ['{"choices":[{"finish_reason":"error","message":{}}]}', 'cut'],
      ['<html>', 'malformed'],
      ['null', 'malformed'],
    ];
    for (const [text, reason] of failures) {
      expect(() => readChatBody(text, testCall(), testDeployment)).toThrow(expect.objectContaining({ reason }));
    }
  });

  test('a chat completion without usage is estimated from all generated text', () => {
    const calls = [
      { function: { name: 'f', arguments: '{"c":1}' } },
      { id: 'call_2', type: 'custom', custom: { name: 'g', input: 'd' } },
    ];
    const audio = { id: 'audio_1', transcript: 'said', data: 'AAAA', expires_at: 1_800_000_000 };
    const own = { content: 'a', reasoning: 'b', audio, tool_calls: calls };
    const body = readChatBody(JSON.stringify({ choices: [{ message: own }] }), testCall(), testDeployment);
    expect(body.usage).toBeNull();
    expect(body.outputTexts).toEqual(['a', 'b', 'said', 'f', '{"c":1}', 'g', 'd']);
  });
});

describe('a text completion', () => {
  const read = (response: object, call = testCall({ kind: 'completion' })) =>
    readCompletionBody(JSON.stringify(response), call, testDeployment);

  test('a text completion that lacks nearly everything is completed', () => {
    const response = rendered(
      read({ choices: [{ text: 'a' }, { text: null, finish_reason: 'eos' }] }),
      'CreateCompletionResponse',
    );
    expect(response).toMatchObject({ object: 'text_completion', model: 'test/model' });
    expect(response.choices).toEqual([
      { text: 'a', index: 0, logprobs: null, finish_reason: 'stop' },
      { text: '', finish_reason: 'stop', index: 1, logprobs: null },
    ]);
  });

  test('has log probabilities in the published format', () => {
    const logprobs = {
      tokens: ['a', 'b'],
      token_logprobs: [null, -1],
      top_logprobs: [null, { b: -1 }],
      text_offset: [0, 1],
    };
    const response = rendered(read({ choices: [{ text: 'ab', logprobs }] }), 'CreateCompletionResponse');
    expect(response.choices).toMatchObject([{ logprobs: { token_logprobs: [0, -1], top_logprobs: [{}, { b: -1 }] } }]);
  });

  test('a text completion without usage is estimated without the prompt that it echoes', () => {
    const call = testCall({ kind: 'completion', n: 2, promptTexts: ['one ', 'another '], body: { echo: true } });
    const texts = ['one a', 'one b', 'another c', 'another d'];
    expect(read({ choices: texts.map((text, index) => ({ text, index })) }, call).outputTexts).toEqual([
      'a',
      'b',
      'c',
      'd',
    ]);
  });
});
