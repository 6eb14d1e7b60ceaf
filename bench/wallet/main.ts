/**
 * Reserves and settles with the real wallet, 64 concurrent callers, and nothing else:
 * `bun bench/wallet/main.ts REDIS_URL SECONDS`. Prints one line of JSON.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { nanoUsd } from '../../shared/money.ts';
import { parseRedisAddress } from '../../shared/redis/address.ts';
import { connectRedis, type RedisClient, whenReady } from '../../shared/redis/connect.ts';
import { noKeyLimits } from '../../shared/wallet/key-limits.ts';
import { type Shard, shardOfAccount } from '../../shared/wallet/shard.ts';
import { Wallet } from '../../shared/wallet/wallet.ts';
import { WalletKeeper } from '../../shared/wallet/wallet-keeper.ts';
import { commandTimes } from './command-times.ts';
import { fixedCharge, fixedRequest } from './fixed-requests.ts';

const callers = 64;
const accountCount = 400;
const warmUpMs = 1_000;
const readyMs = 5_000;
const [url = '', seconds = '3'] = process.argv.slice(2);
const redis = connectRedis(parseRedisAddress(url), () => {});
await whenReady(redis, readyMs);
const wallet = new Wallet(redis);
const accounts = await openAccounts(new WalletKeeper(redis));
let pairs = 0;
let stopped = false;
const running = Promise.all(Array.from({ length: callers }, call));
await sleep(warmUpMs);
const before = { pairs, cpu: process.cpuUsage(), atMs: performance.now(), scripts: await scriptTimes(redis) };
await sleep(Number(seconds) * 1_000);
const cpu = process.cpuUsage(before.cpu);
const measured = { pairs: pairs - before.pairs, seconds: (performance.now() - before.atMs) / 1_000 };
const scripts = await scriptTimes(redis);
stopped = true;
await running;
const commandMicroseconds = await commandTimes(redis, accountCount);
redis.disconnect();
console.log(
  JSON.stringify({
    pairsPerSecond: measured.pairs / measured.seconds,
    clientMicroseconds: (cpu.user + cpu.system) / measured.pairs,
    scriptMicroseconds: (scripts - before.scripts) / measured.pairs,
    commandMicroseconds,
  }),
);

async function openAccounts(keeper: WalletKeeper): Promise<{ accountId: number; shard: Shard; keyHash: string }[]> {
  const opened = [];
  for (let accountId = 1; accountId <= accountCount; accountId += 1) {
    const shard = shardOfAccount(accountId);
    const keyHash = new Bun.CryptoHasher('sha256').update(String(accountId)).digest('hex');
    await keeper.writeMeta(shard, { mode: 'open', epoch: 1, identity: '' });
    const key = {
      id: accountId,
      accountId,
      hash: keyHash,
      version: 1,
      deleted: false,
      active: true,
      addressProven: true,
    };
    await keeper.publishKey({ ...key, expiresAt: null, allowedModels: null, limits: noKeyLimits });
    const creditedNano = nanoUsd(100_000_000_000_000n);
    await keeper.hydrate({ accountId, creditedNano, spentNano: 0n, creditSeq: 1, orphans: new Map() });
    opened.push({ accountId, shard, keyHash });
  }
  return opened;
}

async function call(): Promise<void> {
  while (!stopped) {
    const account = accounts[Math.floor(Math.random() * accounts.length)];
    if (account === undefined) throw new Error('no accounts');
    const { accountId, shard, keyHash } = account;
    const requestId = Bun.randomUUIDv7();
    const reserved = await wallet.reserve(fixedRequest({ requestId, shard, keyHash, identity: '' }));
    if (!reserved.ok) throw new Error(`reserve: ${reserved.reason}`);
    const held = { requestId, shard, accountId, keyId: accountId, epoch: reserved.epoch };
    await wallet.settle(held, fixedCharge());
    pairs += 1;
  }
}

/** The microseconds that scripts have run, as reported by Redis. */
async function scriptTimes(redis: RedisClient): Promise<number> {
  const line = /^cmdstat_evalsha:calls=\d+,usec=(\d+)/m.exec(await redis.info('commandstats'));
  return Number(line?.[1] ?? 0);
}
