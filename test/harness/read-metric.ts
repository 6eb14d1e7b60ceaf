/** What /metrics of a proxy says, for tests. */
import type { Served } from './programs.ts';

/** Samples of /metrics, by their names with labels; 0 where there is none. */
export async function readMetrics({ url }: Served, names: readonly string[]): Promise<number[]> {
  const lines = (await (await fetch(`${url}/metrics`)).text()).split('\n');
  return names.map((name) => {
    const line = lines.find((each) => each.startsWith(`${name} `));
    return Number(line?.slice(name.length + 1) ?? 0);
  });
}

export async function readMetric(proxy: Served, name: string): Promise<number> {
  const [value = 0] = await readMetrics(proxy, [name]);
  return value;
}

/** How many requests of a proxy have begun from leases. */
export const readLeased = (proxy: Served) => readMetric(proxy, 'gateway_begun_requests_total{from="lease"}');
