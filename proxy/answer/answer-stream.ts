/**
 * A streamed answer. The client's reading pulls the provider's bytes, so a slow reader slows the provider and memory
 * stays bounded. However the stream ends, it is settled exactly once: completed, cut by the provider, stopped by a
 * limit of ours, or left by the client.
 */
import { GatewayError } from '../../shared/errors.ts';
import type { Log } from '../../shared/log.ts';
import type { AnswerStream } from '../adapters/adapter.ts';
import type { RunningRequest } from '../settlement/running-request.ts';
import { UpstreamFailure } from '../upstream/upstream-failure.ts';

const encoder = new TextEncoder();

export interface StreamedAnswer {
  readonly bytes: ReadableStream<Uint8Array>;
  readonly translation: AnswerStream;
  /** The event that tells the client why the stream breaks off. */
  renderError(error: GatewayError): string;
}

export function answerStream(
  answer: StreamedAnswer,
  running: RunningRequest,
  options: { headers: Headers; log: Log },
): Response {
  const { translation } = answer;
  const reader = answer.bytes.getReader();
  running.deliveredTokens = () => translation.deliveredTokens;
  const settle = () => running.settle(translation.usage, async () => translation.deliveredTokens);

  const nextBytes = async (): Promise<Uint8Array | undefined> => {
    while (!translation.ended) {
      const { done, value } = await reader.read();
      if (done) return undefined;
      running.lastBytesAtMs = Date.now();
      const output = translation.push(value);
      if (!(await running.covers(translation.deliveredTokens))) return encoder.encode(translation.cutShort());
      if (output !== undefined) return output;
    }
    return undefined;
  };

  const stream = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const bytes = await nextBytes();
          if (bytes !== undefined) return controller.enqueue(bytes);
          if (!translation.complete) throw translation.failure ?? brokenOff();
          const charge = await settle();
          controller.enqueue(encoder.encode(translation.close(charge)));
          controller.close();
        } catch (error) {
          await settle();
          const shown = publicError(error, running);
          options.log.warn({ requestId: running.requestId, code: shown.code, err: error }, 'stream failed');
          controller.enqueue(encoder.encode(answer.renderError(shown)));
          controller.close();
        } finally {
          if (translation.ended) running.abort.abort();
        }
      },
      async cancel() {
        running.abort.abort('client_gone');
        await settle();
      },
    },
    { highWaterMark: 0 },
  );
  options.headers.set('content-type', 'text/event-stream; charset=utf-8');
  options.headers.set('cache-control', 'no-cache');
  options.headers.set('x-accel-buffering', 'no');
  return new Response(stream, { headers: options.headers });
}

/** What ended the stream, in words for the client. */
function publicError(error: unknown, running: RunningRequest): GatewayError {
  switch (running.abort.signal.reason) {
    case 'idle':
    case 'too_long':
      return new GatewayError('upstream_timeout', 'The provider did not go on with its answer in time.');
    case 'lease_lost':
      return new GatewayError('wallet_unavailable', 'The balance could not be held any longer; the answer ends here.');
    case 'shutting_down':
      return new GatewayError('shutting_down', 'This replica is shutting down; the answer ends here.');
  }
  if (error instanceof UpstreamFailure) return error.toGatewayError();
  return brokenOff().toGatewayError();
}

function brokenOff(): UpstreamFailure {
  return new UpstreamFailure('cut', 'The provider broke off its answer.');
}
