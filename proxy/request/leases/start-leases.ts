/** Starts the leases of this process, with the timers that drive them. */
import { monotonicMs } from '../../../shared/durations.ts';
import type { Log } from '../../../shared/log.ts';
import { canSend } from '../../../shared/redis/can-send.ts';
import type { RedisClient } from '../../../shared/redis/connect.ts';
import { readUsageFormat, usageFormatHeardMs, usageFormats } from '../../../shared/wallet/usage-stream/usage-format.ts';
import type { Wallet } from '../../../shared/wallet/wallet.ts';
import type { RequestMetrics } from '../metrics/request-metrics.ts';
import type { ReplayBuffer } from '../settlement/replay-buffer.ts';
import { LeaseBook } from './lease-book.ts';
import { LeaseRecalls } from './lease-recalls.ts';

/** How long charges wait to be drawn together. */
const flushMs = 10;
const tickIntervalMs = 250;
const formatIntervalMs = usageFormatHeardMs / 2;

export interface Leases {
  readonly book: LeaseBook;
  readonly recalls: LeaseRecalls;
  stop(): void;
}

interface LeaseSurroundings {
  readonly redis: RedisClient;
  readonly wallet: Wallet;
  readonly replayBuffer: ReplayBuffer;
  readonly metrics: RequestMetrics;
  readonly log: Log;
}

export function startLeases({ redis, wallet, replayBuffer, metrics, log }: LeaseSurroundings): Leases {
  let flushTimer: Timer | undefined;
  const flush = () => {
    flushTimer = undefined;
    void book.flush();
  };
  const measured = async <Result>(call: Promise<Result>): Promise<Result> => {
    const sentAtMs = monotonicMs();
    try {
      const result = await call;
      metrics.walletReplied('draw', sentAtMs);
      return result;
    } catch (error) {
      metrics.walletFailures.draw += 1;
      throw error;
    }
  };
  const book: LeaseBook = new LeaseBook({
    draw: (request) => measured(wallet.draw(request)),
    charge: (charges) => measured(wallet.chargeLease(charges)),
    drawn: (charges, streamId) => replayBuffer.drawn(charges, streamId),
    undrawn: (charges) => replayBuffer.resendLater(charges),
    newId: () => Bun.randomUUIDv7(),
    onDue: () => {
      flushTimer ??= setTimeout(flush, flushMs);
    },
    // While Redis is away, its connection says so.
    onError: (error, { id }) =>
      log[canSend(redis) ? 'warn' : 'debug'](
        { lease: id, err: error },
        'draw not confirmed by Redis; will be repeated',
      ),
  });
  const recalls = new LeaseRecalls({ redis, wallet, book, log });
  // Which entries the usage stream may have is decided by admin, and rarely changes.
  const readFormat = async () => {
    if (canSend(redis)) book.allow((await readUsageFormat(redis)) >= usageFormats.packed);
  };
  const readFormatQuietly = () =>
    void readFormat().catch((error: unknown) => log.debug({ err: error }, 'usage format not read'));
  readFormatQuietly();
  const timers = [
    setInterval(() => void book.tick(), tickIntervalMs),
    setInterval(readFormatQuietly, formatIntervalMs),
  ];
  return {
    book,
    recalls,
    stop: () => {
      for (const timer of timers) clearInterval(timer);
      clearTimeout(flushTimer);
      recalls.stop();
    },
  };
}
