/** A client of GET /api/events that collects the events. */
import { createParser } from 'eventsource-parser';
import { guardTimeoutMs, waitFor } from '../../../harness/account-view.ts';

export interface ReceivedEvent {
  readonly event: string;
  readonly data: Readonly<Record<string, unknown>>;
}

export interface EventClient {
  readonly status: number;
  readonly headers: Headers;
  readonly received: readonly ReceivedEvent[];
  /** Whether the server has ended the stream. */
  ended(): boolean;
  /** The first such event that there is or that arrives. */
  next(event: string, matches?: (data: ReceivedEvent['data']) => boolean): Promise<ReceivedEvent['data']>;
  leave(): void;
}

/** Resolves once every further event is received. `address` is the client's, behind a reverse proxy. */
export async function openEvents(url: string, token: string, address?: string): Promise<EventClient> {
  const leaving = new AbortController();
  const headers = { authorization: `Bearer ${token}`, ...(address !== undefined && { 'x-forwarded-for': address }) };
  const response = await fetch(`${url}/api/events`, { headers, signal: leaving.signal });
  const received: ReceivedEvent[] = [];
  let ended = false;
  const read = async () => {
    const decoder = new TextDecoder();
    const parser = createParser({
      onEvent: ({ event = '', data }) => received.push({ event, data: JSON.parse(data) }),
    });
    for await (const chunk of response.body ?? []) parser.feed(decoder.decode(chunk, { stream: true }));
  };
  void read()
    .catch(() => {})
    .finally(() => {
      ended = true;
    });
  const next: EventClient['next'] = (event, matches = () => true) =>
    waitFor(`an event ${event}`, guardTimeoutMs, async () => {
      return received.find((one) => one.event === event && matches(one.data))?.data ?? false;
    });
  if (response.status === 200) await next('ready');
  return {
    status: response.status,
    headers: response.headers,
    received,
    ended: () => ended,
    next,
    leave: () => leaving.abort(),
  };
}
