/**
 * Starts everything that keeps charges correct: the replay buffer, the running requests, the leases and the Redis watch,
 * with the timers that drive them.
 */
import { monotonicMs } from '../../../shared/durations.ts';
import type { Log } from '../../../shared/log.ts';
import type { RedisClient } from '../../../shared/redis/connect.ts';
import { allShards, type Shard } from '../../../shared/wallet/shard.ts';
import type { Wallet } from '../../../shared/wallet/wallet.ts';
import type { LeaseBook } from '../leases/lease-book.ts';
import type { LeaseRecalls } from '../leases/lease-recalls.ts';
import { startLeases } from '../leases/start-leases.ts';
import type { RequestMetrics } from '../metrics/request-metrics.ts';
import { RedisWatch } from './redis-watch.ts';
import { ReplayBuffer } from './replay-buffer.ts';
import { RunningRequests } from './running-requests.ts';

const resendIntervalMs = 500;
const checkIntervalMs = 1_000;
/** Each shard every two seconds, a few at a time: all of them together would block every request for 5 ms. */
const confirmIntervalMs = 125;
const shardsAtOnce = 4;

export interface Settlement {
  readonly replayBuffer: ReplayBuffer;
  readonly running: RunningRequests;
  readonly leases: LeaseBook;
  readonly recalls: LeaseRecalls;
  readonly redisWatch: RedisWatch;
  stop(): void;
}

interface SettlementOptions {
  readonly redis: RedisClient;
  readonly wallet: Wallet;
  readonly metrics: RequestMetrics;
  readonly log: Log;
}

export function startSettlement(options: SettlementOptions): Settlement {
  const { redis, log } = options;
  const replayBuffer = new ReplayBuffer({ ...options, isUnchanged: (shard) => redisWatch.isUnchanged(shard) });
  const running = new RunningRequests({ ...options, replayBuffer });
  const leases = startLeases({ ...options, replayBuffer });
  const onNewRedis = async (shards: ReadonlySet<Shard>) => {
    // First, because what charges and holds need is what leases have.
    await leases.book.giveUp(shards);
    void replayBuffer.replay(shards);
    void running.renewAll(shards);
  };
  const redisWatch = new RedisWatch({ redis, log, onNewRedis });
  redisWatch.start();
  let nextShard = 0;
  const confirm = () => {
    const shards = allShards.slice(nextShard, nextShard + shardsAtOnce);
    nextShard = (nextShard + shardsAtOnce) % allShards.length;
    const confirmed = replayBuffer.confirm(monotonicMs(), shards);
    return confirmed.catch((error: unknown) => log.debug({ err: error }, 'bookings not confirmed'));
  };
  const timers = [
    setInterval(() => void replayBuffer.resend(), resendIntervalMs),
    setInterval(() => void confirm(), confirmIntervalMs),
    setInterval(() => running.checkAll(monotonicMs()), checkIntervalMs),
  ];
  return {
    replayBuffer,
    running,
    leases: leases.book,
    recalls: leases.recalls,
    redisWatch,
    stop: () => {
      leases.stop();
      for (const timer of timers) clearInterval(timer);
      redisWatch.stop();
    },
  };
}
