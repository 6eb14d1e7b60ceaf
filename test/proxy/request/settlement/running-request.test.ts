/** What a running request leaves behind in a real Redis if its proxy crashes at this moment. */
import { afterAll, beforeAll, describe, expect, jest, test } from 'bun:test';
import { noUsage, type Usage } from '../../../../proxy/nouns/usage.ts';
import type { Model } from '../../../../proxy/pricing/catalogue.ts';
import { OutputSpeeds } from '../../../../proxy/pricing/output-speed.ts';
import { RequestMetrics } from '../../../../proxy/request/metrics/request-metrics.ts';
import { Timeline } from '../../../../proxy/request/metrics/timeline.ts';
import { AbandonedResponses } from '../../../../proxy/request/response/abandoned-responses.ts';
import type { ReplayBuffer } from '../../../../proxy/request/settlement/replay-buffer.ts';
import { RunningRequest } from '../../../../proxy/request/settlement/running-request.ts';
import { RunningRequests } from '../../../../proxy/request/settlement/running-requests.ts';
import { monotonicMs } from '../../../../shared/durations.ts';
import { createLog } from '../../../../shared/log.ts';
import { nanoUsd, picoUsdEach, picoUsdPerToken } from '../../../../shared/money.ts';
import { decodeChargeDetail } from '../../../../shared/usage/charge-detail.ts';
import { pricesAt } from '../../../harness/prices.ts';
import { replayBufferOf } from '../../../harness/wallet/replay-buffer.ts';
import { expireDue } from '../../../harness/wallet/shard-state.ts';
import {
  heldBy,
  reserveRequestOf,
  startWalletBench,
  type TestAccount,
  type WalletBench,
} from '../../../harness/wallet/wallet-bench.ts';

const log = createLog({ program: 'test', level: 'silent' });
/** A nano-dollar for each token. */
const price = picoUsdPerToken(1_000n);
const model = {
  id: 'demo/chat',
  kind: 'completion',
  ownedBy: 'test',
  createdAt: 0,
  contextTokens: 1_000,
  maxOutputTokens: 1_000,
  prices: pricesAt({ prompt: price, completion: price }),
  deployments: [],
} as const;
const image = { size: '1024x1024', quality: 'high', price: picoUsdEach(30_000n) };
const holdMs = 90_000;

let bench: WalletBench;
let replayBuffer: ReplayBuffer;
const abandoned = new AbandonedResponses();
const metrics = new RequestMetrics();

beforeAll(async () => {
  bench = await startWalletBench();
  replayBuffer = replayBufferOf(bench.wallet, { metrics });
});

afterAll(() => bench.stop());

/** Holds 100 tokens. */
async function begin(
  creditedNano: bigint,
  {
    promptTokens = 0,
    kind = 'completion',
    images = 0,
    isStream = false,
    speeds = new OutputSpeeds(),
    requests,
  }: {
    promptTokens?: number;
    kind?: Model['kind'];
    images?: number;
    isStream?: boolean;
    speeds?: OutputSpeeds;
    requests?: RunningRequests;
  } = {},
) {
  const account = await bench.openAccount(creditedNano);
  const request = reserveRequestOf(account);
  await bench.wallet.reserve(request);
  const options = {
    held: heldBy(account, request.requestId),
    model: { ...model, kind, prices: { ...model.prices, ...(images > 0 && { image }) } },
    wanted: { ...noUsage, images },
    isStream,
    amountNano: request.amountNano,
    outputCap: request.outputCap,
    choices: 1,
    promptTokensMax: 1_000,
    startedAtMs: 0,
    dimensions: null,
    timeline: new Timeline(),
    heldAtMs: 0,
  };
  const services = { wallet: bench.wallet, replayBuffer, abandoned, speeds, onEnd: () => {} };
  const running = requests?.start(options) ?? new RunningRequest(options, services);
  running.meter = { promptTokens, outputTokens: () => 0, learn: () => {} };
  return { account, running, requestId: request.requestId };
}

/** What is charged if the request is never settled. */
async function chargedOnDeath(account: TestAccount, requestId: string): Promise<bigint> {
  await bench.redis.zadd(`{s${account.shard}}:holds`, 1, requestId);
  await expireDue(bench.keeper, account.shard);
  const [, , spent = 0n] = await bench.balances(account);
  return spent;
}

describe('a response that could not be read', () => {
  test('is charged with its prompt and with as much output as the rest of the hold covers', async () => {
    const { account, running } = await begin(1_000n, { promptTokens: 40 });
    running.settleByHold();
    await replayBuffer.settled(account.shard);
    expect(await bench.balances(account)).toEqual([900n, 0n, 100n]);
  });

  test('has no output if it consists of vectors', async () => {
    const { account, running } = await begin(1_000n, { promptTokens: 40, kind: 'embedding' });
    running.settleByHold();
    await replayBuffer.settled(account.shard);
    expect(await bench.balances(account)).toEqual([960n, 0n, 40n]);
  });
});

describe('requested images', () => {
  test('are all charged if the response could not be read', async () => {
    const { account, running } = await begin(1_000n, { kind: 'image', images: 3 });
    running.settleByHold();
    await replayBuffer.settled(account.shard);
    expect(await bench.balances(account)).toEqual([910n, 0n, 90n]);
    const charges = (await bench.entries(account)).filter(({ kind }) => kind === 'charge');
    const details = charges.map(({ detail }) => decodeChargeDetail(detail ?? ''));
    expect(details).toMatchObject([{ images: 3, variant: '1024x1024/high', estimated: true }]);
  });

  test('are awaited for a client that left as long as for one that stays', async () => {
    const { running } = await begin(1_000n, { kind: 'image', images: 3 });
    running.connection.onDisconnect = 'drain';
    jest.useFakeTimers();
    running.connection.close();
    running.received(1024 * 1024 * 1024);
    jest.advanceTimersByTime(3_600_000);
    jest.useRealTimers();
    expect(running.abort.reason).toBeUndefined();
    await running.release();
  });

  test("cost their price and, if it has one, the prompt's: as reported, or else estimated", async () => {
    const { running } = await begin(1_000n, { kind: 'image', images: 3, promptTokens: 7 });
    const billed = (promptTokens?: number) => {
      const prompt = promptTokens === undefined ? undefined : { promptTokens };
      const { usage, estimated, costNano } = running.billMade({ units: { ...noUsage, images: 2 }, prompt });
      return [usage.images, usage.promptTokens, estimated, costNano];
    };
    expect(billed(5)).toEqual([2, 5, false, nanoUsd(65n)]);
    expect(billed()).toEqual([2, 7, true, nanoUsd(67n)]);
    await running.release();
  });
});

describe('a request whose client no longer waits for it', () => {
  test('is charged its prompt and the output of the elapsed time, up to its cap', async () => {
    let nowMs = 25_000;
    const speeds = new OutputSpeeds(() => nowMs);
    const finished = { deployment: 'p/m', choices: 1, sentAtMs: 0 };
    // Two tokens a second.
    for (const accountId of [1, 2, 3]) speeds.learn({ ...finished, accountId }, 50);
    for (const [isStream, spentMs, charged] of [
      [false, 10_000, 60n],
      [false, 1_000_000, 140n],
      [true, 10_000, 40n],
    ] as const) {
      nowMs = spentMs;
      const { account, running } = await begin(1_000n, { promptTokens: 40, isStream, speeds });
      running.deployment = 'p/m';
      running.settleDisconnect();
      await replayBuffer.settled(account.shard);
      expect(await bench.balances(account)).toEqual([1_000n - charged, 0n, charged]);
    }
  });

  test('is charged by the speed of responses with reported usage, not of estimated ones', async () => {
    const requests = new RunningRequests({ wallet: bench.wallet, replayBuffer, metrics, log });
    const end = async (secondsAgo: number, settle: (running: RunningRequest) => void) => {
      const { account, running } = await begin(1_000n, { promptTokens: 40, requests });
      running.deployment = 'p/m';
      running.sentAtMs = monotonicMs() - secondsAgo * 1_000;
      settle(running);
      await replayBuffer.settled(account.shard);
      const [, , spent] = await bench.balances(account);
      return spent;
    };
    const close = () => end(10, (running) => running.settleDisconnect());
    // A token in a quarter of an hour.
    const finish = (usage: Usage | null) => end(32 * 900, (running) => running.settle(usage, 32));
    for (let count = 0; count < 3; count += 1) await finish(null);
    expect(await close()).toBe(140n);
    for (let count = 0; count < 3; count += 1) await finish({ ...noUsage, promptTokens: 40, completionTokens: 32 });
    expect(await close()).toBe(40n);
  });

  test('has a place among those that are read to their end, until it has ended', async () => {
    const { account, running } = await begin(1_000n);
    expect([running.abandon(), abandoned.size]).toEqual([true, 1]);
    running.settle(null, 0);
    expect([abandoned.size, running.abandon(), abandoned.size]).toEqual([0, false, 0]);
    await replayBuffer.settled(account.shard);
  });
});

describe('a proxy that crashes', () => {
  test('a crashed proxy leaves a charge for output before it outgrew a hold that could not be raised', async () => {
    const { account, running, requestId } = await begin(100n);
    running.deliveredTokens = () => 60;
    expect(await running.covers(150)).toBe(false);
    expect(await chargedOnDeath(account, requestId)).toBe(60n);
  });

  test('a crashed proxy leaves a charge for output before it outgrew a hold that was raised', async () => {
    const { account, running, requestId } = await begin(1_000n);
    running.deliveredTokens = () => 60;
    expect(await running.covers(150)).toBe(true);
    expect(await chargedOnDeath(account, requestId)).toBe(60n);
  });

  test('a crashed proxy leaves a charge for the prompt and the output once there is output', async () => {
    const { account, running, requestId } = await begin(1_000n, { promptTokens: 5 });
    running.deliveredTokens = () => 1;
    await running.renewNow(1_000);
    expect(await chargedOnDeath(account, requestId)).toBe(6n);
  });

  test('a crashed proxy leaves no charge before the first output, however long the prompt', async () => {
    const { account, running, requestId } = await begin(1_000n, { promptTokens: 5 });
    await running.renewNow(1_000);
    expect(await chargedOnDeath(account, requestId)).toBe(0n);
  });
});

test('an estimate is never charged above the hold, however much was weighed', async () => {
  const { account, running } = await begin(10_000n, { promptTokens: 5_000 });
  running.settle(null, 5_000);
  await replayBuffer.settled(account.shard);
  const [, , spent] = await bench.balances(account);
  // The hold covers a prompt of 1,000 tokens, and an output of 100.
  expect(spent).toBe(1_100n);
});

test('a request that was not renewed in time is ended, and its hold is not recreated', async () => {
  const { account, running, requestId } = await begin(1_000n);
  await bench.redis.del(`{s${account.shard}}:request:${requestId}`);
  await running.renewNow(holdMs);
  expect(running.abort.reason).toBe('lease_lost');
  expect(await bench.redis.exists(`{s${account.shard}}:request:${requestId}`)).toBe(0);
});

test('a final charge names the epoch in which the hold was last renewed', async () => {
  const { account, running, requestId } = await begin(1_000n);
  await bench.keeper.writeMeta(account.shard, { mode: 'open', epoch: 7, identity: account.identity });
  await running.renewNow(1_000);
  const usage = {
    ...noUsage,
    completionTokens: 9,
  };
  // Without its hold, a charge of another epoch would be an orphan.
  await bench.redis.del(`{s${account.shard}}:request:${requestId}`);
  running.settle(usage, 9);
  await replayBuffer.settled(account.shard);
  const charges = (await bench.entries(account)).filter(({ kind }) => kind === 'charge');
  expect(charges).toMatchObject([{ cost: '9', epoch: '7', seq: '1' }]);
});
