/**
 * A streamed answer. Each piece is written to the client as it comes, and the next one is read when he has taken it, so
 * a slow reader slows the provider and memory stays bounded. However the stream ends, it is settled exactly once:
 * completed, cut by the provider, stopped by a limit of ours, or left by the client. One who takes nothing for long is
 * broken off, and has left.
 *
 * Delivery begins when the server pulls, or when the client leaves before that; in any case once.
 */
import { GatewayError } from '../../shared/errors.ts';
import { internalError } from '../../shared/http/render-error.ts';
import type { Log } from '../../shared/log.ts';
import { monotonicMs } from '../../shared/monotonic.ts';
import type { Usage } from '../metering/usage.ts';
import type { AnswerStream } from '../providers/adapter.ts';
import type { RunningRequest } from '../settlement/running-request.ts';
import type { StreamedAnswer } from '../upstream/attempt.ts';
import { endedError } from '../upstream/ended-error.ts';
import { pingIntervalMs } from '../upstream/limits.ts';
import { ClientStream, type ClientStreamOptions } from './client-stream.ts';

export interface StreamDelivery {
  readonly headers: Headers;
  readonly log: Log;
  readonly limits?: Pick<ClientStreamOptions, 'intervalMs' | 'patienceMs'>;
}

const clientLimits = { intervalMs: pingIntervalMs };

export function answerStream(
  answer: StreamedAnswer,
  running: RunningRequest,
  { headers, log, limits = clientLimits }: StreamDelivery,
): Response {
  const { departure } = running;
  running.deliveredTokens = () => answer.stream.deliveredTokens;
  headers.set('content-type', 'text/event-stream; charset=utf-8');
  headers.set('cache-control', 'no-cache');
  headers.set('x-accel-buffering', 'no');
  let client: ClientStream | undefined;
  let delivered: Promise<void> | undefined;
  const finish = async () => {
    try {
      await deliver(answer, running, { client, log });
    } catch (error) {
      log.error({ requestId: running.requestId, err: error }, 'a stream was not settled');
      client?.fail();
    }
  };
  const begin = () => {
    delivered ??= finish();
    return delivered;
  };
  if (departure.left) {
    // The server would neither read a body nor cancel it.
    void begin();
    return new Response(null, { headers });
  }
  departure.onLeave = () => {
    client?.stop();
    void begin();
  };
  const body = new ReadableStream({
    // Written to straight away, without a queue between and a promise for each piece.
    type: 'direct',
    pull: (controller) => {
      if (departure.left) return delivered;
      const stalled = () => {
        log.info({ requestId: running.requestId }, 'client has stopped reading');
        departure.leave();
      };
      client = new ClientStream(controller, { ...limits, silentMs: answer.stream.silentMs, stalled });
      return begin();
    },
    cancel: () => departure.leave(),
  });
  return new Response(body, { headers });
}

/** To the end of the answer; where the client leaves, until the limits of his departure have aborted it. */
async function deliver(
  { stream, translation }: StreamedAnswer,
  running: RunningRequest,
  { client, log }: { client: ClientStream | undefined; log: Log },
): Promise<void> {
  const { requestId, departure } = running;
  const settle = () => running.settle(usageUpToNow(translation.stream, running), stream.deliveredTokens);
  let last: string;
  try {
    await stream.deliverTo((piece) => {
      const backlog = departure.left ? undefined : client?.write(piece);
      return backlog && waitForClient(backlog, running);
    });
    last = translation.stream.close(settle());
  } catch (error) {
    if (departure.left) {
      log.debug({ requestId, err: error }, 'stream ended after its client had left');
      settle();
      return;
    }
    // Who has been given nothing pays nothing; of a picture only the provider's count tells.
    const generated = stream.deliveredTokens + (translation.stream.usage?.completionTokens ?? 0);
    if (generated === 0) void running.release();
    else settle();
    const ended = endedError(error, running.abort);
    const shown = ended instanceof GatewayError ? ended : internalError(requestId, error);
    log.warn({ requestId, code: shown.code, err: error }, 'stream failed');
    last = translation.renderError(shown);
  }
  stream.end();
  if (departure.left) return;
  // Who has not taken what came before would keep us waiting with this as well.
  if (running.abort.reason !== undefined && client?.isBehind) client.fail();
  else client?.close(last);
}

/** Null where the provider has reported none. Output since then is weighed, and charged up to what the hold covers. */
function usageUpToNow({ usage, complete }: AnswerStream, { coveredTokens }: RunningRequest): Usage | null {
  if (usage === null || complete || usage.completionTokens <= coveredTokens) return usage;
  return { ...usage, completionTokens: coveredTokens };
}

/** Throws when the request is aborted meanwhile. */
async function waitForClient(backlog: Promise<void>, running: RunningRequest): Promise<void> {
  // It is not the provider who is silent now.
  running.lastBytesAtMs = undefined;
  const { signal } = running.abort;
  const aborted = Promise.withResolvers<never>();
  const onAbort = () =>
    aborted.reject(new Error('The request ended because the client stopped reading.', { cause: signal.reason }));
  if (signal.aborted) onAbort();
  else signal.addEventListener('abort', onAbort, { once: true });
  try {
    await Promise.race([backlog, aborted.promise]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
  running.lastBytesAtMs = monotonicMs();
}
