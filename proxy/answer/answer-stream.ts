/**
 * A streamed answer. Each piece is written to the client as it comes, and the next one is read when he has taken it, so
 * a slow reader slows the provider and memory stays bounded. However the stream ends, it is settled exactly once:
 * completed, cut by the provider, stopped by a limit of ours, or left by the client.
 */
import { GatewayError } from '../../shared/errors.ts';
import { internalError } from '../../shared/http/render-error.ts';
import type { Log } from '../../shared/log.ts';
import type { RunningRequest } from '../settlement/running-request.ts';
import type { StreamedAnswer } from '../upstream/attempt.ts';
import { endedError } from '../upstream/ended-error.ts';
import { pingIntervalMs } from '../upstream/limits.ts';
import { ClientStream } from './client-stream.ts';

export function answerStream(
  answer: StreamedAnswer,
  running: RunningRequest,
  { headers, log }: { headers: Headers; log: Log },
): Response {
  running.deliveredTokens = () => answer.stream.deliveredTokens;
  headers.set('content-type', 'text/event-stream; charset=utf-8');
  headers.set('cache-control', 'no-cache');
  headers.set('x-accel-buffering', 'no');
  let client: ClientStream | undefined;
  const finish = async () => {
    try {
      await deliver(answer, running, { client, log });
    } catch (error) {
      log.error({ requestId: running.requestId, err: error }, 'a stream was not settled');
      client?.fail();
    }
  };
  if (running.departure.left) {
    // The server would neither read a body nor cancel it.
    void finish();
    return new Response(null, { headers });
  }
  const body = new ReadableStream({
    // Written to straight away, without a queue between and a promise for each piece.
    type: 'direct',
    pull: (controller) => {
      client = new ClientStream(controller, { intervalMs: pingIntervalMs, silentMs: answer.stream.silentMs });
      return finish();
    },
    cancel: () => {
      client?.stop();
      running.departure.leave();
    },
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
  const settle = () => running.settle(translation.stream.usage, async () => stream.deliveredTokens);
  let last: string;
  try {
    await stream.deliverTo((piece) => (departure.left ? undefined : client?.write(piece)));
    last = translation.stream.close(await settle());
  } catch (error) {
    if (departure.left) {
      log.debug({ requestId, err: error }, 'stream ended after its client had left');
      await settle();
      return;
    }
    // Who has been given nothing pays nothing; of a picture only the provider's count tells.
    const generated = stream.deliveredTokens + (translation.stream.usage?.completionTokens ?? 0);
    await (generated === 0 ? running.release() : settle());
    const ended = endedError(error, running.abort);
    const shown = ended instanceof GatewayError ? ended : internalError(requestId, error);
    log.warn({ requestId, code: shown.code, err: error }, 'stream failed');
    last = translation.renderError(shown);
  }
  stream.end();
  if (!departure.left) client?.close(last);
}
