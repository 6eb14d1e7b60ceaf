/** Gemini's streams become chunks of a chat completion, however the network splits them. */
import { describe, expect, test } from 'bun:test';
import { noUsage } from '../../../../../proxy/nouns/usage.ts';
import { call, candidate, response, text } from '../made-up-responses.ts';
import { eventDataOf, eventsOf, finishesOf, openStream, runStream, stable, textOf } from '../run-stream.ts';

const decoder = new TextDecoder();
const run = (...responses: (object | string)[]) => runStream([eventsOf(responses)]);

const rich = [
  response([candidate([{ text: 'Hm…', thought: true }], { index: 0 })]),
  text('Grüße 👋 '),
  response([candidate([{ text: 'data: x\r\n\r\n' }, call('f', { city: 'Köln' }, { id: 'c1' })])]),
  response([candidate([call('g')], { finishReason: 'STOP' })]),
];

describe('the framing of a Gemini stream', () => {
  test('has the same chunks when split at every byte, and byte by byte', () => {
    const whole = eventsOf(rich);
    const expected = stable(runStream([whole]));
    for (let offset = 1; offset < whole.length; offset += 1) {
      expect(stable(runStream([whole.slice(0, offset), whole.slice(offset)]))).toEqual(expected);
    }
    expect(stable(runStream(Array.from(whole, (byte) => new Uint8Array([byte]))))).toEqual(expected);
  });

  test('supports comments, event names and other line endings', () => {
    const lines = `: ping\n\nevent: message\ndata: ${JSON.stringify(text('a', { finishReason: 'STOP' }))}\n\n`;
    for (const ending of ['\n', '\r\n']) {
      const outcome = runStream([new TextEncoder().encode(lines.replaceAll('\n', ending))]);
      expect([textOf(outcome), outcome.complete]).toEqual(['a', true]);
    }
  });

  test('ends with an end mark, which some servers add', () => {
    expect(run(text('a', { finishReason: 'STOP' }), '[DONE]')).toMatchObject({ complete: true, ended: true });
    expect(run(text('a', { finishReason: 'STOP' }))).toMatchObject({ complete: true, ended: false });
  });

  test('refuses an endless event instead of buffering it', () => {
    const stream = openStream();
    const chunk = new TextEncoder().encode(`data: ${'x'.repeat(1024 * 1024)}`);
    expect(() => {
      for (let count = 0; count < 64; count += 1) stream.push(chunk);
    }).toThrow('too large');
  });
});

describe('the output of a Gemini stream', () => {
  test('counts names of functions as well as their arguments', () => {
    const named = (name: string) => run(response([candidate([call(name, { city: 'Oslo' })])])).deliveredTokens;
    expect(named('look_up_the_weather_forecast_of_a_city') - named('f')).toBeGreaterThan(5);
  });

  test('begins with the role in the first chunk of a choice, and separates thoughts and text', () => {
    const outcome = run(...rich);
    const deltas = outcome.chunks.flatMap(({ choices }) => choices.map(({ delta }) => delta));
    expect(deltas.slice(0, 3)).toEqual([
      { role: 'assistant', content: '', reasoning_content: 'Hm…' },
      { content: 'Grüße 👋 ' },
      { content: 'data: x\r\n\r\n' },
    ]);
    expect(outcome.chunks[0]).toMatchObject({
      id: 'r1',
      object: 'chat.completion.chunk',
      model: 'test/gemini',
    });
  });

  test('has each call as a separate chunk, with an id, a type and at least {} as arguments', () => {
    const calls = run(...rich).chunks.flatMap(({ choices }) => choices.flatMap(({ delta }) => delta.tool_calls ?? []));
    expect(calls).toEqual([
      { index: 0, id: 'c1', type: 'function', function: { name: 'f', arguments: '{"city":"Köln"}' } },
      { index: 1, id: expect.stringMatching(/^call_/), type: 'function', function: { name: 'g', arguments: '{}' } },
    ]);
    const parallel = run(response([candidate([call('a'), call('b')], { finishReason: 'STOP' })]));
    expect(parallel.chunks.map(({ choices }) => choices[0]?.delta.tool_calls?.length ?? 0)).toEqual([1, 1, 0]);
    expect(parallel.chunks[0]?.choices[0]?.delta).toMatchObject({ role: 'assistant', content: null });
  });

  test('has signatures of thoughts with the call and with the text', () => {
    const extra = (signature: string) => ({ extra_content: { google: { thought_signature: signature } } });
    const outcome = run(
      response([
        candidate([
          { text: 'a', thoughtSignature: 's1' },
          { ...call('f'), thoughtSignature: 's2' },
        ]),
      ]),
      response([candidate([{ text: '', thoughtSignature: 's3' }], { finishReason: 'STOP' })]),
    );
    const deltas = outcome.chunks.map(({ choices }) => choices[0]?.delta);
    expect(deltas[0]).toMatchObject(extra('s1'));
    expect(deltas[1]?.tool_calls?.[0]).toMatchObject(extra('s2'));
    expect(deltas[2]).toMatchObject({ content: '', ...extra('s3') });
  });

  test('has several candidates as several choices', () => {
    const outcome = run(
      response([candidate([{ text: 'a' }]), candidate([{ text: 'b' }], { index: 1 })]),
      response([candidate([call('f')], { index: 1, finishReason: 'STOP' }), candidate([{ text: 'c' }])]),
      response([candidate([], { finishReason: 'MAX_TOKENS' })]),
    );
    expect([textOf(outcome, 0), textOf(outcome, 1)]).toEqual(['ac', 'b']);
    expect(finishesOf(outcome)).toEqual(['length', 'tool_calls']);
  });

  test('shows executed code and images, and ignores unknown parts', () => {
    const outcome = run(
      response([candidate([{ executableCode: { language: 'PYTHON', code: 'print(1)' } }])]),
      response([candidate([{ codeExecutionResult: { outcome: 'OUTCOME_OK', output: '1' } }, { hologram: {} }])]),
      response([candidate([{ inlineData: { mimeType: 'image/png', data: 'AAAA' } }, { functionCall: {} }])]),
      response([candidate([{ text: null }, null as never], { finishReason: 'STOP', groundingMetadata: {} })]),
    );
    expect(textOf(outcome)).toBe('\n```python\nprint(1)\n```\n\n```\n1\n```\n');
    expect(outcome.chunks.flatMap(({ choices }) => choices.map(({ delta }) => delta))).toContainEqual({
      images: [{ type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } }],
    } as never);
  });

  test('has log probabilities in their chunk', () => {
    const logprobsResult = {
      chosenCandidates: [{ token: 'a', logProbability: -0.5, tokenId: 1 }, { token: '' }],
      topCandidates: [{ candidates: [{ token: 'a', logProbability: -0.5 }] }],
    };
    const [first] = run(response([candidate([{ text: 'a' }], { logprobsResult, finishReason: 'STOP' })])).chunks;
    expect(first?.choices[0]?.logprobs).toEqual({
      content: [
        { token: 'a', logprob: -0.5, bytes: [97], top_logprobs: [{ token: 'a', logprob: -0.5, bytes: [97] }] },
        { token: '', logprob: 0, bytes: [], top_logprobs: [] },
      ],
      refusal: null,
    });
  });
});

describe('the end of a Gemini stream', () => {
  const finish = (reason: string, ...before: object[]) =>
    finishesOf(run(...before, text('x', { finishReason: reason })));

  test('has a translated reason, which is tool_calls after a call in any earlier chunk', () => {
    expect(finish('STOP')).toEqual(['stop']);
    expect(finish('MAX_TOKENS')).toEqual(['length']);
    for (const reason of ['SAFETY', 'RECITATION', 'BLOCKLIST', 'PROHIBITED_CONTENT', 'SPII', 'IMAGE_SAFETY']) {
      expect(finish(reason)).toEqual(['content_filter']);
    }
    expect(finish('OTHER')).toEqual(['stop']);
    expect(finish('SOMETHING_NEW')).toEqual(['stop']);
    const called = response([candidate([call('f')])]);
    expect(finish('STOP', called)).toEqual(['tool_calls']);
    expect(finish('MAX_TOKENS', called)).toEqual(['length']);
    expect(finish('SAFETY', called)).toEqual(['content_filter']);
  });

  test('comes once, even from a model that reports STOP in every event', () => {
    const stop = { finishReason: 'STOP' };
    const outcome = run(text('a', stop), text('b', stop), response([candidate([call('f')], stop)]));
    expect(textOf(outcome)).toBe('ab');
    expect(finishesOf(outcome)).toEqual(['tool_calls']);
    expect(outcome.chunks.at(-1)?.choices[0]?.finish_reason).toBe('tool_calls');
  });

  test('is a filtered response without text for a blocked prompt', () => {
    const outcome = run({
      promptFeedback: { blockReason: 'SAFETY' },
      usageMetadata: { promptTokenCount: 9, totalTokenCount: 9 },
    });
    expect(outcome.chunks.map(({ choices }) => choices)).toEqual([
      [{ index: 0, delta: { role: 'assistant', content: '' }, finish_reason: 'content_filter' }],
    ]);
    expect(outcome.complete).toBe(true);
    expect(outcome.usage).toMatchObject({ promptTokens: 9, completionTokens: 0 });
  });

  test('is incomplete if the stream stops without a reason', () => {
    for (const last of [{}, { finishReason: 'FINISH_REASON_UNSPECIFIED' }, { finishReason: null }]) {
      const stream = openStream();
      stream.push(eventsOf([text('a', last)]));
      expect(stream.complete).toBe(false);
    }
    expect(openStream().complete).toBe(false);
  });

  test('is that of a reached limit if the stream is cut short', () => {
    const stream = openStream();
    stream.push(eventsOf([text('a')]));
    const [last = ''] = eventDataOf(stream.cutShort());
    expect(JSON.parse(last).choices).toEqual([{ index: 0, delta: {}, finish_reason: 'length' }]);
    expect([stream.complete, stream.ended]).toEqual([true, true]);
    expect(stream.close({ usage: noUsage, costUsd: '0' })).toBe('data: [DONE]\n\n');
  });

  test('has the usage in the last chunk if requested, and null before', () => {
    const outcome = runStream([eventsOf([text('a', { finishReason: 'STOP' })])], {
      stream_options: { include_usage: true },
    });
    const usages = outcome.chunks.map((chunk) => (chunk as { usage?: unknown }).usage);
    expect(usages.slice(0, -1)).toEqual([null, null]);
    expect(usages.at(-1)).toMatchObject({ prompt_tokens: 10, completion_tokens: 4, total_tokens: 14, cost: 0.5 });
    expect(outcome.chunks.at(-1)?.choices).toEqual([]);
  });
});

describe('the failure of a Gemini stream', () => {
  test('follows the delivered output if it is an error inside the stream', () => {
    const stream = openStream();
    const bytes = stream.push(
      eventsOf([text('a'), { error: { code: 503, message: 'overloaded', status: 'UNAVAILABLE' } }]),
    );
    expect(decoder.decode(bytes)).toContain('"content":"a"');
    expect([stream.complete, stream.ended, stream.failure?.message]).toEqual([false, true, 'overloaded']);
    const alone = openStream();
    expect(() => alone.push(eventsOf([{ error: { message: 'overloaded' } }]))).toThrow('overloaded');
    const afterEnd = openStream();
    afterEnd.push(eventsOf([text('a', { finishReason: 'STOP' }), { error: { message: 'late' } }]));
    expect([afterEnd.complete, afterEnd.failure?.message]).toEqual([false, 'late']);
    expect(() => run([{ error: { message: 'in an array' } }])).toThrow('in an array');
  });

  test('is an error instead of an end for a malformed call', () => {
    for (const reason of ['MALFORMED_FUNCTION_CALL', 'UNEXPECTED_TOOL_CALL', 'TOO_MANY_TOOL_CALLS']) {
      expect(() => run(response([{ finishReason: reason, index: 0 }]))).toThrow(reason);
    }
  });

  test("is the provider's for anything but a JSON object", () => {
    expect(() => run('<html>')).toThrow('not JSON');
    expect(() => run('"text"')).toThrow('unreadable');
    expect(() => run('null')).toThrow('unreadable');
  });

  test('is not caused by members of a wrong type, which are ignored', () => {
    const odd = [
      { candidates: 'none', usageMetadata: 7, responseId: 5, modelVersion: {} },
      {
        candidates: [null, 5, { content: [], finishReason: 3, index: 'x' }, { content: { parts: [{ text: 5 }, 'y'] } }],
      },
      { candidates: [{ content: { parts: [{ functionCall: { name: 'f', args: 'no object', id: 9 } }] }, index: -1 }] },
      text('a', { finishReason: 'STOP' }),
    ];
    const outcome = run(...odd);
    expect([textOf(outcome), finishesOf(outcome), outcome.complete]).toEqual(['a', ['tool_calls'], true]);
  });
});
