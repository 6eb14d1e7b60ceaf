/** The proxy program: opens what it needs, serves /v1, and on SIGTERM or SIGINT drains before it ends. */
import { ConfigurationError } from '../shared/config/environment.ts';
import { loadProxyConfig, type ProxyConfig } from '../shared/config/proxy.ts';
import { createLog, type Log } from '../shared/log.ts';
import { connectRedis, whenReady } from '../shared/redis/connect.ts';
import { Wallet } from '../shared/wallet/wallet.ts';
import { watchCatalogue } from './catalogue/watch-catalogue.ts';
import { startServer } from './server.ts';
import type { ProxyServices } from './services.ts';
import { ReplayBuffer } from './settlement/replay-buffer.ts';
import { RunningRequests } from './settlement/running-requests.ts';

/** How long running requests may go on after a SIGTERM; orchestrators kill after 30 seconds by default. */
const drainTimeoutMs = 20_000;
const flushTimeoutMs = 5_000;
const redisStartTimeoutMs = 3_000;

const config = readConfig();
const log = createLog({ program: 'proxy', level: config.logLevel });
process.on('unhandledRejection', (error) => log.error({ err: error }, 'unhandled rejection'));
process.on('uncaughtException', (error) => log.error({ err: error }, 'uncaught exception'));

const services = await openServices(config, log);
const state = { draining: false };
const server = startServer(services, state);
log.info({ host: config.host, port: server.port }, 'proxy listens');
process.once('SIGTERM', () => void shutDown('SIGTERM'));
process.once('SIGINT', () => void shutDown('SIGINT'));

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
  const redis = connectRedis(config.redisUrls, (error) => log.warn({ err: error }, 'Redis connection'));
  await whenReady(redis, redisStartTimeoutMs).catch((error: unknown) =>
    log.warn({ err: error }, 'starting without Redis'),
  );
  const wallet = new Wallet(redis);
  const replayBuffer = new ReplayBuffer({ wallet, log });
  const running = new RunningRequests({ wallet, replayBuffer, log });
  const catalogue = await watchCatalogue(redis, log);
  return { config, log, redis, wallet, replayBuffer, running, catalogue };
}

async function shutDown(signal: string): Promise<void> {
  state.draining = true;
  log.info({ signal, running: services.running.size }, 'draining');
  const stopped = server.stop();
  await services.running.drain(drainTimeoutMs);
  services.running.stop();
  const flushed = await services.replayBuffer.flush(flushTimeoutMs);
  services.replayBuffer.stop();
  services.catalogue.stop();
  if (!flushed) log.error({ decisions: services.replayBuffer.size }, 'ending with unconfirmed charges');
  await Promise.race([stopped, Bun.sleep(1_000)]);
  services.redis.disconnect();
  log.info('ended');
  process.exit(flushed ? 0 : 1);
}
