/**
 * Keeps what is shown up to date: each live event makes the queries stale that depend on it. Without live events, such as
 * behind a proxy that buffers them, pages ask again at intervals.
 */
import type { QueryClient } from '@tanstack/react-query';
import { useEffect, useSyncExternalStore } from 'react';
import { type LiveEvent, liveEvents } from './event-stream.ts';
import { shareEvents } from './shared-events.ts';

/** The first words of the keys of the queries that depend on an event. */
const dependents: Readonly<Record<LiveEvent, readonly string[]>> = {
  balance: ['balance', 'transactions'],
  request: ['requests', 'usage', 'first-steps', 'proxy-keys'],
  circuit: ['operator-health'],
};

type Handler = (data: unknown) => void;
const handlers = new Map<LiveEvent, Set<Handler>>(liveEvents.map((name) => [name, new Set<Handler>()]));
const listeners = new Set<() => void>();
let isOpen = false;

/** Until the signal is aborted, which ends with the session. */
export function startLive(queries: QueryClient, signal: AbortSignal): void {
  const refresh = (name: LiveEvent) => {
    for (const first of dependents[name]) void queries.invalidateQueries({ queryKey: [first] });
  };
  const follow = {
    open: () => {
      setOpen(true);
      for (const name of liveEvents) refresh(name);
    },
    closed: () => setOpen(false),
    event: (name: LiveEvent, data: unknown) => {
      refresh(name);
      for (const handler of handlers.get(name) ?? []) handler(data);
    },
  };
  void shareEvents(follow, signal).finally(() => setOpen(false));
}

/** For a page that shows the event itself. The handler must be stable. */
export function useLiveEvent(name: LiveEvent, handler: Handler): void {
  useEffect(() => {
    handlers.get(name)?.add(handler);
    return () => void handlers.get(name)?.delete(handler);
  }, [name, handler]);
}

/** For `refetchInterval` of a query: the interval while there are no live events, else false. */
export function usePolling(intervalMs: number): number | false {
  return useIsLive() ? false : intervalMs;
}

export const useIsLive = (): boolean => useSyncExternalStore(subscribe, () => isOpen);

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function setOpen(value: boolean): void {
  if (isOpen === value) return;
  isOpen = value;
  for (const listener of listeners) listener();
}
