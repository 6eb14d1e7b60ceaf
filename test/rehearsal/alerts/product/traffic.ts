/**
 * Steady traffic while faults come and go: whole responses at a rate, streams that are always open, and programs that
 * list their keys. Like a load balancer it leaves out a proxy that is not ready, unless none is.
 */
import { chat } from '../../../harness/clients/chat.ts';
import type { Customer } from '../../../harness/customers.ts';
import { SeededRandom } from '../../../harness/seeded-random.ts';
import type { Product } from './product.ts';
import type { Slot } from './slot.ts';

const seed = 1;
const askEveryMs = 50;
const lookEveryMs = 250;
const healthEveryMs = 100;
const healthTimeoutMs = 1_000;
const openStreams = 8;
const requestMaxMs = 60_000;
/** After a failure, a client of a stream waits this long. */
const againMs = 200;
/** So that clients do not accumulate while nothing responds. */
const inFlightMax = 200;

export interface Traffic {
  /** Starts nothing more, and resolves when the last request has ended. */
  stop(): Promise<void>;
}

export function startTraffic(product: Product): Traffic {
  const ending = new AbortController();
  const ready = new Set<Slot>(product.proxies);
  const running = new Set<Promise<unknown>>();
  const random = new SeededRandom(seed);
  const pick = <Item>(items: readonly Item[]) => random.pick(items);
  const ask = async (body: Readonly<Record<string, unknown>>) => {
    const proxy = pick(ready.size > 0 ? [...ready] : product.proxies);
    return askOnce(proxy, pick(product.customers), { body, signal: ending.signal });
  };
  const repeat = async (everyMs: number, step: () => Promise<unknown>) => {
    while (!ending.signal.aborted) {
      await step();
      await Bun.sleep(everyMs);
    }
  };
  const keepStreaming = () =>
    repeat(0, async () => {
      const isWhole = await ask({ model: 'test/failover', stream: true, max_tokens: 100 });
      if (!isWhole) await Bun.sleep(againMs);
    });
  /** Whether or not earlier ones have ended. */
  const begin = async (one: () => Promise<unknown>) => {
    if (running.size >= inFlightMax) return;
    const begun = one();
    running.add(begun);
    void begun.finally(() => running.delete(begun));
  };
  const checkHealth = async (proxy: Slot) => {
    const response = await fetch(`${proxy.url}/readyz`, { signal: AbortSignal.timeout(healthTimeoutMs) }).catch(
      () => {},
    );
    if (response?.ok === true) ready.add(proxy);
    else ready.delete(proxy);
  };
  const loops = [
    ...Array.from({ length: openStreams }, keepStreaming),
    ...product.proxies.map((proxy) => repeat(healthEveryMs, () => checkHealth(proxy))),
    repeat(askEveryMs, () => begin(() => ask({ model: 'test/chat', max_tokens: 20 }))),
    repeat(lookEveryMs, () => begin(() => look(pick(product.admins), pick(product.customers)))),
  ];
  return {
    stop: async () => {
      ending.abort();
      await Promise.all([...loops, ...running]);
    },
  };
}

/** Whether the response was complete. */
async function askOnce(
  proxy: Slot,
  { proxyKey }: Customer,
  { body, signal }: { readonly body: Readonly<Record<string, unknown>>; readonly signal: AbortSignal },
): Promise<boolean> {
  const ended = AbortSignal.any([signal, AbortSignal.timeout(requestMaxMs)]);
  try {
    const response = await chat(proxy, proxyKey, body, { signal: ended });
    await response.text();
    return response.ok;
  } catch {
    return false;
  }
}

/** With a key, which does not expire. */
async function look(admin: Slot, { billingKey }: Customer): Promise<void> {
  const headers = { authorization: `Bearer ${billingKey}` };
  await fetch(`${admin.url}/api/keys`, { headers, signal: AbortSignal.timeout(requestMaxMs) })
    .then((response) => response.arrayBuffer())
    .catch(() => undefined);
}
