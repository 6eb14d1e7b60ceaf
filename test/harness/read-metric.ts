/** What /metrics of a proxy says, for tests. */
import type { Served } from './programs.ts';

/** A sample of /metrics, by its name with labels; 0 if there is none. */
export async function readMetric({ url }: Served, name: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  const line = text.split('\n').find((each) => each.startsWith(`${name} `));
  return Number(line?.slice(name.length + 1) ?? 0);
}

/** How many requests of a proxy have begun from leases. */
export const readLeased = (proxy: Served) => readMetric(proxy, 'gateway_begun_requests_total{from="lease"}');
