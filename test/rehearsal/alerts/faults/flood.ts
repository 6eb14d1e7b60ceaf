/**
 * Whole responses as fast as one proxy gives them, until it has more charges than the alert about its replay buffer
 * allows.
 */
import { chat } from '../../../harness/clients/chat.ts';
import { wholeResponse } from '../../../harness/providers/scripted-provider.ts';
import type { Product } from '../product/product.ts';
import { behaveWell } from './provider-faults.ts';

const decisionsMin = 51_000;
const clients = 64;
const floodMaxMs = 240_000;
const lookEveryMs = 1_000;

export async function fillReplayBuffer(product: Product): Promise<void> {
  const { proxies, customers, provider } = product;
  provider.on('upstream-chat', wholeResponse({ usage: { promptTokens: 10, completionTokens: 5 } }));
  const ending = AbortSignal.timeout(floodMaxMs);
  let isFull = false;
  const keepAsking = async (client: number) => {
    const key = customers[client % customers.length]?.proxyKey ?? '';
    while (!isFull && !ending.aborted) {
      const response = await chat(proxies[0], key, { model: 'test/chat', max_tokens: 20 }, { signal: ending });
      await response.arrayBuffer();
    }
  };
  const keepLooking = async () => {
    while (!isFull) {
      await Bun.sleep(lookEveryMs);
      ending.throwIfAborted();
      isFull = (await decisionsOf(product)) > decisionsMin;
    }
  };
  try {
    await Promise.all([keepLooking(), ...Array.from({ length: clients }, (_, client) => keepAsking(client))]);
  } finally {
    behaveWell(provider);
  }
}

async function decisionsOf({ proxies, metricsToken }: Product): Promise<number> {
  const headers = { authorization: `Bearer ${metricsToken}` };
  const text = await (await fetch(`${proxies[0].url}/metrics`, { headers })).text();
  return Number(/^gateway_replay_buffer_decisions (\d+)$/m.exec(text)?.[1]);
}
