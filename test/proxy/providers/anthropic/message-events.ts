/** Events of Anthropic's streams, and their translation. */
import type { ChatChunk } from '../../../../proxy/nouns/chat-completion.ts';
import type { ResponseStream } from '../../../../proxy/providers/adapter.ts';
import {
  MessageStream,
  type MessageStreamOptions,
} from '../../../../proxy/providers/anthropic/response/read-message-stream.ts';

export interface ProviderEventObject {
  readonly type: string;
  readonly [member: string]: unknown;
}

export const startUsage = {
  input_tokens: 12,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 0,
  output_tokens: 1,
};

export function messageStart(usage: object = startUsage, message: object = {}): ProviderEventObject {
  return {
    type: 'message_start',
    message: {
      id: 'msg_01Abc',
      type: 'message',
      role: 'assistant',
      model: 'claude-x',
      content: [],
      stop_reason: null,
      usage,
      ...message,
    },
  };
}

/** A whole content block: its start, one event per delta, its stop. */
export function block(index: number, contentBlock: object, deltas: readonly object[] = []): ProviderEventObject[] {
  return [
    { type: 'content_block_start', index, content_block: contentBlock },
    ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
    { type: 'content_block_stop', index },
  ];
}

export const text = (value: string) => ({ type: 'text_delta', text: value });
export const thinking = (value: string) => ({ type: 'thinking_delta', thinking: value });
export const json = (value: string) => ({ type: 'input_json_delta', partial_json: value });
export const ping: ProviderEventObject = { type: 'ping' };
export const messageStop: ProviderEventObject = { type: 'message_stop' };

export function messageDelta(
  stopReason: string | null,
  usage: object | null = { output_tokens: 9 },
): ProviderEventObject {
  return { type: 'message_delta', delta: { stop_reason: stopReason, stop_sequence: null }, usage };
}

/** As bytes of the stream. */
export function framed(events: readonly ProviderEventObject[], ending = '\n'): Uint8Array {
  const frames = events.map((event) => `event: ${event.type}${ending}data: ${JSON.stringify(event)}${ending}${ending}`);
  return new TextEncoder().encode(frames.join(''));
}

export interface Outcome {
  readonly output: string;
  readonly chunks: readonly ChatChunk[];
  readonly usage: ResponseStream['usage'];
  readonly deliveredTokens: number;
  readonly complete: boolean;
  readonly ended: boolean;
  readonly failure: string | undefined;
}

export function messageStream(options: Partial<MessageStreamOptions> = {}): MessageStream {
  return new MessageStream({
    includeUsage: false,
    model: 'test/claude',
    createdAtMs: 1_790_000_000_000,
    jsonTool: undefined,
    ...options,
  });
}

/** Pushes the chunks of a stream until it has ended or failed. */
export function run(chunks: readonly Uint8Array[], options: Partial<MessageStreamOptions> = {}): Outcome {
  const stream = messageStream(options);
  const decoder = new TextDecoder();
  let output = '';
  let failure: string | undefined;
  try {
    for (const chunk of chunks) {
      if (!stream.ended) output += decoder.decode(stream.push(chunk));
    }
    failure = stream.failure?.message;
  } catch (error) {
    failure = error instanceof Error ? error.message : String(error);
  }
  const { usage, deliveredTokens, complete, ended } = stream;
  return {
    output,
    chunks: chunksOf(output),
    usage,
    deliveredTokens,
    complete,
    ended: ended || failure !== undefined,
    failure,
  };
}

export const runEvents = (events: readonly ProviderEventObject[], options: Partial<MessageStreamOptions> = {}) =>
  run([framed(events)], options);

export function chunksOf(output: string): ChatChunk[] {
  return output
    .split('\n\n')
    .filter((event) => event.startsWith('data: {'))
    .map((event) => JSON.parse(event.slice('data: '.length)) as ChatChunk);
}

/** Whole, split in two at every byte, and byte by byte. */
export function* splittings(bytes: Uint8Array): Generator<Uint8Array[]> {
  yield [bytes];
  for (let offset = 1; offset < bytes.length; offset += 1) yield [bytes.slice(0, offset), bytes.slice(offset)];
  yield Array.from(bytes, (byte) => new Uint8Array([byte]));
}

/** The response, as a client assembles it from the chunks. */
export function assemble(chunks: readonly ChatChunk[]) {
  const deltas = chunks.flatMap(({ choices }) => choices.map(({ delta }) => delta));
  const calls: { id: string; name: string; arguments: string }[] = [];
  for (const call of deltas.flatMap(({ tool_calls }) => tool_calls ?? [])) {
    const known = calls[call.index];
    if (known === undefined) {
      calls[call.index] = {
        id: call.id ?? '',
        name: call.function?.name ?? '',
        arguments: call.function?.arguments ?? '',
      };
    } else known.arguments += call.function?.arguments ?? '';
  }
  return {
    content: deltas.map(({ content }) => content ?? '').join(''),
    reasoning: deltas.map(({ reasoning_content }) => reasoning_content ?? '').join(''),
    thinkingBlocks: deltas.flatMap(({ thinking_blocks }) => thinking_blocks ?? []),
    calls,
    finishReasons: chunks.flatMap(({ choices }) => choices.map(({ finish_reason }) => finish_reason)).filter(Boolean),
  };
}

export const response = (...blocks: readonly ProviderEventObject[][]) => [messageStart(), ...blocks.flat()];
export const end = (stopReason: string, usage?: object) => [messageDelta(stopReason, usage), messageStop];
export const textBlock = { type: 'text', text: '' };
export const thinkingBlock = { type: 'thinking', thinking: '', signature: '' };
export const signature = (value: string) => ({ type: 'signature_delta', signature: value });
export const toolUse = (id: string, name: string, input: object = {}) => ({ type: 'tool_use', id, name, input });

export const interleaved = [
  ...response(
    block(0, thinkingBlock, [thinking('Let me '), thinking('see 👀.'), signature('sig-1')]),
    block(1, { type: 'redacted_thinking', data: 'opaque' }),
    block(2, textBlock, [text('Grüße, '), text(''), text('I call two.')]),
    block(3, thinkingBlock, [thinking('Both.'), signature('sig'), signature('-2')]),
  ),
  ping,
  ...block(4, toolUse('toolu_1', 'weather'), [json(''), json('{"place": "Os'), json('lo"}')]),
  ...block(5, toolUse('toolu_2', 'now'), [json('')]),
  ...end('tool_use', { output_tokens: 80, output_tokens_details: { thinking_tokens: 30 } }),
];
