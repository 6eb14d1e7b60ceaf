/**
 * The proxy program: connects to Redis and serves /v1. On SIGTERM it announces that it leaves, then it drains and exits;
 * on SIGINT it drains at once.
 */
import { hostname } from 'node:os';
import { ConfigurationError } from '../shared/config/environment.ts';
import { loadProxyConfig, type ProxyConfig } from '../shared/config/proxy.ts';
import { keepSecretsFresh } from '../shared/config/secret-files.ts';
import { Bodies } from '../shared/http/intake/bodies.ts';
import { describeOpenMetrics } from '../shared/http/operational.ts';
import { createLog, type Log } from '../shared/log.ts';
import { warnOfServers } from '../shared/redis/check-servers.ts';
import { connectRedis, whenReady } from '../shared/redis/connect.ts';
import { Wallet } from '../shared/wallet/wallet.ts';
import { Confidence } from './admission/confidence.ts';
import { KnownKeys } from './admission/known-keys.ts';
import { ErrorCounts } from './answer/error-counts.ts';
import { watchCatalogue } from './catalogue/watch-catalogue.ts';
import type { ProgramState } from './endpoints/operational-routes.ts';
import { Calibrations } from './metering/calibration.ts';
import { loadVocabulary } from './metering/tokenizer/vocabulary.ts';
import { RequestMetrics } from './metrics/request-metrics.ts';
import { Workbench } from './request/workbench.ts';
import { type ProxyServer, startServer } from './server.ts';
import type { ProxyServices } from './services.ts';
import { startSettlement } from './settlement/settlement.ts';
import type { Tracing } from './tracing/tracing.ts';
import { Credentials } from './upstream/credentials/credentials.ts';
import { Deployments } from './upstream/health/deployments.ts';
import { startHealthReports } from './upstream/health/report-health.ts';

const flushTimeoutMs = 5_000;
const redisStartTimeoutMs = 3_000;
const tracesTimeoutMs = 1_000;

const config = readConfig();
const log = createLog({ program: 'proxy', level: config.logLevel });
const services = await openServices(config, log);
const state: ProgramState = { isLeaving: false };
let isEnding = false;
const server = listen();
log.info({ host: config.host, port: server.port }, 'proxy is listening');
keepSecretsFresh(config.secretFiles, log);
const openMetrics = describeOpenMetrics(config);
if (openMetrics !== undefined) log.warn({ host: config.host }, openMetrics);
void warnOfServers(services.redis, log);
// The name stays the same after a restart, so its report replaces the one of the previous process. Proxies that share a
// port need a name each.
const reporter = `${hostname()}:${server.port}${config.reusePort ? `:${process.pid}` : ''}`;
const healthReports = startHealthReports(services, reporter);
process.on('SIGTERM', () => void leave());
process.on('SIGINT', () => void shutDown('SIGINT', 0));
// Either may leave the process in an unknown state: let running requests end, then exit and be restarted.
process.on('unhandledRejection', (error) => {
  log.fatal({ err: error }, 'unhandled rejection');
  void shutDown('unhandled rejection', 1);
});
process.on('uncaughtException', (error) => {
  log.fatal({ err: error }, 'uncaught exception');
  void shutDown('uncaught exception', 1);
});

function listen(): ProxyServer {
  try {
    return startServer(services, state);
  } catch (error) {
    log.fatal({ err: error }, `cannot listen on ${config.host}:${config.port} (HOST, PROXY_PORT)`);
    process.exit(1);
  }
}

function readConfig(): ProxyConfig {
  try {
    return loadProxyConfig();
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    console.error(error.message);
    process.exit(1);
  }
}

async function openServices(config: ProxyConfig, log: Log): Promise<ProxyServices> {
  // Not when the first client waits for it.
  loadVocabulary();
  const redis = connectRedis(config.redisAddress, (error) => log.warn({ err: error }, 'Redis connection'));
  await whenReady(redis, redisStartTimeoutMs).catch((error: unknown) =>
    log.warn({ err: error }, 'starting without Redis'),
  );
  const wallet = new Wallet(redis);
  const [confidence, metrics] = [new Confidence(), new RequestMetrics()];
  const settlement = startSettlement({ redis, wallet, metrics, log, onNewRedis: () => confidence.clear() });
  const credentials = new Credentials(config);
  const catalogue = await watchCatalogue({ redis, log, credentials });
  const [knownKeys, bodies] = [new KnownKeys(), new Bodies({ maxBytes: config.bodiesMaxBytes })];
  const deployments = new Deployments();
  const calibrations = new Calibrations();
  const errorCounts = new ErrorCounts({ redis, log });
  return {
    ...{ config, log, redis, wallet, settlement, catalogue, deployments },
    ...{ credentials, knownKeys, confidence, bodies, calibrations, metrics, errorCounts },
    workbench: new Workbench(),
    tracing: await openTracing(config),
  };
}

/** Off, it costs nothing: not even its code is loaded. */
async function openTracing({ isTraced }: ProxyConfig): Promise<Tracing | undefined> {
  if (!isTraced) return undefined;
  const { startTracing } = await import('./tracing/start-tracing.ts');
  return startTracing({ serviceName: 'gateway-proxy' });
}

/** No longer ready, so that load balancers stop choosing this replica; until they do, new connections are served. */
async function leave(): Promise<void> {
  if (state.isLeaving) return shutDown('a second SIGTERM', 0);
  state.isLeaving = true;
  log.info({ announceMs: config.shutdown.announceMs }, 'leaving');
  await Bun.sleep(config.shutdown.announceMs);
  await shutDown('SIGTERM', 0);
}

async function shutDown(reason: string, exitCode: number): Promise<void> {
  if (isEnding) return;
  isEnding = true;
  state.isLeaving = true;
  log.info({ reason, running: services.settlement.running.size }, 'draining');
  const stopped = server.stop();
  await services.settlement.running.drain(config.shutdown.graceMs);
  const flushed = await services.settlement.replayBuffer.flush(flushTimeoutMs);
  await Promise.all([healthReports.stop(), services.errorCounts.stop()]);
  await Promise.race([services.tracing?.stop(), Bun.sleep(tracesTimeoutMs)]);
  services.settlement.stop();
  services.bodies.stop();
  services.catalogue.stop();
  if (!flushed) log.error({ decisions: services.settlement.replayBuffer.size }, 'ending with unconfirmed charges');
  await Promise.race([stopped, Bun.sleep(1_000)]);
  services.redis.disconnect();
  log.info('exited');
  process.exit(flushed ? exitCode : 1);
}
