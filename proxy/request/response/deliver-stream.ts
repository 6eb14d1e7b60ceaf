/**
 * A streamed response. Each chunk is written to the client as it arrives, and the next one is read once the client has
 * taken it, so a slow reader slows the provider down and memory stays bounded. However the stream ends, it is settled
 * exactly once: completed, cut off by the provider, stopped by one of our limits, or abandoned by the client. A client
 * that reads nothing for too long is disconnected and counts as gone.
 *
 * Delivery starts exactly once: when the server pulls, or when the client leaves before that.
 */
import { monotonicMs } from '../../../shared/durations.ts';
import { type ErrorCode, GatewayError } from '../../../shared/errors.ts';
import { internalError } from '../../../shared/http/render-error.ts';
import type { Log } from '../../../shared/log.ts';
import { pingIntervalMs } from '../../nouns/limits.ts';
import { type Usage, withOutputAtMost } from '../../nouns/usage.ts';
import type { Bill } from '../../pricing/bill.ts';
import type { ResponseStream } from '../../providers/adapter.ts';
import type { RunningRequest } from '../settlement/running-request.ts';
import type { StreamedResponse } from '../upstream/attempt.ts';
import { endedError } from '../upstream/ended-error.ts';
import { ClientStream, type ClientStreamOptions } from './client-stream.ts';

export interface StreamDelivery {
  readonly headers: Headers;
  readonly log: Log;
  /** The client gets an error in mid-stream: its request has failed. */
  readonly onFailure?: ((code: ErrorCode) => void) | undefined;
  /** The response is complete, and its charge is on its way. */
  readonly onCharged?: ((bill: Bill) => void) | undefined;
  /** Nothing more is read of the provider's response. */
  readonly onEnd?: (() => void) | undefined;
  readonly limits?: Pick<ClientStreamOptions, 'intervalMs' | 'stallTimeoutMs'>;
}

const clientLimits = { intervalMs: pingIntervalMs };

export function deliverStream(
  response: StreamedResponse,
  running: RunningRequest,
  { headers, log, onFailure, onCharged, onEnd, limits = clientLimits }: StreamDelivery,
): Response {
  const { connection } = running;
  const { stream } = response.translation;
  const { mediaType } = stream;
  running.deliveredTokens = () => response.stream.deliveredTokens;
  running.deliveredAudioTokens = () => response.stream.deliveredAudioTokens;
  running.webSearches = () => response.translation.stream.webSearches ?? 0;
  running.timeline.isStream = true;
  headers.set('content-type', mediaType ?? 'text/event-stream; charset=utf-8');
  // Events end with the cost; anything else has it in a header, where it is known in advance.
  const usage = mediaType === undefined ? null : stream.usage;
  if (usage !== null) headers.set('x-cost-usd', running.bill(usage).costUsd);
  headers.set('cache-control', 'no-cache');
  headers.set('x-accel-buffering', 'no');
  let client: ClientStream | undefined;
  let delivered: Promise<void> | undefined;
  const finish = async () => {
    try {
      await deliver(response, running, { client, log, onFailure, onCharged });
    } catch (error) {
      log.error({ requestId: running.requestId, err: error }, 'a stream was not settled');
      client?.fail();
    } finally {
      response.translation.recorded?.forget();
      onEnd?.();
    }
  };
  const begin = () => {
    delivered ??= finish();
    return delivered;
  };
  if (connection.closed) {
    // The server would neither read nor cancel a body.
    void begin();
    return new Response(null, { headers });
  }
  connection.onClose = () => {
    client?.stop();
    void begin();
  };
  const body = new ReadableStream({
    // Writes go straight through, without a queue in between or a promise per chunk.
    type: 'direct',
    pull: (controller) => {
      if (connection.closed) return delivered;
      const stalled = () => {
        log.info({ requestId: running.requestId }, 'client stopped reading');
        connection.close();
      };
      const { silentMs } = response.stream;
      client = new ClientStream(controller, { ...limits, silentMs, stalled, pings: mediaType === undefined });
      return begin();
    },
    cancel: () => connection.close(),
  });
  return new Response(body, { headers });
}

/** Runs until the response ends or, after the client has disconnected, until the limits of `ClientConnection` abort it. */
async function deliver(
  { stream, translation }: StreamedResponse,
  running: RunningRequest,
  {
    client,
    log,
    onFailure,
    onCharged,
  }: Pick<StreamDelivery, 'log' | 'onFailure' | 'onCharged'> & { client: ClientStream | undefined },
): Promise<void> {
  const { requestId, connection } = running;
  const settle = () => {
    const { isUsageEstimated } = translation.stream;
    return running.settle(usageUpToNow(translation.stream, running), stream.deliveredTokens, isUsageEstimated);
  };
  let last: string | undefined;
  try {
    await stream.deliverTo((chunk) => {
      const backlog = connection.closed ? undefined : client?.write(chunk);
      return backlog && waitForClient(backlog, running);
    });
    const bill = settle();
    last = translation.stream.close(bill);
    onCharged?.(bill);
  } catch (error) {
    if (connection.closed) {
      log.debug({ requestId, err: error }, 'stream ended after its client had disconnected');
      // What is made whole costs what it would have cost a client that stays.
      if (running.isMadeWhole && !isOwed({ stream, translation }, running)) void running.release();
      else settle();
      return;
    }
    running.timeline.isBroken = true;
    if (isOwed({ stream, translation }, running)) settle();
    else void running.release();
    const ended = endedError(error, running.abort);
    const shown = ended instanceof GatewayError ? ended : internalError(requestId, error);
    log.warn({ requestId, code: shown.code, err: error }, 'stream failed');
    onFailure?.(shown.code);
    last = translation.renderError?.(shown);
  }
  stream.end();
  if (connection.closed) return;
  // A client that has fallen behind would not take the last event either.
  const isTooLate = running.abort.reason !== undefined && client?.isBehind;
  if (last === undefined || isTooLate) client?.fail();
  else client?.close(last);
}

/**
 * Whether a stream that failed has to be paid. A client that received nothing pays nothing, and neither does one that
 * received a part of what only the whole is worth, unless it has been too slow itself.
 */
function isOwed({ stream, translation }: Pick<StreamedResponse, 'stream' | 'translation'>, running: RunningRequest) {
  const { usage } = translation.stream;
  if (running.isMadeWhole) return running.abort.reason === 'too_long' && (usage !== null || stream.deliveredTokens > 0);
  // Output such as an image shows only in the provider's count. What a search has found is worth something before it is told.
  return stream.deliveredTokens + (usage?.completionTokens ?? 0) + (translation.stream.webSearches ?? 0) > 0;
}

/** Null if the provider has reported none. Output after its last report is estimated, and charged up to the hold. */
function usageUpToNow({ usage, complete }: ResponseStream, { coveredTokens }: RunningRequest): Usage | null {
  return usage === null || complete ? usage : withOutputAtMost(usage, coveredTokens);
}

/** Throws if the request is aborted in the meantime. */
async function waitForClient(backlog: Promise<void>, running: RunningRequest): Promise<void> {
  // While we wait for the client, the provider's silence is not its fault.
  running.lastBytesAtMs = undefined;
  const { signal } = running.abort;
  const aborted = Promise.withResolvers<never>();
  const onAbort = () =>
    aborted.reject(new Error('The request ended while waiting for its client to read.', { cause: signal.reason }));
  if (signal.aborted) onAbort();
  else signal.addEventListener('abort', onAbort, { once: true });
  try {
    await Promise.race([backlog, aborted.promise]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
  running.lastBytesAtMs = monotonicMs();
}
