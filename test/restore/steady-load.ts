/** Requests that all cost the same, so that what customers were charged can be counted without the gateway's own books. */
import { parseUsd } from '../../shared/money.ts';
import { chat } from '../harness/clients/chat.ts';
import type { Customer } from '../harness/customers.ts';
import type { Program } from '../harness/programs.ts';
import { type Behaviour, wholeResponse } from '../harness/providers/scripted-provider.ts';

/** 10 output tokens of `test/priced-output`. */
export const costNano = parseUsd('0.0001');
export const model = 'test/priced-output';
export const upstreamModel = 'upstream-priced';
export const behaviour: Behaviour = wholeResponse({ usage: { promptTokens: 5, completionTokens: 10 }, delayMs: 5 });

export interface CompletedRequest {
  readonly accountId: number;
  /** Undefined if the connection broke. */
  readonly status: number | undefined;
  readonly atMs: number;
}

export interface Load {
  readonly completed: readonly CompletedRequest[];
  stop(): Promise<void>;
}

/** Each customer calls each proxy, one request after the other. */
export function startLoad(
  proxies: readonly Program[],
  customers: readonly Customer[],
  { pauseMs }: { readonly pauseMs: number },
): Load {
  const completed: CompletedRequest[] = [];
  let isOver = false;
  const loops = proxies.flatMap((proxy) =>
    customers.map(async ({ accountId, proxyKey }) => {
      while (!isOver) {
        const status = await ask(proxy, proxyKey).catch(() => undefined);
        completed.push({ accountId, status, atMs: Date.now() });
        await Bun.sleep(pauseMs);
      }
    }),
  );
  return {
    completed,
    stop: async () => {
      isOver = true;
      await Promise.all(loops);
    },
  };
}

export async function ask(proxy: Program | undefined, key: string): Promise<number> {
  const response = await chat(proxy, key, { model, max_tokens: 20 });
  await response.arrayBuffer();
  return response.status;
}

/** The longest time in which no request got a 200. */
export function longestGapMs(completed: readonly CompletedRequest[]): number {
  const times = completed
    .flatMap(({ status, atMs }) => (status === 200 ? [atMs] : []))
    .sort((one, other) => one - other);
  return times.reduce((longest, atMs, index) => Math.max(longest, atMs - (times[index - 1] ?? atMs)), 0);
}
