/**
 * The one way to Redis, be it one server, a master that Sentinels name, or a cluster, with the settings that keep a
 * command from running twice or late.
 *
 * ioredis resends unfulfilled commands after a reconnect by default, which ran a script twice when only its reply was
 * lost; with that off, a command without `commandTimeout` hangs for ever; and a queued command could run long after
 * its caller gave up. So: nothing is resent, nothing is queued, everything times out. What a cluster needs for that is
 * in strict-cluster.ts.
 */
import { type DNSLookupFunction, Redis, type RedisOptions } from 'ioredis';
import type { RedisAddress } from './address.ts';
import { canSendToAll } from './can-send.ts';
import { StrictCluster } from './strict-cluster.ts';

export type RedisClient = Redis | StrictCluster;

/** How long a caller waits before the outcome of its command is unknown. */
export const redisCommandTimeoutMs = 2_000;
/** A connection that owes an answer for so long is given up: the other end may be gone without a word. */
const silenceMaxMs = 3_000;
const connectTimeoutMs = 3_000;
const reconnectDelayMaxMs = 1_000;
const sentinelTimeoutMs = 1_000;
const sentinelReconnectDelayMs = 5_000;
/** A cluster tells of moved slots when it is asked in the wrong place; this finds new nodes without that. */
const layoutIntervalMs = 10_000;
const readyPollMs = 5;

const retryDelay = (attempt: number) => Math.min(attempt * 50, reconnectDelayMaxMs);

const options = {
  autoResendUnfulfilledCommands: false,
  enableOfflineQueue: false,
  maxRetriesPerRequest: 0,
  commandTimeout: redisCommandTimeoutMs,
  socketTimeout: silenceMaxMs,
  connectTimeout: connectTimeoutMs,
  retryStrategy: retryDelay,
  // A master that has become a replica: find the new one. The command itself is not sent again (that would be 2).
  reconnectOnError: (error) => error.message.startsWith('READONLY'),
  protocol: 2,
} satisfies RedisOptions;

/**
 * Begins to connect and goes on trying for ever; commands are refused at once while there is no connection.
 * Connection errors go to `onError`.
 */
export function connectRedis(address: RedisAddress, onError: (error: Error) => void): RedisClient {
  const client = address.kind === 'cluster' ? connectCluster(address) : new Redis(serverOptions(address));
  client.on('error', onError);
  client.on('node error', onError);
  return client;
}

/** A second connection for commands that block up to `blockMs`; it follows the master as the first one does. */
export function connectBlocking(client: Redis, blockMs: number): Redis {
  return client.duplicate({
    commandTimeout: blockMs + redisCommandTimeoutMs,
    socketTimeout: blockMs + silenceMaxMs,
  });
}

/** Resolves when commands can be sent to every master; rejects with the reason after `timeoutMs`. */
export async function whenReady(client: RedisClient, timeoutMs: number): Promise<void> {
  const until = Date.now() + timeoutMs;
  let lastError = new Error('no answer');
  const remember = (error: Error) => {
    lastError = error;
  };
  client.on('error', remember);
  client.on('node error', remember);
  try {
    while (!canSendToAll(client)) {
      if (Date.now() > until) throw new Error(`Redis is not reachable: ${lastError.message}`, { cause: lastError });
      await Bun.sleep(readyPollMs);
    }
  } finally {
    client.off('error', remember);
    client.off('node error', remember);
  }
}

function accessOptions({ access }: RedisAddress) {
  return {
    ...(access.username === undefined ? {} : { username: access.username }),
    ...(access.password === undefined ? {} : { password: access.password }),
    ...(access.usesTls ? { tls: {} } : {}),
  };
}

function serverOptions(address: Exclude<RedisAddress, { kind: 'cluster' }>) {
  // What is asked in one turn of the event loop is written at once. Of a cluster it would be by slots; its scripts then
  // fail (ioredis #2109, #2075). Scripts are not delayed by it: they gather their orders themselves.
  const common = {
    ...options,
    ...accessOptions(address),
    enableAutoPipelining: true,
    autoPipeliningIgnoredCommands: ['evalsha', 'eval'],
  };
  if (address.kind === 'standalone') return { ...common, ...address.server, db: address.database };
  return {
    ...common,
    sentinels: [...address.sentinels],
    name: address.masterName,
    ...(address.sentinelPassword === undefined ? {} : { sentinelPassword: address.sentinelPassword }),
    ...(address.access.usesTls ? { enableTLSForSentinelMode: true, sentinelTLS: {} } : {}),
    sentinelCommandTimeout: sentinelTimeoutMs,
    sentinelRetryStrategy: retryDelay,
    // Leaves a demoted master as soon as a Sentinel says so, even where the connection to it still works.
    failoverDetector: true,
    sentinelReconnectStrategy: () => sentinelReconnectDelayMs,
  };
}

function connectCluster(address: Extract<RedisAddress, { kind: 'cluster' }>): StrictCluster {
  return new StrictCluster([...address.nodes], {
    // Connected before they are needed: a command for a node that is only being connected would be queued.
    redisOptions: { ...options, ...accessOptions(address), lazyConnect: false },
    enableOfflineQueue: false,
    // Commands are refused one by one where the cluster does not serve their slot.
    enableReadyCheck: false,
    clusterRetryStrategy: retryDelay,
    slotsRefreshTimeout: connectTimeoutMs,
    slotsRefreshInterval: layoutIntervalMs,
    // Names must stay names for a certificate to match.
    ...(address.access.usesTls ? { dnsLookup: keepName } : {}),
  });
}

const keepName: DNSLookupFunction = (host, done) => done(null, host);
