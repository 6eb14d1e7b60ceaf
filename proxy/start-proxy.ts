/**
 * The proxy as one: configuration in; services, timers and server out. It starts without Redis, and waits for it while it
 * is not ready.
 */
import { hostname } from 'node:os';
import type { ProxyConfig } from '../shared/config/proxy.ts';
import { Bodies } from '../shared/http/intake/bodies.ts';
import type { Log } from '../shared/log.ts';
import { warnOfServers } from '../shared/redis/check-servers.ts';
import { connectRedis, whenReady } from '../shared/redis/connect.ts';
import { Wallet } from '../shared/wallet/wallet.ts';
import type { ProgramState } from './api/operational-routes.ts';
import { startBatches } from './batches/batch-runner.ts';
import { Calibrations } from './pricing/calibration.ts';
import { loadVocabulary } from './pricing/tokenizer/vocabulary.ts';
import { watchCatalogue } from './pricing/watch-catalogue.ts';
import { Credentials } from './providers/credentials/credentials.ts';
import { KnownKeys } from './request/admission/known-keys.ts';
import { Workbench } from './request/body/workbench.ts';
import { ResponseCache } from './request/cache/response-cache.ts';
import { BatchMetrics } from './request/metrics/batch-metrics.ts';
import { RequestMetrics } from './request/metrics/request-metrics.ts';
import { ErrorCounts } from './request/response/error-counts.ts';
import type { ProxyServices } from './request/services.ts';
import { startSettlement } from './request/settlement/settlement.ts';
import type { Tracing } from './request/tracing/tracing.ts';
import { Deployments } from './request/upstream/health/deployments.ts';
import { startHealthReports } from './request/upstream/health/report-health.ts';
import { openProviderClient } from './request/upstream/provider-client.ts';
import { type ServerOptions, startServer } from './server.ts';
import { openStorage, startSweeps } from './storage/storage.ts';

const batchesTimeoutMs = 3_000;
const leasesTimeoutMs = 1_000;
const flushTimeoutMs = 4_000;
const redisStartTimeoutMs = 3_000;
const tracesTimeoutMs = 1_000;
const connectionsTimeoutMs = 1_000;

export interface RunningProxy {
  readonly port: number;
  /** Requests that hold money. */
  running(): number;
  /** No longer ready, so that load balancers stop choosing this replica; new connections are still served. */
  beginShutdown(): void;
  /** Lets requests end, then closes everything. False if charges are left that Redis has not confirmed. */
  drain(): Promise<boolean>;
  /** As `drain`, and closes the connections that clients keep. */
  end(): Promise<boolean>;
}

/** It cannot listen where it is configured to. */
export class ListenError extends Error {}

/** Throws ListenError; then everything is closed again. */
export async function startProxy(config: ProxyConfig, log: Log, options: ServerOptions): Promise<RunningProxy> {
  const services = await openServices(config, log);
  const state: ProgramState = { isShuttingDown: false };
  const server = await listen(services, state, options);
  log.info({ host: config.host, port: server.port }, 'proxy is listening');
  void warnOfServers(services.redis, log);
  // The name stays the same after a restart, so its report replaces the one of the previous process. Proxies that share a
  // port need a name each.
  const reporter = `${hostname()}:${server.port}${config.reusePort ? `:${process.pid}` : ''}`;
  const healthReports = startHealthReports(services, reporter);
  const batches = startRunningBatches(services);
  const stopSweeps = services.storage && startSweeps(services.storage, log);

  const stop = async (closesConnections: boolean) => {
    state.isShuttingDown = true;
    stopSweeps?.();
    batches?.release();
    const { settlement } = services;
    const stopped = server.stop();
    await settlement.running.drain(config.shutdown.graceMs);
    await Promise.race([batches?.ended(), Bun.sleep(batchesTimeoutMs)]);
    await settlement.leases.end(leasesTimeoutMs);
    const isFlushed = await settlement.replayBuffer.flush(flushTimeoutMs);
    await Promise.all([healthReports.stop(), services.errorCounts.stop()]);
    await Promise.race([services.tracing?.stop(), Bun.sleep(tracesTimeoutMs)]);
    if (!isFlushed) log.error({ decisions: settlement.replayBuffer.size }, 'ending with unconfirmed charges');
    if (closesConnections) void server.close();
    await Promise.race([stopped, Bun.sleep(connectionsTimeoutMs)]);
    closeServices(services);
    return isFlushed;
  };
  return {
    port: server.port,
    running: () => services.settlement.running.size,
    beginShutdown: () => {
      state.isShuttingDown = true;
    },
    drain: () => stop(false),
    end: () => stop(true),
  };
}

function startRunningBatches(services: ProxyServices) {
  const { storage, config } = services;
  const { batchConcurrency = 0 } = config.files ?? {};
  return storage && batchConcurrency > 0 ? startBatches(services, storage, batchConcurrency) : undefined;
}

async function listen(services: ProxyServices, state: ProgramState, options: ServerOptions) {
  try {
    return startServer(services, state, options);
  } catch (error) {
    await services.errorCounts.stop();
    closeServices(services);
    const { host, port } = services.config;
    throw new ListenError(`cannot listen on ${host}:${port} (HOST, PROXY_PORT)`, { cause: error });
  }
}

async function openServices(config: ProxyConfig, log: Log): Promise<ProxyServices> {
  // Not when the first client waits for it.
  loadVocabulary();
  const redis = connectRedis(
    config.redisAddress,
    (error) => log.warn({ err: error }, 'Redis connection'),
    config.redisCommandTimeoutMs,
  );
  await whenReady(redis, redisStartTimeoutMs).catch((error: unknown) =>
    log.warn({ err: error }, 'starting without Redis'),
  );
  const wallet = new Wallet(redis);
  const metrics = new RequestMetrics();
  const settlement = startSettlement({ redis, wallet, metrics, log });
  const credentials = new Credentials(config);
  const catalogue = await watchCatalogue({ redis, log, credentials });
  const [knownKeys, bodies] = [new KnownKeys(), new Bodies({ maxBytes: config.bodiesMaxBytes })];
  const deployments = new Deployments();
  const calibrations = new Calibrations();
  const errorCounts = new ErrorCounts({ redis, log });
  return {
    ...{ config, log, redis, wallet, settlement, catalogue, deployments },
    providerClient: openProviderClient(config.providerClient),
    ...{ credentials, knownKeys, bodies, calibrations, metrics, errorCounts },
    batchMetrics: new BatchMetrics(),
    workbench: new Workbench(),
    responseCache: new ResponseCache({
      ...{ redis, config, log },
      memoryShare: () => settlement.redisWatch.memoryShare,
    }),
    tracing: await openTracing(config),
    storage: config.files && openStorage(config.files),
  };
}

function closeServices({ settlement, bodies, catalogue, redis, providerClient }: ProxyServices): void {
  providerClient.close();
  settlement.stop();
  bodies.stop();
  catalogue.stop();
  redis.disconnect();
}

/** Off, it costs nothing: not even its code is loaded. */
async function openTracing({ isTraced }: ProxyConfig): Promise<Tracing | undefined> {
  if (!isTraced) return undefined;
  const { startTracing } = await import('./request/tracing/start-tracing.ts');
  return startTracing({ serviceName: 'gateway-proxy' });
}
