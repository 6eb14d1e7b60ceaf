/** The gateway as the bench has it, but for one thing: it writes down what its compiler makes. */
import { join } from 'node:path';
import { waitUntil } from '../../local/poll.ts';
import { freePort } from '../../local/ports.ts';
import type { RunningContender } from '../contenders/contender.ts';
import type { GatewayStores } from '../contenders/gateway-stores.ts';
import { startServerProcess } from '../contenders/server-process.ts';
import { jitDumpEnvironment } from './perf.ts';

const entry = join(import.meta.dir, '../../proxy/main.ts');
const readyTimeoutMs = 20_000;

export async function startProfiledGateway(stores: GatewayStores, directory: string): Promise<RunningContender> {
  const port = await freePort();
  const gateway = await startServerProcess({
    name: 'gateway',
    port,
    command: [process.execPath, entry],
    environment: {
      ...stores.proxyEnvironment,
      ...jitDumpEnvironment(directory),
      PROXY_PORT: String(port),
      BUN_CONFIG_MAX_HTTP_REQUESTS: '65535',
    },
  });
  const isReady = async () => (await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => undefined))?.ok === true;
  if (!(await waitUntil(isReady, { timeoutMs: readyTimeoutMs }))) throw new Error('the gateway does not become ready');
  return { ...gateway, keys: stores.keys, helpers: stores.helpers, settled: stores.booked };
}
