/**
 * The one way to a Redis, standalone or cluster, with the settings that keep a command from running twice or late.
 *
 * ioredis resends unfulfilled commands after a reconnect by default, which ran a script twice when only its reply was
 * lost; with that off, a command without `commandTimeout` hangs for ever; and a queued command could run long after
 * its caller gave up. So: nothing is resent, nothing is queued, everything times out.
 */
import { Cluster, Redis, type RedisOptions } from 'ioredis';

export type RedisClient = Redis | Cluster;

/** How long a caller waits before the outcome of its command is unknown. */
export const redisCommandTimeoutMs = 2_000;
const connectTimeoutMs = 3_000;
const reconnectDelayMaxMs = 1_000;

const options = {
  autoResendUnfulfilledCommands: false,
  enableOfflineQueue: false,
  maxRetriesPerRequest: 0,
  commandTimeout: redisCommandTimeoutMs,
  connectTimeout: connectTimeoutMs,
  retryStrategy: (attempt: number) => Math.min(attempt * 50, reconnectDelayMaxMs),
  protocol: 2,
} satisfies RedisOptions;

/**
 * Begins to connect and goes on trying for ever; commands are refused at once while there is no connection.
 * Several addresses mean a Redis Cluster. Connection errors go to `onError`.
 */
export function connectRedis(urls: readonly string[], onError: (error: Error) => void): RedisClient {
  const [url] = urls;
  if (url === undefined) throw new Error('no Redis address');
  const client =
    urls.length === 1
      ? new Redis(url, options)
      : new Cluster([...urls], {
          redisOptions: options,
          enableOfflineQueue: false,
          clusterRetryStrategy: (attempt) => Math.min(attempt * 50, reconnectDelayMaxMs),
        });
  client.on('error', onError);
  return client;
}

/** A second connection of a standalone Redis for commands that block up to `blockMs`. */
export function connectBlocking(client: Redis, blockMs: number): Redis {
  return client.duplicate({ commandTimeout: blockMs + redisCommandTimeoutMs });
}

/** Resolves when commands can be sent; rejects with the reason after `timeoutMs`. */
export async function whenReady(client: RedisClient, timeoutMs: number): Promise<void> {
  if (client.status === 'ready') return;
  await new Promise<void>((resolve, reject) => {
    let lastError = new Error('no answer');
    const remember = (error: Error) => {
      lastError = error;
    };
    const finish = (settle: () => void) => {
      clearTimeout(timer);
      client.off('ready', onReady);
      client.off('error', remember);
      settle();
    };
    const onReady = () => finish(resolve);
    const timer = setTimeout(
      () => finish(() => reject(new Error(`Redis is not reachable: ${lastError.message}`, { cause: lastError }))),
      timeoutMs,
    );
    client.on('ready', onReady);
    client.on('error', remember);
  });
}
