/**
 * One stream of live events for all tabs of a browser, which allows six connections to a host over HTTP/1.1: the tab that
 * holds the lock reads the stream and passes everything on. When it is closed, another one takes over.
 */
import { type EventStreamListener, followEvents, type LiveEvent, silenceMaxMs } from './event-stream.ts';

const lockName = 'gateway.live';
const channelName = 'gateway.live';

type Message =
  | { readonly kind: 'open' | 'closed' }
  | { readonly kind: 'event'; readonly name: LiveEvent; readonly data: unknown }
  /** From a tab that has just been opened. */
  | { readonly kind: 'is-it-open' }
  /** The response, and sent with every heartbeat. Unlike `open` it says nothing of an interruption. */
  | { readonly kind: 'it-is-open' };

/** Runs until the signal is aborted. */
export async function shareEvents(listener: EventStreamListener, signal: AbortSignal): Promise<void> {
  // Plain HTTP has no locks; there, each tab has a stream of its own.
  if (navigator.locks === undefined) return await followEvents(listener, signal);
  const channel = new BroadcastChannel(channelName);
  const send = (message: Message) => channel.postMessage(message);
  let isReader = false;
  let isOpen = false;
  let silence: ReturnType<typeof setTimeout> | undefined;
  // Of a tab that the browser has suspended, nothing is heard, though it keeps the lock.
  const expectMore = () => {
    clearTimeout(silence);
    if (isOpen && !isReader) silence = setTimeout(() => apply({ kind: 'closed' }), silenceMaxMs);
  };
  const apply = (message: Message) => {
    if (message.kind === 'event') return listener.event(message.name, message.data);
    if (message.kind === 'is-it-open') return isReader && isOpen ? send({ kind: 'it-is-open' }) : undefined;
    const wasOpen = isOpen;
    isOpen = message.kind !== 'closed';
    if (message.kind === 'it-is-open' && wasOpen) return;
    return isOpen ? listener.open() : listener.closed();
  };
  const broadcast = (message: Message) => {
    apply(message);
    send(message);
  };
  channel.onmessage = ({ data }: MessageEvent<Message>) => {
    apply(data);
    expectMore();
  };
  send({ kind: 'is-it-open' });
  const read = async () => {
    isReader = true;
    expectMore();
    await followEvents(
      {
        open: () => broadcast({ kind: 'open' }),
        closed: () => broadcast({ kind: 'closed' }),
        heard: () => send({ kind: 'it-is-open' }),
        event: (name, data) => broadcast({ kind: 'event', name, data }),
      },
      signal,
    );
  };
  try {
    await navigator.locks.request(lockName, { signal }, read);
  } catch (error) {
    // The session has ended while another tab was reading.
    if (!signal.aborted) throw error;
  } finally {
    clearTimeout(silence);
    if (isReader) send({ kind: 'closed' });
    channel.close();
  }
}
