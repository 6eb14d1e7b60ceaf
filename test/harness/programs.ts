/** The real programs on free ports: as child processes with their logs in a file, or in this process. */
import { join } from 'node:path';
import pino from 'pino';
import { Registry } from 'prom-client';
import { PasswordHasher } from '../../admin/auth/passwords/password-hasher.ts';
import { loadAdminConfig } from '../../admin/config/admin.ts';
import { startAdmin } from '../../admin/start-admin.ts';
import runtimeEnvironment from '../../local/npm/runtime-environment.json' with { type: 'json' };
import { startChild } from '../../local/processes/child.ts';
import { waitUntil } from '../../local/processes/poll.ts';
import { waitUntilReady } from '../../local/processes/ready.ts';
import { freePort } from '../../local/servers/ports.ts';
import { startProxy } from '../../proxy/start-proxy.ts';
import { loadProxyConfig } from '../../shared/config/proxy.ts';
import { createLog, type Log, type LogLevel } from '../../shared/log.ts';
import { testHashCosts } from './customers.ts';
import { redisPatienceMs } from './redis/patience.ts';

const root = join(import.meta.dir, '../..');
/** More than a start takes while every core is busy. */
const readyTimeoutMs = 120_000;
const gracefulStop = { signal: 'SIGTERM', graceMs: 30_000 } as const;

/** A program, or its parts in this process. */
export interface Served {
  readonly url: string;
  stop(): Promise<void>;
}

/** Its parts in this process. */
export interface Opened extends Served {
  /** The lines of its log; none unless its environment has a LOG_LEVEL. */
  readonly logged: readonly string[];
}

export interface Program extends Served {
  readonly pid: number;
  readonly logFile: string;
  /** Resolves with how it exited. */
  readonly exited: Promise<string>;
  /** SIGTERM, and waits for the exit. */
  stop(): Promise<void>;
  /** SIGKILL, and waits for the exit. */
  kill(): Promise<void>;
}

const { BUN_RUNTIME_TRANSPILER_CACHE_PATH: cache } = process.env;
/** The run's cache of transpiled modules, for programs that inherit no environment: it saves a quarter of their start. */
export const transpiled: Readonly<Record<string, string>> =
  cache === undefined ? {} : { BUN_RUNTIME_TRANSPILER_CACHE_PATH: cache };

/** Settings that every test shares. */
const usual = {
  HOST: '127.0.0.1',
  // There is no load balancer that has to notice a program's shutdown.
  SHUTDOWN_ANNOUNCE_SECONDS: '0',
  REDIS_COMMAND_TIMEOUT_MS: String(redisPatienceMs),
  // Tests make no requests to the internet.
  CBR_URL: 'off',
};

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
      ...transpiled,
      ...runtimeEnvironment,
      LOG_LEVEL: 'info',
      ...usual,
      ...options.environment,
      [portVariable]: String(port),
    },
    logFile: join(options.directory, `${options.name}-${port}.log`),
  });
  await waitUntilReady(child, {
    isReady: () => isReady(url),
    timeoutMs: readyTimeoutMs,
    everyMs: 20,
    stop: gracefulStop,
  });
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

/** Half of the usual number: creating one takes more of Postgres than most tests do. */
const adminConnections = 3;

/**
 * Admin without a process of its own: its modules are loaded already, which is most of the time that its start takes.
 */
export async function openAdmin(environment: Readonly<Record<string, string>>): Promise<Opened> {
  const port = environment.ADMIN_PORT ?? String(await freePort());
  const config = loadAdminConfig({ ...usual, ...environment, ADMIN_PORT: port });
  const { log, logged } = keptLog('admin', environment, config);
  const admin = await startAdmin(config, log, {
    passwords: new PasswordHasher({ costs: testHashCosts }),
    connections: adminConnections,
  });
  return { ...(await whenServing(`http://127.0.0.1:${port}`, () => admin.end())), logged };
}

export interface OpenProxy extends Opened {
  /** Requests that hold money. */
  running(): number;
}

/** The proxy without a process of its own. */
export async function openProxy(
  environment: Readonly<Record<string, string>>,
  options: { readonly idleSeconds?: number } = {},
): Promise<OpenProxy> {
  const port = environment.PROXY_PORT ?? String(await freePort());
  const config = loadProxyConfig({ ...usual, ...environment, PROXY_PORT: port });
  const { log, logged } = keptLog('proxy', environment, config);
  const proxy = await startProxy(config, log, { registry: new Registry(), ...options });
  const served = await whenServing(`http://127.0.0.1:${port}`, async () => void (await proxy.end()));
  return { ...served, logged, running: () => proxy.running() };
}

/** The program's log, in memory. */
function keptLog(
  program: 'proxy' | 'admin',
  environment: Readonly<Record<string, string>>,
  { logLevel }: { readonly logLevel: LogLevel },
): { log: Log; logged: readonly string[] } {
  const logged: string[] = [];
  const log = createLog({ program, level: environment.LOG_LEVEL === undefined ? 'silent' : logLevel });
  return {
    log: Object.assign(log, { [pino.symbols.streamSym]: { write: (line: string) => logged.push(line) } }),
    logged,
  };
}

/** `end` is called once. */
async function whenServing(url: string, end: () => Promise<void>): Promise<Served> {
  let ended: Promise<void> | undefined;
  const stop = () => {
    ended ??= end();
    return ended;
  };
  if (!(await waitUntil(() => isReady(url), { timeoutMs: readyTimeoutMs, everyMs: 30 }))) {
    await stop();
    throw new Error(`${url} is not ready`);
  }
  return { url, stop };
}

async function isReady(url: string): Promise<boolean> {
  return (await fetch(`${url}/readyz`).catch(() => undefined))?.ok === true;
}
