/** Every wallet script on each Redis topology: single-slot by construction, so the same calls work everywhere. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { nanoUsd } from '../../shared/money.ts';
import { parseRedisAddress } from '../../shared/redis/address.ts';
import { connectRedis, whenReady } from '../../shared/redis/connect.ts';
import { allShards } from '../../shared/wallet/shard.ts';
import { UsageStream } from '../../shared/wallet/usage-stream/usage-stream.ts';
import { guardTimeoutMs } from '../harness/account-view.ts';
import { startBeside } from '../harness/redis/start-beside.ts';
import { startRedisTopology } from '../harness/redis/start-topology.ts';
import { topologyKinds } from '../harness/redis/topology.ts';
import { expireDue } from '../harness/wallet/shard-state.ts';
import { heldBy, reserveRequestOf, WalletBench } from '../harness/wallet/wallet-bench.ts';

const benches = startBeside(topologyKinds, async (kind) => {
  const directory = await mkdtemp(join(tmpdir(), 'gateway-topology-'));
  const topology = await startRedisTopology(kind, { directory });
  const redis = connectRedis(parseRedisAddress(topology.url), () => {});
  await whenReady(redis, guardTimeoutMs);
  return new WalletBench(redis, async () => {
    redis.disconnect();
    await topology.stop();
    await rm(directory, { recursive: true, force: true });
  });
});

describe.each(benches)('the wallet scripts on a Redis topology of kind %s', (_kind, started) => {
  let bench: WalletBench;
  beforeAll(async () => {
    bench = await started;
  });

  afterAll(() => bench.stop());

  test('runs reserve, renew, settle and release, which are idempotent', async () => {
    const account = await bench.openAccount(1_000n);
    const reserved = reserveRequestOf(account);
    const held = heldBy(account, reserved.requestId);
    expect(await bench.wallet.reserve(reserved)).toMatchObject({ ok: true, accountId: account.accountId });
    expect(await bench.wallet.reserve(reserved)).toMatchObject({ ok: true });
    const progress = { amountNano: nanoUsd(150n), costNano: nanoUsd(30n), detail: '{}' };
    expect(await bench.wallet.renew(held, progress)).toMatchObject({ ok: true });
    expect(await bench.balances(account)).toEqual([850n, 150n, 0n]);
    await bench.wallet.settle(held, { costNano: nanoUsd(40n), detail: '{}', tokens: 0 });
    await bench.wallet.settle(held, { costNano: nanoUsd(40n), detail: '{}', tokens: 0 });
    await bench.wallet.release(reserved);
    expect(await bench.balances(account)).toEqual([960n, 0n, 40n]);
    expect(await bench.wallet.reserve(reserved)).toMatchObject({ ok: false, reason: 'already_done' });
    const given = reserveRequestOf(account);
    await bench.wallet.reserve(given);
    await bench.wallet.release(given);
    expect(await bench.balances(account)).toEqual([960n, 0n, 40n]);
  });

  test('expires with a charge of the last renewal, which a late settle replaces', async () => {
    const account = await bench.openAccount(1_000n);
    const reserved = reserveRequestOf(account);
    const held = heldBy(account, reserved.requestId);
    await bench.wallet.reserve(reserved);
    await bench.wallet.renew(held, { amountNano: nanoUsd(100n), costNano: nanoUsd(30n), detail: '{}' });
    await bench.redis.zadd(`{s${account.shard}}:holds`, 1, reserved.requestId);
    expect(await expireDue(bench.keeper, account.shard)).toBe(1);
    expect(await bench.balances(account)).toEqual([970n, 0n, 30n]);
    await bench.wallet.settle(held, { costNano: nanoUsd(25n), detail: '{}', tokens: 0 });
    expect(await bench.balances(account)).toEqual([975n, 0n, 25n]);
    expect((await bench.entries(account)).map(({ rank, cost }) => [rank, cost])).toEqual([
      ['1', '30'],
      ['2', '25'],
    ]);
  });

  test('hydrates and credits once', async () => {
    const account = await bench.openAccount(500n);
    expect(await bench.hydrate(account.accountId, 500n)).toBe('exists');
    const credit = { accountId: account.accountId, creditSeq: 2, amountNano: 7n };
    expect(await bench.keeper.credit(credit)).toBe('applied');
    expect(await bench.keeper.credit(credit)).toBe('duplicate');
    expect(await bench.balances(account)).toEqual([507n, 0n, 0n]);
  });

  test('keeps the books of accounts in all 64 shards, and one reader gets every charge', async () => {
    const accounts = await Promise.all(allShards.map(() => bench.openAccount(1_000n)));
    expect(new Set(accounts.map(({ shard }) => shard)).size).toBe(64);
    const stream = new UsageStream(bench.redis, () => {});
    const charges = await Promise.all(
      accounts.map(async (account) => {
        const reserved = reserveRequestOf(account);
        await bench.wallet.reserve(reserved);
        await bench.wallet.settle(heldBy(account, reserved.requestId), {
          costNano: nanoUsd(10n),
          detail: '{}',
          tokens: 0,
        });
        return reserved.requestId;
      }),
    );
    const missing = new Set(charges);
    const until = Date.now() + guardTimeoutMs;
    while (missing.size > 0 && Date.now() < until) {
      for (const { shard, entries } of await stream.read(allShards, 500)) {
        for (const { fields } of entries) missing.delete(fields.request ?? '');
        const last = entries.at(-1);
        if (last !== undefined) await stream.removeThrough(shard, last.id);
      }
    }
    expect(missing.size).toBe(0);
    expect(await stream.read(allShards, 500)).toEqual([]);
    stream.close();
    for (const account of accounts) expect(await bench.balances(account)).toEqual([990n, 0n, 10n]);
  });
});
