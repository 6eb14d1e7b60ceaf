/**
 * Ends one process: sends a signal, waits, and kills it if it does not exit.
 */
import { isRunning } from './identity.ts';
import { waitUntil } from './poll.ts';

const afterKillMs = 5_000;

export interface EndOptions {
  signal: NodeJS.Signals;
  graceMs: number;
}

/** Resolves when the process is gone. */
export async function endProcess(pid: number, { signal, graceMs }: EndOptions): Promise<void> {
  sendSignal(pid, signal);
  if (await waitUntil(() => !isRunning(pid), { timeoutMs: graceMs })) return;
  sendSignal(pid, 'SIGKILL');
  const hasExited = await waitUntil(() => !isRunning(pid), { timeoutMs: afterKillMs });
  if (!hasExited) throw new Error(`Process ${pid} could not be ended.`);
}

/** Does nothing if the process is gone. */
export function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    // It exited on its own between the check and the signal, which is fine.
    if (isRunning(pid)) throw error;
  }
}
