/** Waits. Throws UpstreamFailure as soon as the request is aborted. */
import { UpstreamFailure } from '../upstream-failure.ts';

export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await new Promise<void>((resolve) => {
    if (signal.aborted) return resolve();
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal.addEventListener('abort', end, { once: true });
  });
  if (signal.aborted) throw new UpstreamFailure('unreachable', 'The request ended before it was retried.');
}
