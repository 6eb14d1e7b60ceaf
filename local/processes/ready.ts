/** Waits until a child is ready, or reports why it never was. */
import type { Child } from './child.ts';
import type { EndOptions } from './end.ts';
import { waitUntil } from './poll.ts';

export interface ReadyOptions {
  isReady: () => boolean | Promise<boolean>;
  timeoutMs: number;
  everyMs?: number;
  /** How a child that does not become ready in time is ended. */
  stop: EndOptions;
  signal?: AbortSignal;
}

/** Rejects with the child's last lines if it exits first or is not ready in time; in that case it is ended. */
export async function waitUntilReady(child: Child, options: ReadyOptions): Promise<void> {
  let ended: string | undefined;
  child.exited.then((how) => {
    ended = how;
  });
  let isReady = false;
  const isSettled = async () => {
    isReady = await options.isReady();
    return isReady || ended !== undefined;
  };
  await waitUntil(isSettled, options);
  // A response alone is no proof: another program may be listening on the port.
  if (isReady && ended === undefined) return;
  if (ended === undefined) await child.stop(options.stop);
  const reason = ended ?? `not ready after ${options.timeoutMs / 1000} s`;
  throw new Error(
    `${child.name} did not start (${reason}). Its last lines, from ${child.logFile}:\n${child.lastLines()}`,
  );
}
