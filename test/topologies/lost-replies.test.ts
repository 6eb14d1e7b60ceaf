/**
 * The purpose of the settings in shared/redis/connect.ts, on real servers behind a proxy that drops replies: whatever
 * happens to a connection, a command runs at most once, its caller soon learns the outcome, and nothing runs late.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseRedisAddress } from '../../shared/redis/address.ts';
import { didNotRun } from '../../shared/redis/can-send.ts';
import { connectRedis, type RedisClient, redisCommandTimeoutMs, whenReady } from '../../shared/redis/connect.ts';
import { guardTimeoutMs, waitFor } from '../harness/account-view.ts';
import { startBeside } from '../harness/redis/start-beside.ts';
import { startRedisTopology } from '../harness/redis/start-topology.ts';
import { type RedisTopology, topologyKinds } from '../harness/redis/topology.ts';

const increment = `redis.call('INCR', KEYS[1]) return {'OK'}`;
/** Longer than any client waits before it would resend. */
const watchMs = 700;

const places = startBeside(topologyKinds, async (kind) => {
  const directory = await mkdtemp(join(tmpdir(), 'gateway-topology-'));
  return { directory, topology: await startRedisTopology(kind, { directory, faulty: true }) };
});

describe.each(places)('the client of a Redis topology of kind %s', (_kind, place) => {
  let directory: string;
  let topology: RedisTopology;
  let client: RedisClient;
  let nextKey = 0;

  beforeAll(async () => {
    ({ directory, topology } = await place);
    client = connectRedis(parseRedisAddress(topology.url), () => {});
    await whenReady(client, guardTimeoutMs);
  });

  afterAll(async () => {
    client.disconnect();
    await topology.stop();
    await rm(directory, { recursive: true, force: true });
  });

  const newKey = () => `{s7}:counter:${nextKey++}`;
  const send = (key: string) => client.eval(increment, 1, key);
  const count = async (key: string) => Number((await (await topology.masterOf(key)).get(key)) ?? 0);
  const forAll = (action: (fault: RedisTopology['faults'][number]) => void) => topology.faults.forEach(action);
  const failureOf = (promise: Promise<unknown>) =>
    promise.then(
      () => undefined,
      (error: unknown) => error,
    );
  const isTimeout = (error: unknown) => String(error).includes('timed out');

  test('reports a reply lost with its connection immediately, and the script has run once', async () => {
    const key = newKey();
    forAll((fault) => fault.swallowReplies());
    const failure = failureOf(send(key));
    await waitFor('the script to run', guardTimeoutMs, async () => (await count(key)) === 1);
    forAll((fault) => fault.heal());
    forAll((fault) => fault.cut());
    const error = await failure;
    expect(error).toBeInstanceOf(Error);
    expect(didNotRun(error)).toBe(false);
    expect(isTimeout(error)).toBe(false);
    await whenReady(client, guardTimeoutMs);
    await Bun.sleep(watchMs);
    expect(await count(key)).toBe(1);
  });

  test('reports a reply that never arrives in time, and replaces the silent connection', async () => {
    const key = newKey();
    forAll((fault) => fault.swallowReplies());
    const error = await failureOf(send(key));
    expect(error).toBeInstanceOf(Error);
    expect(didNotRun(error)).toBe(false);
    expect(isTimeout(error)).toBe(true);
    // Only a new connection can work now.
    forAll((fault) => fault.heal());
    await waitFor('an answer', guardTimeoutMs, async () => (await failureOf(client.get(newKey()))) === undefined);
    await Bun.sleep(watchMs);
    expect(await count(key)).toBe(1);
  });

  test('changes nothing for a reply that arrives after the caller gave up', async () => {
    const key = newKey();
    forAll((fault) => fault.holdReplies());
    expect(await failureOf(send(key))).toBeInstanceOf(Error);
    forAll((fault) => fault.heal());
    await waitFor('an answer', guardTimeoutMs, async () => (await failureOf(client.get(newKey()))) === undefined);
    expect(await count(key)).toBe(1);
  });

  test('refuses a command immediately while there is no connection, and never runs it', async () => {
    const key = newKey();
    const ports = topology.faults.map(({ port }) => port);
    await Promise.all(topology.faults.map((fault) => fault.refuse()));
    await waitFor('the client to notice', guardTimeoutMs, async () => didNotRun(await failureOf(client.get(key))));
    // No server is needed for a refusal, so it comes before any timer, even on a busy machine.
    const late = Bun.sleep(redisCommandTimeoutMs / 2).then(() => 'late');
    const errors = await Promise.all(Array.from({ length: 50 }, () => Promise.race([failureOf(send(key)), late])));
    expect(errors.every(didNotRun)).toBe(true);
    await Promise.all(topology.faults.map((fault) => fault.accept()));
    expect(topology.faults.map(({ port }) => port)).toEqual(ports);
    await whenReady(client, guardTimeoutMs);
    await waitFor('an answer', guardTimeoutMs, async () => (await failureOf(client.get(newKey()))) === undefined);
    await Bun.sleep(watchMs);
    expect(await count(key)).toBe(0);
  });

  test('runs none of a thousand commands twice while connections are cut again and again', async () => {
    const keys = Array.from({ length: 1_000 }, (_, index) => `{s${index % 64}}:counter:many:${index}`);
    let done = 0;
    const sending = Promise.all(
      keys.map(async (key, index) => {
        await Bun.sleep(index % 500);
        const error = await failureOf(send(key));
        done += 1;
        return { key, error };
      }),
    );
    while (done < keys.length) {
      forAll((fault) => fault.cut());
      await Bun.sleep(25);
    }
    const results = await sending;
    await whenReady(client, guardTimeoutMs);
    for (const { key, error } of results) {
      const times = await count(key);
      if (error === undefined) expect(times).toBe(1);
      else expect(times).toBeLessThanOrEqual(didNotRun(error) ? 0 : 1);
    }
  });
});
