/** Waits for a condition that nobody announces, by asking again and again until a deadline. */
import { setTimeout as sleep } from 'node:timers/promises';

const defaultEveryMs = 25;

export interface PollOptions {
  timeoutMs: number;
  everyMs?: number;
  signal?: AbortSignal;
}

/**
 * Resolves to true as soon as `check` answers true, and to false at the deadline.
 * An exception of `check` or an abort of `signal` ends the wait by rejecting.
 */
export async function waitUntil(check: () => boolean | Promise<boolean>, options: PollOptions): Promise<boolean> {
  const deadline = performance.now() + options.timeoutMs;
  while (!(await check())) {
    if (performance.now() >= deadline) return false;
    await sleep(options.everyMs ?? defaultEveryMs, undefined, options.signal ? { signal: options.signal } : {});
  }
  return true;
}
