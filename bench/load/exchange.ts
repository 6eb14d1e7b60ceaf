/** One request and what is recorded about its response. */
import type { Exchange } from './connection.ts';
import { EventCounter } from './event-counter.ts';
import type { Recorder } from './recorder.ts';

export interface ExchangeOptions {
  readonly recorder: Recorder;
  readonly status: number;
  /** Where latency counts from. */
  readonly dueAtMs: number;
  readonly streamed: boolean;
  ended(succeeded: boolean): void;
}

export function recordedExchange({ recorder, status, dueAtMs, streamed, ended }: ExchangeOptions): Exchange {
  return {
    ...(streamed && { body: recordEvents(recorder, dueAtMs) }),
    done: (completed) => {
      if (completed === status) recorder.completed(performance.now() - dueAtMs);
      else recorder.failed(`status ${completed}`);
      ended(completed === status);
    },
    failed: (reason) => {
      recorder.failed(reason);
      ended(false);
    },
  };
}

function recordEvents(recorder: Recorder, dueAtMs: number): (bytes: Buffer) => void {
  const counter = new EventCounter();
  let lastAtMs = dueAtMs;
  let isFirst = true;
  return (bytes) => {
    const events = counter.count(bytes);
    if (events === 0) return;
    const now = performance.now();
    recorder.received(events, now - lastAtMs, isFirst);
    lastAtMs = now;
    isFirst = false;
  };
}
