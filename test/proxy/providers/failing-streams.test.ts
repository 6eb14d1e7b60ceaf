/** A stream that fails, wherever its events are cut into chunks: only what has been delivered is counted. */
import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { UpstreamFailure } from '../../../proxy/nouns/upstream-failure.ts';
import type { ResponseStream } from '../../../proxy/providers/adapter.ts';
import { adapterOf } from '../../../proxy/providers/adapters.ts';
import { type Protocol, protocols, servedKinds } from '../../../shared/catalogue/published-catalogue.ts';
import { wordOf } from '../../harness/providers/scripted-provider.ts';
import { parseChatCompletion } from '../api/parse.ts';
import { messageStart, textBlock } from './anthropic/message-events.ts';
import { exceptionFrame, frame, joined } from './bedrock/frames.ts';
import { deploymentWith } from './openai/calls.ts';

interface Script {
  readonly opening: readonly Uint8Array[];
  word(text: string): Uint8Array;
  readonly failures: readonly Uint8Array[];
}

const encoder = new TextEncoder();
const event = (data: object | string, type = 'message') =>
  encoder.encode(`event: ${type}\ndata: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`);
const failed = { message: 'the model has crashed', type: 'server_error', code: null };
const malformed = event('{"choices":');
const typed = (data: { readonly type: string } & Readonly<Record<string, unknown>>) => event(data, data.type);

type StreamedProtocol = Exclude<Protocol, 'cohere'>;
const isStreamed = (protocol: Protocol): protocol is StreamedProtocol => servedKinds[protocol].includes('chat');

const scripts: Readonly<Record<StreamedProtocol, Script>> = {
  openai: {
    opening: [event({ id: 'c1', choices: [{ index: 0, delta: { role: 'assistant', content: '' } }] })],
    word: (content) => event({ id: 'c1', choices: [{ index: 0, delta: { content }, finish_reason: null }] }),
    failures: [event({ error: failed }), malformed, event({ choices: [{ index: 0, finish_reason: 'error' }] })],
  },
  'openai-responses': {
    opening: [typed({ type: 'response.created', response: { id: 'r1', output: [] } })],
    word: (delta) => typed({ type: 'response.output_text.delta', output_index: 0, content_index: 0, delta }),
    failures: [
      typed({ type: 'error', message: failed.message, code: null }),
      typed({ type: 'response.failed', response: { id: 'r1', error: failed } }),
    ],
  },
  anthropic: {
    opening: [typed({ ...messageStart() }), typed({ type: 'content_block_start', index: 0, content_block: textBlock })],
    word: (text) => typed({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } }),
    failures: [typed({ type: 'error', error: { type: 'overloaded_error', message: 'busy' } })],
  },
  gemini: {
    opening: [],
    word: (text) => event({ candidates: [{ index: 0, content: { role: 'model', parts: [{ text }] } }] }),
    failures: [event({ error: { code: 503, message: 'busy', status: 'UNAVAILABLE' } }), malformed],
  },
  bedrock: {
    opening: [frame('messageStart', { role: 'assistant' })],
    word: (text) => frame('contentBlockDelta', { contentBlockIndex: 0, delta: { text } }),
    failures: [exceptionFrame('modelStreamErrorException', 'the model has crashed')],
  },
};

function open(protocol: Protocol): ResponseStream {
  const call = {
    ...parseChatCompletion('{"model":"test/m","messages":[{"role":"user","content":"Hello?"}]}'),
    ...{ stream: true, includeUsage: true },
  };
  const deployment = deploymentWith({});
  const stream = adapterOf(protocol).operations.chat?.openStream?.(call, {
    ...deployment,
    provider: { ...deployment.provider, protocol },
  });
  if (stream === undefined) throw new Error(`${protocol} does not stream`);
  return stream;
}

/** What is sent to the client, and how the stream failed. */
function deliver(stream: ResponseStream, chunks: readonly Uint8Array[]): { text: string; failure: unknown } {
  const decoder = new TextDecoder();
  let text = '';
  for (const chunk of chunks) {
    if (stream.ended) break;
    try {
      text += decoder.decode(stream.push(chunk));
    } catch (failure) {
      return { text, failure };
    }
  }
  return { text, failure: stream.failure };
}

/** The events one by one, or several in a chunk. */
function cutAfter(events: readonly Uint8Array[], ends: readonly boolean[]): Uint8Array[] {
  const chunks: Uint8Array[][] = [[]];
  for (const [index, bytes] of events.entries()) {
    chunks.at(-1)?.push(bytes);
    if (ends[index]) chunks.push([]);
  }
  return chunks.filter((chunk) => chunk.length > 0).map((chunk) => joined(chunk));
}

test.each(protocols.filter(isStreamed))(
  'only what was delivered of a failing stream is counted, for %s',
  (protocol) => {
    const { opening, word, failures } = scripts[protocol];
    const property = fc.property(
      fc.integer({ min: 0, max: 12 }),
      fc.array(fc.boolean(), { minLength: 15, maxLength: 15 }),
      fc.constantFrom(...failures),
      (words, ends, failing) => {
        const output = Array.from({ length: words }, (_, index) => wordOf(index));
        const stream = open(protocol);
        const { text, failure } = deliver(stream, cutAfter([...opening, ...output.map(word), failing], ends));
        expect(failure).toBeInstanceOf(UpstreamFailure);
        expect(stream.complete).toBe(false);
        const received = [...text.matchAll(/"(?:content|delta)":"(\d+)"/g)].map(([, content = '']) => content).join('');
        expect(received).toBe(output.join(''));
        expect(stream.deliveredTokens).toBe(words);
      },
    );
    fc.assert(property, { numRuns: 500 });
  },
);
