/**
 * A streamed answer. The client's reading pulls the provider's bytes, so a slow reader slows the provider and memory
 * stays bounded. However the stream ends, it is settled exactly once: completed, cut by the provider, stopped by a
 * limit of ours, or left by the client.
 */
import { GatewayError } from '../../shared/errors.ts';
import { internalError } from '../../shared/http/render-error.ts';
import type { Log } from '../../shared/log.ts';
import type { RunningRequest } from '../settlement/running-request.ts';
import type { StreamedAnswer } from '../upstream/attempt.ts';
import { endedError } from '../upstream/ended-error.ts';
import { pingIntervalMs } from '../upstream/limits.ts';
import { type PulledSource, withPings } from './keep-alive.ts';

const encoder = new TextEncoder();

export function answerStream(
  answer: StreamedAnswer,
  running: RunningRequest,
  options: { headers: Headers; log: Log },
): Response {
  const { headers } = options;
  running.deliveredTokens = () => answer.stream.deliveredTokens;
  headers.set('content-type', 'text/event-stream; charset=utf-8');
  headers.set('cache-control', 'no-cache');
  headers.set('x-accel-buffering', 'no');
  const { silentMs } = answer.stream;
  const source = withPings(sourceOf(answer, running, options.log), { intervalMs: pingIntervalMs, silentMs });
  return new Response(new ReadableStream(source, { highWaterMark: 0 }), { headers });
}

function sourceOf({ stream, translation }: StreamedAnswer, running: RunningRequest, log: Log): PulledSource {
  const { requestId } = running;
  const settle = () => running.settle(translation.stream.usage, async () => stream.deliveredTokens);
  let left = false;
  let pulling = Promise.resolve(true);

  const pull = async (controller: ReadableStreamDefaultController<Uint8Array>) => {
    let last: string;
    try {
      const bytes = await stream.next();
      if (left) return false;
      if (bytes !== undefined) {
        controller.enqueue(bytes);
        return true;
      }
      last = translation.stream.close(await settle());
    } catch (error) {
      if (left) return false;
      // Who has been given nothing pays nothing; of a picture only the provider's count tells.
      const generated = stream.deliveredTokens + (translation.stream.usage?.completionTokens ?? 0);
      await (generated === 0 ? running.release() : settle());
      const ended = endedError(error, running.abort.signal);
      const shown = ended instanceof GatewayError ? ended : internalError(requestId, error);
      log.warn({ requestId, code: shown.code, err: error }, 'stream failed');
      last = translation.renderError(shown);
    }
    stream.end();
    if (left) return false;
    controller.enqueue(encoder.encode(last));
    controller.close();
    return false;
  };

  /** To the end of the answer, or until the departure's limits have aborted it. */
  const readOn = async () => {
    await pulling;
    try {
      while ((await stream.next()) !== undefined);
    } catch (error) {
      log.debug({ requestId, err: error }, 'stream ended after its client had left');
    }
    await settle();
    stream.end();
  };

  return {
    pull: (controller) => {
      pulling = pull(controller);
      return pulling;
    },
    cancel: () => {
      left = true;
      running.departure.leave();
      readOn().catch((error: unknown) => log.error({ requestId, err: error }, 'a stream was not settled'));
    },
  };
}
