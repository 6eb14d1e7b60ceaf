/** Streamed text completions are in the published format, counted, and the same wherever they are split. */
import { expect, test } from 'bun:test';
import { TextStream } from '../../../../../proxy/providers/openai/stream/openai-stream.ts';
import { openaiSchemasMissing, schemaProblems } from '../../../../harness/openapi/openai-schemas.ts';
import { testCall } from '../calls.ts';
import { chunksOf, collectText } from '../collect.ts';

const encoder = new TextEncoder();
const decoder = new TextDecoder();

function replay(chunks: readonly Uint8Array[], call = testCall({ kind: 'completion', stream: true })) {
  const stream = new TextStream(call, { includeUsage: false, model: 'fallback' });
  const output = chunks.map((chunk) => decoder.decode(stream.push(chunk))).join('');
  const { complete, deliveredTokens, usage } = stream;
  return { output, complete, deliveredTokens, usage };
}

const head = { id: 'c', object: 'text_completion', created: 1, model: 'm' };
const wireOf = (chunks: readonly object[]) =>
  encoder.encode(
    `${chunks.map((chunk) => `data: ${JSON.stringify({ ...head, ...chunk })}\n\n`).join('')}data: [DONE]\n\n`,
  );
const text = (chunk: string, more: object = {}) => ({ choices: [{ index: 0, text: chunk, ...more }] });

test('members missing in a text stream are added, wherever it is split', () => {
  const wire = wireOf([
    text('One'),
    text(' two'),
    text(' three'),
    text(' four', { logprobs: { tokens: ['four'], token_logprobs: [null] } }),
    { choices: [{ delta: { content: ' five' } }] },
    text('', { finish_reason: 'eos' }),
    { choices: [], usage: { prompt_tokens: 2, completion_tokens: 5, total_tokens: 7 } },
  ]);
  const whole = replay([wire]);
  const chunks = chunksOf(whole.output);
  expect(collectText(chunks)).toMatchObject({ text: 'One two three four five', finish: 'stop' });
  expect(whole).toMatchObject({ complete: true, deliveredTokens: 5, usage: { promptTokens: 2, completionTokens: 5 } });
  if (!openaiSchemasMissing) {
    expect(chunks.flatMap((chunk) => schemaProblems('TextCompletionChunk', chunk))).toEqual([]);
  }
  for (let offset = 1; offset < wire.length; offset += 1) {
    expect(replay([wire.slice(0, offset), wire.slice(offset)])).toEqual(whole);
  }
});

test('an echoed prompt does not count as output', () => {
  const promptTexts = ['A long prompt that comes back first.'];
  const call = testCall({ kind: 'completion', stream: true, promptTexts, body: { echo: true } });
  const chunks = ['A long prompt ', 'that comes back ', 'first. And', ' more'];
  expect(replay([wireOf(chunks.map((chunk) => text(chunk)))], call).deliveredTokens).toBe(2);
});

test('a text stream that is cut short ends with length', () => {
  const stream = new TextStream(testCall({ kind: 'completion', stream: true }), { includeUsage: false, model: 'm' });
  stream.push(wireOf([text('a')]).slice(0, -'data: [DONE]\n\n'.length));
  expect(chunksOf(stream.cutShort())).toEqual([
    { ...head, choices: [{ index: 0, text: '', logprobs: null, finish_reason: 'length' }] },
  ]);
  expect(stream).toMatchObject({ complete: true, ended: true });
});
