/**
 * Live events from admin: `GET /api/events`. It is read with `fetch`, because an EventSource cannot send the access token.
 * Whatever ends the stream, it is opened again, with growing pauses.
 */
import { type EventSourceMessage, EventSourceParserStream } from 'eventsource-parser/stream';
import { session } from '../session/session.ts';

export const liveEvents = ['balance', 'request', 'circuit'] as const;
export type LiveEvent = (typeof liveEvents)[number];

const pauseMinMs = 1_000;
/** The server sends a heartbeat every 15 seconds; without one, the connection is dead. */
export const silenceMaxMs = 40_000;
const pauseMaxMs = 60_000;

export interface EventStreamListener {
  /** Also called after an interruption, in which events may have been missed. */
  open(): void;
  closed(): void;
  /** Anything was received while it is open, if only a heartbeat. */
  heard?(): void;
  event(name: LiveEvent, data: unknown): void;
}

/** Runs until the signal is aborted. */
export async function followEvents(listener: EventStreamListener, signal: AbortSignal): Promise<void> {
  let pauseMs = pauseMinMs;
  while (!signal.aborted) {
    const wasOpen = await readOnce(listener, signal);
    if (signal.aborted) return;
    listener.closed();
    pauseMs = wasOpen ? pauseMinMs : Math.min(pauseMs * 2, pauseMaxMs);
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}

/** Resolves with whether there was a stream, however it ended. */
async function readOnce(listener: EventStreamListener, signal: AbortSignal): Promise<boolean> {
  const silence = new AbortController();
  let timer = setTimeout(() => silence.abort(), silenceMaxMs);
  let wasOpen = false;
  const write = ({ event, data }: EventSourceMessage) => {
    clearTimeout(timer);
    timer = setTimeout(() => silence.abort(), silenceMaxMs);
    if (event === 'ready') {
      wasOpen = true;
      listener.open();
    }
    if (wasOpen) listener.heard?.();
    // Asks for a new token, which tells every page that the session is over.
    const endReason = event === 'end' ? JSON.parse(data).reason : undefined;
    if (endReason === 'session_ended') void session.check();
    // Others needed the place: pause as if there had been none.
    if (endReason === 'replaced') wasOpen = false;
    if (isLiveEvent(event)) listener.event(event, JSON.parse(data));
  };
  try {
    const ends = AbortSignal.any([signal, silence.signal]);
    const request = new Request('/api/events', { headers: { accept: 'text/event-stream' }, signal: ends });
    const { ok, body } = await session.fetch(request);
    if (!ok || body === null) return false;
    const events = body.pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream());
    await events.pipeTo(new WritableStream({ write }));
  } catch {
    // The connection has broken.
  } finally {
    clearTimeout(timer);
  }
  return wasOpen;
}

function isLiveEvent(name: string | undefined): name is LiveEvent {
  return liveEvents.some((event) => event === name);
}
