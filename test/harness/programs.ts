/** The real programs as child processes, on free ports, with their logs in a file. */
import { join } from 'node:path';
import { startChild } from '../../local/processes/child.ts';
import { waitUntilReady } from '../../local/processes/ready.ts';
import { freePort } from '../../local/servers/ports.ts';

const root = join(import.meta.dir, '../..');
/** More than a start takes while every core is busy. */
const readyTimeoutMs = 60_000;
const gracefulStop = { signal: 'SIGTERM', graceMs: 30_000 } as const;

export interface Program {
  readonly url: string;
  readonly pid: number;
  readonly logFile: string;
  /** Resolves with how it exited. */
  readonly exited: Promise<string>;
  /** SIGTERM, and waits for the exit. */
  stop(): Promise<void>;
  /** SIGKILL, and waits for the exit. */
  kill(): Promise<void>;
}

export async function startProgram(options: {
  name: 'proxy' | 'admin';
  directory: string;
  environment: Readonly<Record<string, string>>;
  /** The folder of another release; this one's by default. */
  source?: string | undefined;
}): Promise<Program> {
  const portVariable = options.name === 'proxy' ? 'PROXY_PORT' : 'ADMIN_PORT';
  // A test that needs the address beforehand chooses the port itself.
  const port = Number(options.environment[portVariable] ?? (await freePort()));
  const url = `http://127.0.0.1:${port}`;
  const child = startChild({
    name: options.name,
    command: [process.execPath, `${options.name}/main.ts`],
    directory: options.source ?? root,
    environment: {
      PATH: process.env.PATH ?? '',
      HOST: '127.0.0.1',
      BUN_CONFIG_MAX_HTTP_REQUESTS: '65535',
      LOG_LEVEL: 'info',
      // No load balancer has to notice that a program leaves.
      SHUTDOWN_ANNOUNCE_SECONDS: '0',
      // Tests make no requests to the internet.
      CBR_URL: 'off',
      ...options.environment,
      [portVariable]: String(port),
    },
    logFile: join(options.directory, `${options.name}-${port}.log`),
  });
  const isReady = async () => (await fetch(`${url}/readyz`).catch(() => undefined))?.ok === true;
  await waitUntilReady(child, { isReady, timeoutMs: readyTimeoutMs, everyMs: 20, stop: gracefulStop });
  return {
    url,
    pid: child.pid,
    logFile: child.logFile,
    exited: child.exited,
    stop: () => child.stop(gracefulStop),
    kill: async () => {
      process.kill(child.pid, 'SIGKILL');
      await child.exited;
    },
  };
}
