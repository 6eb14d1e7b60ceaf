/** Starts one server of a contender on the contenders' own core. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startChild } from '../../local/processes/child.ts';
import { waitUntil } from '../../local/processes/poll.ts';
import { waitUntilReady } from '../../local/processes/ready.ts';
import { contenderCore, pin } from '../measure/pin.ts';
import { noKeys, type RunningContender } from './contender.ts';

const stop = { signal: 'SIGTERM', graceMs: 5_000 } as const;
const readyTimeoutMs = 20_000;

export interface ServerOptions {
  readonly name: string;
  readonly port: number;
  readonly command: string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
}

export async function startServerProcess(options: ServerOptions): Promise<RunningContender> {
  const directory = await mkdtemp(join(tmpdir(), 'gateway-bench-'));
  const child = startChild({
    name: options.name,
    command: options.command,
    directory,
    environment: { PATH: '/usr/local/bin:/usr/bin:/bin', NODE_ENV: 'production', ...options.environment },
    logFile: join(directory, 'server.log'),
  });
  await waitUntilReady(child, { isReady: () => listens(options.port), timeoutMs: readyTimeoutMs, stop });
  pin(child.pid, contenderCore);
  return {
    port: options.port,
    pid: child.pid,
    keys: noKeys,
    headers: options.headers ?? {},
    helpers: {},
    settled: async () => {},
    stop: async () => {
      await child.stop(stop);
      await rm(directory, { recursive: true, force: true });
    },
  };
}

export async function listens(port: number): Promise<boolean> {
  try {
    const socket = await Bun.connect({ hostname: '127.0.0.1', port, socket: { data: () => {} } });
    socket.end();
    return true;
  } catch {
    return false;
  }
}

/** Rejects at the deadline. */
export async function untilListening(port: number): Promise<void> {
  if (!(await waitUntil(() => listens(port), { timeoutMs: readyTimeoutMs })))
    throw new Error(`nothing is listening on port ${port}`);
}
