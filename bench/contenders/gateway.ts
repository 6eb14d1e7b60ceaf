/** The gateway of this repository with its whole money path: a lease in the proxy, or a reserve and a settle in Redis. */
import { contenderCore, pin } from '../measure/pin.ts';
import type { Contender, RunningContender } from './contender.ts';
import type { GatewayStores } from './gateway-stores.ts';

export function gatewayOn(stores: GatewayStores, environment: Readonly<Record<string, string>> = {}): Contender {
  return {
    name: 'gateway',
    description:
      'this gateway with everything enabled: keys, limits, wallets in Redis with leases in the proxy, the ledger in Postgres',
    start: () => startGatewayOn(stores, environment),
  };
}

export async function startGatewayOn(
  stores: GatewayStores,
  environment: Readonly<Record<string, string>> = {},
): Promise<RunningContender> {
  const proxy = await stores.startProxy(environment);
  pin(proxy.pid, contenderCore);
  return {
    port: Number(new URL(proxy.url).port),
    pid: proxy.pid,
    keys: stores.keys,
    headers: {},
    helpers: stores.helpers,
    settled: stores.booked,
    stop: proxy.stop,
  };
}
