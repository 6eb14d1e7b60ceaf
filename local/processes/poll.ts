/** Polls a condition until it is true or a deadline has passed. */
import { setTimeout as sleep } from 'node:timers/promises';

const defaultEveryMs = 25;

export interface PollOptions {
  timeoutMs: number;
  everyMs?: number;
  signal?: AbortSignal;
}

/**
 * Resolves to true as soon as `check` returns true, and to false at the deadline.
 * Rejects if `check` throws or `signal` is aborted.
 */
export async function waitUntil(check: () => boolean | Promise<boolean>, options: PollOptions): Promise<boolean> {
  const deadline = performance.now() + options.timeoutMs;
  while (!(await check())) {
    if (performance.now() >= deadline) return false;
    await sleep(options.everyMs ?? defaultEveryMs, undefined, options.signal ? { signal: options.signal } : {});
  }
  return true;
}
