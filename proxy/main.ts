/**
 * The proxy program: configuration, the metrics of its process, and signals around `startProxy`. On SIGTERM it announces
 * that it leaves, then it drains and exits; on SIGINT it drains right away.
 */
import { collectDefaultMetrics, Registry } from 'prom-client';
import { ConfigurationError } from '../shared/config/environment.ts';
import { loadProxyConfig, type ProxyConfig } from '../shared/config/proxy.ts';
import { keepSecretsFresh } from '../shared/config/secret-files.ts';
import { registerEventLoopStalls } from '../shared/health/event-loop-stalls.ts';
import { describeOpenMetrics } from '../shared/http/operational.ts';
import { createLog } from '../shared/log.ts';
import { ListenError, type RunningProxy, startProxy } from './start-proxy.ts';

const config = readConfig();
const log = createLog({ program: 'proxy', level: config.logLevel });
const registry = new Registry();
collectDefaultMetrics({ register: registry });
registerEventLoopStalls(registry);
const proxy = await start();
let isShuttingDown = false;
let isEnding = false;
keepSecretsFresh(config.secretFiles, log);
const openMetrics = describeOpenMetrics(config);
if (openMetrics !== undefined) log.warn({ host: config.host }, openMetrics);
process.on('SIGTERM', () => void beginShutdown());
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

function readConfig(): ProxyConfig {
  try {
    return loadProxyConfig();
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    console.error(error.message);
    process.exit(1);
  }
}

async function start(): Promise<RunningProxy> {
  try {
    return await startProxy(config, log, { registry });
  } catch (error) {
    if (!(error instanceof ListenError)) throw error;
    log.fatal({ err: error.cause }, error.message);
    process.exit(1);
  }
}

/** No longer ready, so that load balancers stop choosing this replica; until they do, new connections are served. */
async function beginShutdown(): Promise<void> {
  if (isShuttingDown) return shutDown('a second SIGTERM', 0);
  isShuttingDown = true;
  proxy.beginShutdown();
  log.info({ announceMs: config.shutdown.announceMs }, 'leaving');
  await Bun.sleep(config.shutdown.announceMs);
  await shutDown('SIGTERM', 0);
}

async function shutDown(reason: string, exitCode: number): Promise<void> {
  if (isEnding) return;
  isEnding = true;
  isShuttingDown = true;
  log.info({ reason, running: proxy.running() }, 'draining');
  const isFlushed = await proxy.drain();
  log.info('exited');
  process.exit(isFlushed ? exitCode : 1);
}
