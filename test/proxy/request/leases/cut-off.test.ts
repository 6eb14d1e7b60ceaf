/**
 * A proxy that is cut off from Redis or frozen, for less and for more than a lease may be used: it serves or refuses, and
 * every request that it served is charged, once and exactly.
 */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { guardTimeoutMs, waitFor } from '../../../harness/account-view.ts';
import { spentAtRest, violationsAtRest } from '../../../harness/books.ts';
import { inCampaign } from '../../../harness/campaigns.ts';
import { chat, errorCodeOf } from '../../../harness/clients/chat.ts';
import type { Customer } from '../../../harness/customers.ts';
import type { Program } from '../../../harness/programs.ts';
import {
  type ScriptedProvider,
  startScriptedProvider,
  streamedResponse,
  wholeResponse,
} from '../../../harness/providers/scripted-provider.ts';
import { testCatalogue } from '../../../harness/providers/test-catalogue.ts';
import { readLeased } from '../../../harness/read-metric.ts';
import { type FaultProxy, startFaultProxy } from '../../../harness/redis/fault-proxy.ts';
import { usualPatience } from '../../../harness/redis/patience.ts';
import { type Harness, startHarness } from '../../../harness.ts';

/** 9 tokens at 0.6 and 5 at 1.8 micro-dollars. */
const costNano = 14_400n;
const clients = 6;
const recoveryTimeoutMs = 120_000;
const retryDelayMs = 50;
const pauseMs = 5;

let harness: Harness;
let provider: ScriptedProvider;
beforeAll(async () => {
  harness = await startHarness();
  provider = startScriptedProvider();
  await harness.applyCatalogue(testCatalogue(provider.baseUrl));
  await harness.openAdmin();
  provider.on('upstream-chat', (truth, request) =>
    truth.body.stream === true
      ? streamedResponse({ tokens: 5, promptTokens: 9, usage: true })(truth, request)
      : wholeResponse({ usage: { promptTokens: 9, completionTokens: 5 } })(truth, request),
  );
});
afterAll(async () => {
  await provider.stop();
  await harness.stop();
});

interface Link {
  readonly proxy: Program;
  /** Between the proxy and Redis. */
  readonly faults: FaultProxy;
}
interface Outage {
  begin(link: Link): Promise<void> | void;
  end(link: Link): Promise<void> | void;
}

const outages: Readonly<Record<string, Outage>> = {
  'cut off': { begin: ({ faults }) => faults.refuse(), end: ({ faults }) => faults.accept() },
  'without replies': { begin: ({ faults }) => faults.swallowReplies(), end: ({ faults }) => faults.heal() },
  frozen: {
    begin: ({ proxy }) => void process.kill(proxy.pid, 'SIGSTOP'),
    end: ({ proxy }) => void process.kill(proxy.pid, 'SIGCONT'),
  },
};
const durations = inCampaign([100, 1_000, 3_000], [500, 30_000]);

// Each has its own proxy, and they wait beside each other.
test.concurrent.each(Object.entries(outages))(
  `a proxy that is %s for ${durations.join(', ')} ms charges exactly what it served (campaign)`,
  async (_name, outage) => {
    const faults = await startFaultProxy(Number(new URL(harness.redisUrl).port));
    try {
      const proxy = await harness.startProxy({
        REDIS_URL: `redis://127.0.0.1:${faults.port}`,
        ...usualPatience,
      });
      for (const durationMs of durations) await expectExact({ proxy, faults }, outage, durationMs);
      await proxy.stop();
    } finally {
      await faults.stop();
    }
  },
);

async function expectExact(link: Link, outage: Outage, durationMs: number): Promise<void> {
  const { proxy } = link;
  const customer = await harness.createCustomer({ usd: '5' });
  let served = 0;
  const refusals = new Set<string>();
  let isLoading = true;
  const work = async (stream: boolean) => {
    while (isLoading) {
      const response = await ask(proxy, customer, stream);
      if (response.status === 200) {
        if (await isWhole(response)) served += 1;
        await Bun.sleep(pauseMs);
        continue;
      }
      refusals.add(`${response.status} ${await errorCodeOf(response)}`);
      await Bun.sleep(retryDelayMs);
    }
  };
  const before = await readLeased(proxy);
  const load = Array.from({ length: clients }, (_, index) => work(index % 2 === 0));
  await waitFor('a lease', guardTimeoutMs, async () => (await readLeased(proxy)) > before);
  await outage.begin(link);
  await Bun.sleep(durationMs);
  await outage.end(link);
  const servedBefore = served;
  await waitFor('service', recoveryTimeoutMs, async () => served > servedBefore + clients);
  isLoading = false;
  await Promise.all(load);
  expect([...refusals].filter((refusal) => refusal !== '503 wallet_unavailable')).toEqual([]);
  const spentNano = await spentAtRest(harness, customer.accountId);
  expect(spentNano, `after ${durationMs} ms`).toBe(BigInt(served) * costNano);
  expect(await violationsAtRest(harness, [customer.accountId])).toEqual([]);
}

function ask(proxy: Program, { proxyKey }: Customer, stream: boolean): Promise<Response> {
  return chat(proxy, proxyKey, { model: 'test/chat', max_tokens: 10, stream });
}

/** A stream that had to end says so; what it has delivered was all. */
async function isWhole(response: Response): Promise<boolean> {
  const text = await response.text();
  return !text.includes('"error"');
}
