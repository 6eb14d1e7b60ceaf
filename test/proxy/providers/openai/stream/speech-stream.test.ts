/** Speech is the same wherever the provider's bytes are split, in each form in which it comes and leaves. */
import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { readSpeech } from '../../../../../proxy/api/speech/speech.ts';
import { WholeLines } from '../../../../../proxy/nouns/framing/framing.ts';
import { UpstreamFailure } from '../../../../../proxy/nouns/upstream-failure.ts';
import { noUsage } from '../../../../../proxy/nouns/usage.ts';
import { SpeechStream } from '../../../../../proxy/providers/openai/stream/speech-stream.ts';
import { deltaOf, doneWith } from '../../../../harness/providers/speech.ts';

const encoder = new TextEncoder();

const callOf = (more: object = {}) => {
  const body = { model: 'm', input: 'Hello.', voice: 'alloy', ...more };
  return readSpeech(body, JSON.stringify(body));
};

interface Opened {
  readonly contentType: string;
  readonly outputCap?: number;
}

/** What its client gets of these chunks, and the stream at their end. */
function replay(chunks: readonly Uint8Array[], opened: Opened, call = callOf()) {
  const stream = new SpeechStream(call, opened);
  const framing = stream.framing ?? new WholeLines();
  const output: Uint8Array[] = [];
  for (const chunk of chunks) {
    const whole = framing.take(chunk);
    const bytes = whole && stream.push(whole);
    if (bytes !== undefined) output.push(bytes);
  }
  return { output: Buffer.concat(output), stream };
}

function splitAt(bytes: Uint8Array, cuts: readonly number[]): Uint8Array[] {
  const at = [...new Set([0, ...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length])].sort((a, b) => a - b);
  return at.slice(1).map((end, index) => bytes.slice(at[index], end));
}

const splits = fc.array(fc.nat(), { maxLength: 8 });
const parts = fc.array(fc.uint8Array({ minLength: 1, maxLength: 40 }), { minLength: 1, maxLength: 5 });

test('plain audio passes as it is, and is counted by the characters of its text', () => {
  const property = fc.property(fc.uint8Array({ minLength: 1, maxLength: 200 }), splits, (audio, cuts) => {
    const { output, stream } = replay(splitAt(audio, cuts), { contentType: 'audio/mpeg' });
    expect(output).toEqual(Buffer.from(audio));
    expect(stream).toMatchObject({ complete: true, usage: { ...noUsage, characters: 6 }, mediaType: 'audio/mpeg' });
    expect(stream.close({ usage: noUsage, costUsd: '1' })).toBe('');
  });
  fc.assert(property);
});

test('audio in events becomes plain, wherever the events are split', () => {
  const property = fc.property(parts, splits, (audio, cuts) => {
    const usage = { input_tokens: 3, output_tokens: 4 };
    const wire = encoder.encode(`: hello\n\n${audio.map(deltaOf).join('')}${doneWith(usage)}`);
    const { output, stream } = replay(splitAt(wire, cuts), { contentType: 'text/event-stream', outputCap: 100 });
    expect(output).toEqual(Buffer.concat(audio));
    expect(stream.usage).toEqual({ ...noUsage, promptTokens: 3, completionTokens: 4 });
    expect(stream).toMatchObject({ complete: true, ended: true, mediaType: 'audio/mpeg' });
  });
  fc.assert(property);
});

test('plain audio becomes events for a client that wants them', () => {
  const property = fc.property(parts, (audio) => {
    const { output, stream } = replay(audio, { contentType: 'audio/wav' }, callOf({ stream_format: 'sse' }));
    expect(output.toString()).toBe(audio.map(deltaOf).join(''));
    expect(stream.mediaType).toBeUndefined();
  });
  fc.assert(property);
});

test('is of the type that the provider names, or else of the requested format', () => {
  const typeOf = (contentType: string, more: object = {}) => replay([], { contentType }, callOf(more)).stream.mediaType;
  expect(typeOf('Audio/WAV; rate=24000')).toBe('audio/wav');
  expect(typeOf('application/octet-stream', { response_format: 'opus' })).toBe('audio/ogg');
  expect(typeOf('', { response_format: 'pcm' })).toBe('audio/pcm');
});

test('a text instead of audio is a failure', () => {
  for (const contentType of ['text/html', 'text/plain; charset=utf-8']) {
    expect(() => replay([encoder.encode('<html>')], { contentType })).toThrow('a text instead of audio');
  }
});

test('anything in events is audio, passed over, or a failure', () => {
  const event = fc.oneof(
    fc.jsonValue(),
    fc.record({ type: fc.constantFrom('speech.audio.delta', 'speech.audio.done', 'error', 7), audio: fc.jsonValue() }),
    fc.record({ type: fc.constant('speech.audio.done'), usage: fc.jsonValue() }),
    fc.record({ error: fc.jsonValue() }),
  );
  const property = fc.property(fc.array(event, { maxLength: 6 }), (events) => {
    const wire = encoder.encode(events.map((each) => `data: ${JSON.stringify(each)}\n\n`).join(''));
    try {
      const { stream } = replay([wire], { contentType: 'text/event-stream', outputCap: 5 });
      expect(stream.deliveredTokens).toBeLessThanOrEqual(5);
      expect(stream.usage?.completionTokens ?? 0).toBeGreaterThanOrEqual(0);
    } catch (error) {
      if (!(error instanceof UpstreamFailure)) throw error;
    }
  });
  fc.assert(property, { numRuns: 1_000 });
});

test('an error that comes with audio fails the stream after the audio is delivered', () => {
  const wire = encoder.encode(`${deltaOf(encoder.encode('a'))}data: {"type":"error","message":"out of voice"}\n\n`);
  const { output, stream } = replay([wire], { contentType: 'text/event-stream', outputCap: 5 });
  expect(output.toString()).toBe('a');
  expect(stream.complete).toBe(false);
  expect(stream.failure?.message).toBe('out of voice');
  expect(() => stream.push(wire)).toThrow('out of voice');
});
