/** Starts the gateway's own programs as children, and waits until they report that they are ready. */
import { join } from 'node:path';
import { killAfterMs, type ShutdownBudget } from '../../shared/config/shutdown.ts';
import { type Child, startChild } from '../processes/child.ts';
import type { EndOptions } from '../processes/end.ts';
import { waitUntilReady } from '../processes/ready.ts';
import type { Part, Supervisor } from '../processes/supervise.ts';

const readyMs = 60_000;
const responseTimeoutMs = 2_000;
/** Not more often, because each attempt opens a connection to a program that is busy starting. */
const everyMs = 50;

/** Without it Bun loads the project's `.env`, which has every program's secrets. */
export const ownEnvironmentOnly = '--no-env-file';

export const root = join(import.meta.dir, '../..');

export interface ProgramOptions {
  name: string;
  /** The path of its TypeScript, from the root of the project. */
  entry: string;
  layer: Part['layer'];
  environment: Record<string, string>;
  logDir: string;
  shutdown: ShutdownBudget;
}

export function startProgram(supervisor: Supervisor, options: ProgramOptions): Child {
  const child = startChild({
    name: options.name,
    command: [process.execPath, ownEnvironmentOnly, options.entry],
    directory: root,
    environment: options.environment,
    logFile: join(options.logDir, `${options.name}.log`),
  });
  supervisor.add({ child, layer: options.layer, stop: programStop(options.shutdown) });
  return child;
}

export async function waitForProgram(
  child: Child,
  { url, shutdown, signal }: { url: string; shutdown: ShutdownBudget; signal: AbortSignal },
): Promise<void> {
  await waitUntilReady(child, {
    isReady: () => respondsOk(url),
    timeoutMs: readyMs,
    everyMs,
    stop: programStop(shutdown),
    signal,
  });
}

export async function respondsOk(url: string, headers: Record<string, string> = {}): Promise<boolean> {
  try {
    return (await fetch(url, { headers, signal: AbortSignal.timeout(responseTimeoutMs) })).ok;
  } catch {
    return false;
  }
}

/** A program shuts down on its own; it is killed only if that takes too long. */
function programStop(shutdown: ShutdownBudget): EndOptions {
  return { signal: 'SIGTERM', graceMs: killAfterMs(shutdown) };
}
