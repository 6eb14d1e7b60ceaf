/** Waits until a proxy has stored a response, or decided not to: it does so after its client has the response. */
import { guardTimeoutMs, waitFor } from '../../../harness/account-view.ts';
import type { Served } from '../../../harness/programs.ts';
import { readMetrics } from '../../../harness/read-metric.ts';

async function countWrites(proxy: Served): Promise<number> {
  const [stored = 0, refused = 0] = await readMetrics(
    proxy,
    ['stored', 'refused'].map((result) => `gateway_cache_writes_total{result="${result}"}`),
  );
  return stored + refused;
}

/** To be called before the request whose response is stored; the result after it. */
export async function nextWrite(proxy: Served): Promise<() => Promise<void>> {
  const before = await countWrites(proxy);
  return async () => {
    await waitFor('a response to be stored', guardTimeoutMs, async () => (await countWrites(proxy)) > before);
  };
}
