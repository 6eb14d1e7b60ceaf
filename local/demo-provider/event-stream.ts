/**
 * Sends a response part by part at a readable pace, such as server-sent events that end with OpenAI's `[DONE]`.
 *
 * Invariant: nothing is prepared ahead of its time, so a client that hangs up ends the stream within one token.
 */
import { setTimeout as sleep } from 'node:timers/promises';

export const eventOf = (value: object) => `data: ${JSON.stringify(value)}\n\n`;
export const lastEvent = 'data: [DONE]\n\n';

let openStreams = 0;

/** How many responses are being written now. */
export function activeStreams(): number {
  return openStreams;
}

/** `tokensPerSecond` 0 sends everything immediately. */
export function eventStream(events: readonly object[], tokensPerSecond: number): Response {
  const encoder = new TextEncoder();
  const partAt = (index: number) => {
    const event = events[index];
    return encoder.encode(event === undefined ? lastEvent : eventOf(event));
  };
  const contentType = 'text/event-stream; charset=utf-8';
  return pacedStream({ parts: events.length + 1, partAt, perSecond: tokensPerSecond, contentType });
}

interface PacedStream {
  readonly parts: number;
  /** Called when the part is due. */
  partAt(index: number): Uint8Array;
  readonly perSecond: number;
  readonly contentType: string;
}

export function pacedStream({ parts, partAt, perSecond, contentType }: PacedStream): Response {
  const everyMs = perSecond === 0 ? 0 : 1000 / perSecond;
  const startedAt = performance.now();
  const hungUp = new AbortController();
  let sent = 0;
  openStreams += 1;
  const close = () => {
    openStreams -= 1;
  };
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      // The time is computed from the start, so that late timers do not add up.
      const waitMs = startedAt + sent * everyMs - performance.now();
      if (waitMs > 0) await sleep(waitMs, undefined, { signal: hungUp.signal }).catch(() => {});
      if (hungUp.signal.aborted) return;
      controller.enqueue(partAt(sent));
      sent += 1;
      if (sent < parts) return;
      controller.close();
      close();
    },
    cancel() {
      hungUp.abort();
      close();
    },
  });
  return new Response(body, { headers: { 'content-type': contentType, 'cache-control': 'no-cache' } });
}
