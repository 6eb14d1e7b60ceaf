/**
 * The upstream's responses, rendered before the first request: one script per model. They have the form and the
 * size of OpenAI's, because gateways parse them.
 */

export type Script =
  | { readonly kind: 'whole'; readonly response: Buffer }
  | {
      readonly kind: 'stream';
      readonly head: Buffer;
      readonly chunk: Buffer;
      readonly end: Buffer;
      readonly everyMs: number;
      /** Infinity if the client leaves first. */
      readonly chunks: number;
    };

const created = 1_760_000_000;
const id = 'chatcmpl-CPvq4mZ0bTqYkVw2n7Jd5RxA1uLsE';
const fingerprint = 'fp_560af6e559';

/** The catalogue's models, without the part before the slash. */
export const scripts: Readonly<Record<string, Script>> = {
  whole: { kind: 'whole', response: renderWhole() },
  'paced-10ms': renderStream({ everyMs: 10, chunks: 100 }),
  /** For warming up: begins and ends a hundred times as often. */
  'short-stream': renderStream({ everyMs: 1, chunks: 10 }),
  'slow-50ms': renderStream({ everyMs: 50, chunks: Number.POSITIVE_INFINITY }),
  'slow-250ms': renderStream({ everyMs: 250, chunks: Number.POSITIVE_INFINITY }),
};

export const notFound = Buffer.from('HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n');

function renderWhole(): Buffer {
  const content = 'The quick brown fox jumps over the lazy dog, and nobody has asked it why. It was a Tuesday.';
  const message = { role: 'assistant', content, refusal: null, annotations: [] };
  const usage = { prompt_tokens: 19, completion_tokens: 21, total_tokens: 40 };
  const choices = [{ index: 0, message, logprobs: null, finish_reason: 'stop' }];
  const object = 'chat.completion';
  const details = { service_tier: 'default', system_fingerprint: fingerprint };
  const body = JSON.stringify({ id, object, created, model: 'upstream-model', choices, usage, ...details });
  const head = ['HTTP/1.1 200 OK', 'content-type: application/json', `content-length: ${Buffer.byteLength(body)}`];
  return Buffer.from(`${head.join('\r\n')}\r\n\r\n${body}`);
}

function renderStream({ everyMs, chunks }: { everyMs: number; chunks: number }): Script {
  const head = ['HTTP/1.1 200 OK', 'content-type: text/event-stream; charset=utf-8', 'transfer-encoding: chunked'];
  const usage = { prompt_tokens: 19, completion_tokens: chunks, total_tokens: 19 + chunks };
  const end = [
    renderEvent([{ index: 0, delta: {}, logprobs: null, finish_reason: 'stop' }]),
    renderEvent([], usage),
    'data: [DONE]\n\n',
  ];
  return {
    kind: 'stream',
    head: Buffer.from(`${head.join('\r\n')}\r\n\r\n`),
    chunk: frame(renderEvent([{ index: 0, delta: { content: ' token' }, logprobs: null, finish_reason: null }])),
    end: Buffer.concat([...end.map(frame), Buffer.from('0\r\n\r\n')]),
    everyMs,
    chunks,
  };
}

function renderEvent(choices: unknown[], usage: unknown = null): string {
  const object = 'chat.completion.chunk';
  const details = { service_tier: 'default', system_fingerprint: fingerprint };
  return `data: ${JSON.stringify({ id, object, created, model: 'upstream-model', ...details, choices, usage })}\n\n`;
}

/** A chunk of the chunked transfer coding. */
function frame(text: string): Buffer {
  return Buffer.from(`${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`);
}
