/** Starts a contender as the bench does, so that it can be looked into. */

import { join } from 'node:path';
import runtimeEnvironment from '../../local/npm/runtime-environment.json' with { type: 'json' };
import { waitUntil } from '../../local/processes/poll.ts';
import { freePort } from '../../local/servers/ports.ts';
import type { RunningContender } from '../contenders/contender.ts';
import { listens, startServerProcess } from '../contenders/server-process.ts';
import type { Stage } from '../stage/stage.ts';

const root = join(import.meta.dir, '../..');
const readyTimeoutMs = 20_000;

type Ports = readonly [port: string, upstreamPort: string];

/** How each is started; beside the gateway, bare Bun and the steps of the ladder between the two. */
const commands: Readonly<Record<string, (ports: Ports) => string[]>> = {
  gateway: () => ['proxy/main.ts'],
  'bare-bun': (ports) => ['bench/contenders/bare-bun/main.ts', ...ports],
  text: (ports) => ['bench/contenders/ladder/main.ts', 'text', ...ports],
  reader: (ports) => ['bench/contenders/ladder/main.ts', 'reader', ...ports],
  client: (ports) => ['bench/contenders/ladder/main.ts', 'client', ...ports],
};

export const profiled: readonly string[] = Object.keys(commands);

interface Profiled {
  /** A file that is evaluated first. */
  readonly preload?: string;
  readonly environment: Readonly<Record<string, string>>;
}

export async function startProfiled(
  name: string,
  { stores, upstreamPort }: Stage,
  { preload, environment }: Profiled,
): Promise<RunningContender> {
  const port = await freePort();
  const [entry = '', ...parameters] = commands[name]?.([String(port), String(upstreamPort)]) ?? [];
  const contender = await startServerProcess({
    name,
    port,
    command: [
      process.execPath,
      ...(preload === undefined ? [] : ['--preload', preload]),
      join(root, entry),
      ...parameters,
    ],
    environment: {
      ...stores.proxyEnvironment,
      ...environment,
      PROXY_PORT: String(port),
      ...runtimeEnvironment,
    },
  });
  const isReady = name === 'gateway' ? () => respondsReady(port) : () => listens(port);
  if (!(await waitUntil(isReady, { timeoutMs: readyTimeoutMs }))) throw new Error(`${name} does not become ready`);
  return { ...contender, keys: stores.keys, helpers: stores.helpers, settled: stores.booked };
}

async function respondsReady(port: number): Promise<boolean> {
  return (await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => undefined))?.ok === true;
}
