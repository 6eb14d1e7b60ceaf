/**
 * The one way to connect to Redis, whether one server, a master behind Sentinels, or a cluster, with settings that keep
 * a command from running twice or late.
 *
 * ioredis resends unfulfilled commands after a reconnect by default, which ran a script twice when only its reply was
 * lost; with that off, a command without `commandTimeout` hangs for ever; and a queued command could run long after its
 * caller gave up. So nothing is resent, nothing is queued, and everything times out. strict-cluster.ts does the same
 * for a cluster.
 */
import { type DNSLookupFunction, Redis, type RedisOptions } from 'ioredis';
import type { RedisAddress } from './address.ts';
import { canSendToAll } from './can-send.ts';
import { StrictCluster } from './strict-cluster.ts';

export type RedisClient = Redis | StrictCluster;

/** How long a caller waits, by default, before its command's outcome counts as unknown. */
export const redisCommandTimeoutMs = 2_000;
/** A connection that has owed a reply for so much longer than a caller waits is closed: the other end may have vanished silently. */
const silencePerTimeout = 1.5;
const connectTimeoutMs = 3_000;
const reconnectDelayMaxMs = 1_000;
const sentinelTimeoutMs = 1_000;
const sentinelReconnectDelayMs = 5_000;
/** Cluster nodes report moved slots only to misdirected commands; this finds new nodes without them. */
const layoutIntervalMs = 10_000;
const readyPollMs = 5;
const subscriptionConfirmMs = 5_000;

const retryDelay = (attempt: number) => Math.min(attempt * 50, reconnectDelayMaxMs);

const options = {
  autoResendUnfulfilledCommands: false,
  enableOfflineQueue: false,
  maxRetriesPerRequest: 0,
  connectTimeout: connectTimeoutMs,
  retryStrategy: retryDelay,
  // A master that has become a replica: find the new one. The command itself is not resent (2 would resend it).
  reconnectOnError: (error) => error.message.startsWith('READONLY'),
  protocol: 2,
} satisfies RedisOptions;

type Waits = Required<Pick<RedisOptions, 'commandTimeout' | 'socketTimeout'>>;

/**
 * Connects and keeps retrying for ever; commands are refused immediately while there is no connection.
 * Connection errors go to `onError`.
 */
export function connectRedis(
  address: RedisAddress,
  onError: (error: Error) => void,
  commandTimeoutMs = redisCommandTimeoutMs,
): RedisClient {
  const waits = { commandTimeout: commandTimeoutMs, socketTimeout: silencePerTimeout * commandTimeoutMs };
  const client =
    address.kind === 'cluster' ? connectCluster(address, waits) : lasting(new Redis(serverOptions(address, waits)));
  client.on('error', onError);
  client.on('node error', onError);
  return client;
}

/** A second connection for commands that block up to `blockMs`; it follows the master like the first one. */
export function connectBlocking(client: Redis, blockMs: number): Redis {
  const { commandTimeout, socketTimeout } = client.options;
  return lasting(
    client.duplicate({
      ...(commandTimeout !== undefined && { commandTimeout: blockMs + commandTimeout }),
      ...(socketTimeout !== undefined && { socketTimeout: blockMs + socketTimeout }),
    }),
  );
}

/**
 * Calls `onMessage` for each message of the channel that arrives; one that is published while there is no connection is
 * missed. Returns what ends it.
 */
export function subscribe(client: RedisClient, channel: string, onMessage: (message: string) => void): () => void {
  // A cluster client has a connection for subscriptions already. Errors are reported by the first connection.
  const own = client instanceof StrictCluster ? undefined : lasting(client.duplicate({ autoResubscribe: false }));
  own?.on('error', () => {});
  const subscriber = own ?? client;
  const take = (from: string, message: string) => {
    if (from === channel) onMessage(message);
  };
  // Again and again, because a connection that has died silently is noticed only when it owes a reply.
  const confirm = () => void subscriber.subscribe(channel).catch(() => {});
  const timer = setInterval(confirm, subscriptionConfirmMs);
  subscriber.on('message', take);
  subscriber.on('ready', confirm);
  if (subscriber.status === 'ready') confirm();
  return () => {
    clearInterval(timer);
    subscriber.off('message', take);
    subscriber.off('ready', confirm);
    own?.disconnect();
  };
}

/**
 * Reconnects whenever the client has ended unexpectedly. ioredis ends for good if a Sentinel reports the new
 * master, on a connection that it had opened for the former one, while the client is looking for the new one itself.
 */
function lasting(client: Redis): Redis {
  let isClosed = false;
  const disconnect = client.disconnect.bind(client);
  client.disconnect = (reconnect = false) => {
    isClosed ||= !reconnect;
    disconnect(reconnect);
  };
  const connect = () => {
    // A failure ends the client again.
    if (!isClosed) client.connect().catch(() => {});
  };
  client.on('end', () => {
    if (!isClosed) setTimeout(connect, reconnectDelayMaxMs);
  });
  return client;
}

/** Resolves when commands can be sent to every master; rejects with the reason after `timeoutMs`. */
export async function whenReady(client: RedisClient, timeoutMs: number): Promise<void> {
  const until = Date.now() + timeoutMs;
  let lastError = new Error('no response');
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

function serverOptions(address: Exclude<RedisAddress, { kind: 'cluster' }>, waits: Waits) {
  // Commands of one turn of the event loop are written together. In a cluster this is done per slot, which makes its
  // scripts fail (ioredis #2109, #2075). Scripts are not delayed by it: they batch their requests themselves.
  const common = {
    ...options,
    ...waits,
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
    // Leaves a demoted master as soon as a Sentinel reports it, even if the connection to it still works.
    failoverDetector: true,
    sentinelReconnectStrategy: () => sentinelReconnectDelayMs,
  };
}

function connectCluster(address: Extract<RedisAddress, { kind: 'cluster' }>, waits: Waits): StrictCluster {
  return new StrictCluster([...address.nodes], {
    // Connected in advance: otherwise a command for a node that is still connecting would be queued.
    redisOptions: { ...options, ...waits, ...accessOptions(address), lazyConnect: false },
    enableOfflineQueue: false,
    // Commands are refused individually if the cluster does not serve their slot.
    enableReadyCheck: false,
    clusterRetryStrategy: retryDelay,
    slotsRefreshTimeout: connectTimeoutMs,
    slotsRefreshInterval: layoutIntervalMs,
    // Host names must stay host names, so that certificates match.
    ...(address.access.usesTls ? { dnsLookup: keepName } : {}),
  });
}

const keepName: DNSLookupFunction = (host, done) => done(null, host);
