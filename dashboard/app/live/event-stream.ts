/**
 * Live events from admin: `GET /api/events`. It is read with `fetch`, because an EventSource cannot send the access token.
 * Whatever ends the stream, it is opened again, with growing pauses.
 */
import { type EventSourceMessage, EventSourceParserStream } from 'eventsource-parser/stream';
import { session } from '../session/session.ts';

export const liveEvents = ['balance', 'request', 'circuit'] as const;
export type LiveEvent = (typeof liveEvents)[number];

const pauseMinMs = 1_000;
const pauseMaxMs = 60_000;

interface EventStreamListener {
  /** `open` is also called after an interruption, in which events may have been missed. */
  open(): void;
  closed(): void;
  event(name: LiveEvent, data: unknown): void;
}

/** Runs until the signal is aborted. */
export async function followEvents(listener: EventStreamListener, signal: AbortSignal): Promise<void> {
  let pauseMs = pauseMinMs;
  while (!signal.aborted) {
    const wasOpen = await readOnce(listener, signal).catch(() => false);
    if (signal.aborted) return;
    listener.closed();
    pauseMs = wasOpen ? pauseMinMs : Math.min(pauseMs * 2, pauseMaxMs);
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}

/** Resolves with whether there was a stream. */
async function readOnce(listener: EventStreamListener, signal: AbortSignal): Promise<boolean> {
  const request = new Request('/api/events', { headers: { accept: 'text/event-stream' }, signal });
  const { ok, body } = await session.fetch(request);
  if (!ok || body === null) return false;
  listener.open();
  const events = body.pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream());
  const write = ({ event, data }: EventSourceMessage) => {
    if (isLiveEvent(event)) listener.event(event, JSON.parse(data));
  };
  await events.pipeTo(new WritableStream({ write }));
  return true;
}

function isLiveEvent(name: string | undefined): name is LiveEvent {
  return liveEvents.some((event) => event === name);
}
