/** Whatever a provider leaves out of its chunks or changes, the client gets the published format. */
import { describe, expect, test } from 'bun:test';
import { ChatStream } from '../../../../../proxy/providers/openai/stream/openai-stream.ts';
import { chunksOf, collectChat } from '../collect.ts';
import { choice, head, mend, replay, wireOf } from '../mend.ts';

const encoder = new TextEncoder();

describe('members that are missing in a stream', () => {
  test('are added: head, index, delta, finish reason and role', () => {
    const mended = mend([
      { choices: [{ delta: { content: 'a' } }] },
      { choices: [{ delta: null }] },
      choice({}, 'stop'),
    ]);
    expect(mended[0]).toMatchObject({ object: 'chat.completion.chunk', model: head.model });
    expect(mended[0]?.id).toBe(mended[1]?.id);
    expect(mended[0]?.choices).toEqual([{ index: 0, delta: { role: 'assistant', content: 'a' }, finish_reason: null }]);
    expect(mended[1]?.choices).toEqual([{ index: 0, delta: {}, finish_reason: null }]);
  });

  test('missing members of a head are taken from a later chunk, and a chunk without choices is not sent', () => {
    const empty = { id: '', object: '', created: 0, model: '', choices: [], prompt_filter_results: [{}] };
    const mended = mend([empty, choice({ content: 'a' }), { ...head, choices: null }, choice({}, 'stop')]);
    expect(mended.map(({ id, model }) => [id, model])).toEqual([
      ['c1', 'm'],
      ['c1', 'm'],
    ]);
  });

  test('are those left whose format fits the API format', () => {
    const odd = { system_fingerprint: null, service_tier: 'on_demand', obfuscation: 3, provider: 'Somebody' };
    const [first] = mend([{ ...choice({ content: 'a', role: 'model', refusal: 7 }), ...odd }, choice({}, 'stop')]);
    expect(first).toEqual({ ...choice({ content: 'a', role: 'assistant' }) });
  });

  test('of which dialects read annotations and thinking have the form of citations and blocks', () => {
    const cited = { url: 'https://a', title: 'A', start_index: 0, end_index: 1 };
    const citation = { type: 'url_citation', url_citation: cited };
    const annotations = [null, { type: 'file', file: { hash: 'h' } }, { type: 'url_citation' }, citation];
    const thinking_blocks = [7, { type: 'other' }, { type: 'thinking', thinking: 'Hm', signature: null }];
    const foreign = { search_blocks: null, turn_blocks: null, text_ends: true };
    const deltas = mend([
      choice({ role: 'assistant', content: 'a', annotations, thinking_blocks, ...foreign }),
      choice({ content: 'b', annotations: null, thinking_blocks: {} }),
      choice({}, 'stop'),
    ]).map(({ choices }) => (choices as { delta: unknown }[])[0]?.delta);
    expect(deltas).toEqual([
      {
        ...{ role: 'assistant', content: 'a', annotations: [citation] },
        thinking_blocks: [{ type: 'thinking', thinking: 'Hm' }],
      },
      { content: 'b' },
      {},
    ]);
  });

  test('include the role, which each of several choices gets once', () => {
    const both = (text: string) => ({
      ...head,
      choices: [0, 1].map((index) => ({ index, delta: { content: text }, finish_reason: null })),
    });
    const ends = { ...head, choices: [0, 1].map((index) => ({ index, delta: {}, finish_reason: 'stop' })) };
    const roles = mend([both('a'), both('b'), ends]).map(({ choices }) =>
      (choices as { delta: Record<string, unknown> }[]).map(({ delta }) => delta.role),
    );
    expect(roles).toEqual([
      ['assistant', 'assistant'],
      [undefined, undefined],
      [undefined, undefined],
    ]);
  });
});

describe('other formats in a stream are normalized:', () => {
  test('content parts become text and reasoning', () => {
    const thinking = [{ type: 'thinking', thinking: [{ type: 'text', text: 'Hm.' }] }];
    const mended = mend([
      choice({ role: 'assistant', content: '' }),
      choice({ content: thinking }),
      choice({
        content: [
          { type: 'text', text: 'Yes' },
          { type: 'reference', reference_ids: [1] },
        ],
      }),
      choice({ content: '.' }, 'stop'),
    ]);
    expect(collectChat(mended)).toMatchObject({ text: 'Yes.', reasoning: 'Hm.', finish: 'stop' });
  });

  test('reasoning gets one name', () => {
    const mended = mend([
      choice({
        role: 'assistant',
        content: '',
        reasoning: 'I ',
        reasoning_details: [{ type: 'reasoning.text', text: 'I ' }],
      }),
      choice({ content: '', reasoning: 'think' }),
      choice({ content: '', reasoning: null, reasoning_content: ' so' }),
      choice({ content: 'x' }, 'stop'),
    ]);
    expect(collectChat(mended)).toMatchObject({ text: 'x', reasoning: 'I think so' });
    expect(JSON.stringify(mended)).not.toContain('"reasoning":');
  });

  test.each([
    ['eos', 'stop'],
    ['STOP', 'stop'],
    ['end_turn', 'stop'],
    ['whatever', 'stop'],
    ['MAX_TOKENS', 'length'],
    ['model_length', 'length'],
    ['tool_use', 'tool_calls'],
    ['SAFETY', 'content_filter'],
    ['blacklist', 'content_filter'],
    ['function_call', 'function_call'],
  ])('the finish reason %s becomes %s', (reason, meant) => {
    expect(collectChat(mend([choice({ content: 'x' }), choice({}, reason)])).finish).toBe(meant);
  });

  test('log probabilities are completed, or left out', () => {
    const entry = { token: 'a', logprob: -0.5 };
    const [first, second, third] = mend([
      choice({ content: 'a' }, null, { logprobs: { content: [entry] } }),
      choice({ content: 'a' }, null, { logprobs: { tokens: ['a'], token_logprobs: [-0.5] } }),
      choice({ content: 'a' }, null, { logprobs: { odd: 1 } }),
      choice({}, 'stop'),
    ]).map(({ choices }) => (choices as { logprobs: unknown }[])[0]?.logprobs);
    const whole = { content: [{ ...entry, bytes: null, top_logprobs: [] }], refusal: null };
    expect([first, second, third]).toEqual([whole, whole, null]);
  });

  test('a chunk on several lines, or with an event name, becomes one line of data', () => {
    const pretty = JSON.stringify(choice({ role: 'assistant', content: 'x' }), null, 2);
    const event = `event: message\nid: 7\n${pretty.replaceAll(/^/gm, 'data: ')}\n\n`;
    expect(chunksOf(replay([encoder.encode(event)]).output)).toEqual([choice({ role: 'assistant', content: 'x' })]);
  });
});

describe('the usage in a stream', () => {
  const counts = { prompt_tokens: 5, completion_tokens: 3, total_tokens: 8 };
  const read = (chunks: readonly object[]) => replay([wireOf([choice({ content: 'x' }), ...chunks])]).usage;

  test('is found wherever providers put it, and removed from chunks', () => {
    const places: object[] = [
      { ...choice({}, 'stop'), usage: counts },
      { ...choice({}, 'stop'), x_groq: { id: 'r', usage: counts } },
      choice({}, 'stop', { usage: counts }),
      { ...head, choices: [], usage: counts },
    ];
    for (const place of places) expect(read([choice({}, 'stop'), place])).toMatchObject({ completionTokens: 3 });
    const { output } = replay([wireOf(places.slice(0, 2))]);
    expect(output).not.toContain('prompt_tokens');
    expect(output).not.toContain('x_groq');
  });

  test('is the last of growing counts', () => {
    const growing = [1, 2, 3].map((completion_tokens) => ({
      ...choice({ content: 'x' }),
      usage: { prompt_tokens: 5, completion_tokens },
    }));
    expect(read([...growing, choice({}, 'stop')])).toMatchObject({ promptTokens: 5, completionTokens: 3 });
  });

  test('is complemented by the output after the last report if the response breaks off', () => {
    const early = { ...choice({ content: 'x' }), usage: { prompt_tokens: 5, completion_tokens: 0 } };
    const stream = new ChatStream({ includeUsage: false, model: 'm' });
    stream.push(encoder.encode(`data: ${JSON.stringify(early)}\n\n`));
    for (let count = 0; count < 4; count += 1) {
      stream.push(encoder.encode(`data: ${JSON.stringify(choice({ content: ` ${count}` }))}\n\n`));
    }
    expect(stream).toMatchObject({ complete: false, usage: { promptTokens: 5, completionTokens: 9 } });
  });

  test('is null in every chunk if the client requested it', () => {
    const { output } = replay([wireOf([choice({ content: 'a' }), choice({ content: 'b' }), choice({}, 'stop')])], true);
    expect(chunksOf(output).map(({ usage }) => usage)).toEqual([null, null, null]);
  });
});

describe('a stream of an OpenAI-compatible provider', () => {
  test.each([
    [{ error: { message: 'no more', code: 500 } }, 'refused', 'no more'],
    [{ error: 'plain words' }, 'refused', 'plain words'],
    [{ object: 'error', message: 'flat', code: 500 }, 'refused', 'flat'],
    [{ error: { message: 'too long', status_code: 413 } }, 'rejected', 'too long'],
    [{ error: { message: 'as text', code: '422' } }, 'rejected', 'as text'],
    [{ ...head, choices: [{ index: 0, error: { message: 'in the choice', code: 502 } }] }, 'refused', 'in the choice'],
    [{ error: { message: 'your fault', code: 400 } }, 'rejected', 'your fault'],
    [{ error: { message: 'pay your bill', code: 402 } }, 'refused', "The provider refused the gateway's request."],
    [choice({}, 'error'), 'cut', 'ended its response early'],
    [choice({}, 'insufficient_system_resource'), 'cut', 'ended its response early'],
    [[1], 'malformed', 'unreadable'],
  ])('fails at %j', (chunk, reason, message) => {
    expect(() => replay([wireOf([choice({ content: 'x' }), chunk])])).toThrow(
      expect.objectContaining({ reason, message: expect.stringContaining(message) }),
    );
  });

  test('is not complete until all of its choices have ended', () => {
    expect(replay([wireOf([choice({ content: 'x' })])]).complete).toBe(false);
    const second = { ...head, choices: [{ index: 1, delta: { content: 'y' }, finish_reason: null }] };
    expect(replay([wireOf([choice({ content: 'x' }), second, choice({}, 'stop')])]).complete).toBe(false);
  });

  test('ends every open choice with length if it is cut short', () => {
    const stream = new ChatStream({ includeUsage: false, model: 'm' });
    const second = { ...head, choices: [{ index: 1, delta: { content: 'y' }, finish_reason: 'stop' }] };
    stream.push(
      encoder.encode([choice({ content: 'x' }), second].map((c) => `data: ${JSON.stringify(c)}\n\n`).join('')),
    );
    expect(chunksOf(stream.cutShort())).toEqual([choice({}, 'length')]);
    expect(stream).toMatchObject({ complete: true, ended: true });
  });
});
