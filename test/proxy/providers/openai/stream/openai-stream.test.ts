/** A provider's stream has the same output, wherever the network splits it. */
import { describe, expect, test } from 'bun:test';
import { noUsage } from '../../../../../proxy/nouns/usage.ts';
import { ChatStream } from '../../../../../proxy/providers/openai/stream/openai-stream.ts';

const encoder = new TextEncoder();
const decoder = new TextDecoder();

interface Outcome {
  readonly text: string;
  readonly usage: unknown;
  readonly deliveredTokens: number;
  readonly complete: boolean;
  readonly ended: boolean;
}

function run(chunks: readonly Uint8Array[], includeUsage = false): Outcome {
  const stream = new ChatStream({ includeUsage, model: 'm' });
  const text = chunks.map((chunk) => decoder.decode(stream.push(chunk))).join('');
  const { usage, deliveredTokens, complete, ended } = stream;
  return { text, usage, deliveredTokens, complete, ended };
}

function chunkOf(delta: object, finish: string | null = null, extra: object = {}): string {
  const choice = { index: 0, delta, finish_reason: finish };
  return `data: ${JSON.stringify({ id: 'c1', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [choice], ...extra })}\n\n`;
}

const usageObject = { prompt_tokens: 5, completion_tokens: 3, total_tokens: 8 };
const usageChunk = `data: {"id":"c1","object":"chat.completion.chunk","created":1,"model":"m","choices":[],"usage":${JSON.stringify(usageObject)}}\n\n`;
const body = [
  chunkOf({ role: 'assistant', content: '' }),
  chunkOf({ content: 'Grüße' }),
  ': a comment\n\n',
  chunkOf({ content: ' 👋 "usage":{ data: \n\n' }),
  chunkOf({}, 'stop'),
];
const whole = encoder.encode([...body, usageChunk, 'data: [DONE]\n\n'].join(''));

test('bytes that need no change are passed on as the same array', () => {
  const stream = new ChatStream({ includeUsage: false, model: 'm' });
  stream.push(encoder.encode(body[0]));
  const bytes = encoder.encode(body[1]);
  expect(stream.push(bytes)).toBe(bytes);
});

test('text, usage and end are the same when split at every byte offset', () => {
  const expected = run([whole]);
  expect(expected.text).toBe([body[0], body[1], body[3], body[4]].join(''));
  expect(expected).toMatchObject({ complete: true, ended: true, deliveredTokens: 12 });
  expect(expected.usage).toMatchObject({ promptTokens: 5, completionTokens: 3 });
  for (let offset = 1; offset < whole.length; offset += 1) {
    expect(run([whole.slice(0, offset), whole.slice(offset)])).toEqual(expected);
  }
  expect(run(Array.from(whole, (byte) => new Uint8Array([byte])))).toEqual(expected);
});

test('every line ending that SSE allows is supported', () => {
  for (const ending of ['\r\n', '\r']) {
    const text = decoder.decode(whole).replaceAll('\n', ending);
    const outcome = run([encoder.encode(text)]);
    expect(outcome).toMatchObject({ complete: true, ended: true, deliveredTokens: 12 });
    expect(outcome.usage).toMatchObject({ promptTokens: 5, completionTokens: 3 });
  }
});

describe('a changed stream', () => {
  test('ends with the usage and its cost if requested', () => {
    const stream = new ChatStream({ includeUsage: true, model: 'm' });
    stream.push(whole);
    const usage = stream.usage ?? {
      ...noUsage,
    };
    expect(stream.close({ usage, costUsd: '0.000000123' })).toBe(
      'data: {"id":"c1","object":"chat.completion.chunk","created":1,"model":"m","choices":[],"usage":' +
        '{"prompt_tokens":5,"completion_tokens":3,"total_tokens":8,"prompt_tokens_details":{"cached_tokens":0,"cache_write_tokens":0},' +
        '"completion_tokens_details":{"reasoning_tokens":0},"cost":0.000000123}}\n\ndata: [DONE]\n\n',
    );
    expect(new ChatStream({ includeUsage: false, model: 'm' }).close({ usage, costUsd: '0' })).toBe('data: [DONE]\n\n');
  });

  test('has usage in its own chunk instead of the chunk of the last choice', () => {
    const outcome = run([
      encoder.encode(chunkOf({ role: 'assistant', content: 'x' }) + chunkOf({}, 'stop', { usage: usageObject })),
    ]);
    expect(outcome.usage).toMatchObject({ promptTokens: 5, completionTokens: 3 });
    expect(outcome.text).toBe(chunkOf({ role: 'assistant', content: 'x' }) + chunkOf({}, 'stop'));
  });

  test('has a role in the first delta', () => {
    expect(run([encoder.encode(chunkOf({ content: 'x' }))]).text).toContain('"role":"assistant"');
  });

  test('fails at an error event, and at a line of invalid JSON', () => {
    expect(() => run([encoder.encode('data: {"error":{"message":"broken"}}\n\n')])).toThrow('broken');
    expect(() => run([encoder.encode('data: <html>\n\n')])).toThrow('not JSON');
  });

  test('refuses an endless line instead of buffering it', () => {
    const stream = new ChatStream({ includeUsage: false, model: 'm' });
    const chunk = encoder.encode('x'.repeat(1024 * 1024));
    expect(() => {
      for (let count = 0; count < 64; count += 1) stream.push(chunk);
    }).toThrow('too large');
  });
});

test('reasoning, tool calls and long chunks count as delivered output', () => {
  const delivered = (delta: object) =>
    run([encoder.encode(chunkOf({ role: 'assistant', content: '' }) + chunkOf(delta))]).deliveredTokens;
  expect(delivered({ reasoning_content: 'hm' })).toBe(1);
  expect(delivered({ tool_calls: [{ index: 0, function: { arguments: '{"a":' } }] })).toBe(3);
  expect(delivered({ content: 'x'.repeat(600) })).toBe(75);
  expect(delivered({})).toBe(0);
});

test('audio counts by its length, also where a chunk has the same audio as the one before', () => {
  const second = Buffer.alloc(48_000).toString('base64');
  const stream = new ChatStream({ includeUsage: false, model: 'm' });
  for (const obfuscation of ['a', 'bc', 'def', 'g']) {
    stream.push(encoder.encode(chunkOf({ audio: { data: second } }, null, { obfuscation })));
  }
  expect(stream).toMatchObject({ deliveredTokens: 80, deliveredAudioTokens: 80, deliveredTokensMax: 80 });
  stream.push(encoder.encode(chunkOf({ audio: { transcript: 'Yes.' } })));
  expect(stream).toMatchObject({ deliveredTokens: 82, deliveredAudioTokens: 80 });
});
