/**
 * The /api program: configuration, services, workers, server, and graceful shutdown. It does not migrate the database;
 * `gateway migrate` does, once per release, and a replica that finds an older schema does not start.
 */
import { collectDefaultMetrics, register } from 'prom-client';
import { loadAdminConfig } from '../shared/config/admin.ts';
import { ConfigurationError } from '../shared/config/environment.ts';
import { keepSecretsFresh } from '../shared/config/secret-files.ts';
import { killAfterMs } from '../shared/config/shutdown.ts';
import { registerEventLoopStalls } from '../shared/health/event-loop-stalls.ts';
import { describeOpenMetrics } from '../shared/http/operational.ts';
import { createLog } from '../shared/log.ts';
import { findServerProblems, warnOfServers } from '../shared/redis/check-servers.ts';
import { type RedisClient, whenReady } from '../shared/redis/connect.ts';
import { readSchemaState } from './database/migrate.ts';
import { describeOutage, findOutage } from './database/unavailable.ts';
import { createServer } from './server.ts';
import { closeServices, openServices } from './services.ts';
import { startWorkers } from './workers/start-workers.ts';

const redisStartTimeoutMs = 2_000;

async function main(): Promise<void> {
  const config = loadAdminConfig();
  const log = createLog({ program: 'admin', level: config.logLevel });
  const services = openServices(config, log);
  const { missing } = await readSchemaState(services.database.sql);
  if (missing.length > 0) {
    throw new ConfigurationError([
      `the database is missing ${missing.join(', ')}: run \`bun run gateway migrate\` first`,
    ]);
  }
  const unfit = await unfitServers(services.redis);
  if (unfit.length > 0) throw new ConfigurationError(unfit);
  collectDefaultMetrics();
  registerEventLoopStalls(register);
  const workers = startWorkers({ ...services, database: services.backgroundDatabase });
  let isLeaving = false;
  let isEnding = false;
  const server = createServer(services, { workersReady: () => workers.ready(), leaving: () => isLeaving });
  server.listen({ hostname: config.host, port: config.port });
  log.info({ url: String(server.server?.url) }, 'admin is listening');
  keepSecretsFresh(config.secretFiles, log);
  const openMetrics = describeOpenMetrics(config);
  if (openMetrics !== undefined) log.warn({ host: config.host }, openMetrics);
  void warnOfServers(services.redis, log);

  const drain = async (reason: string, exitCode: number) => {
    if (isEnding) return;
    isEnding = true;
    isLeaving = true;
    log.info({ reason }, 'admin is draining');
    setTimeout(() => process.exit(1), killAfterMs(config.shutdown)).unref();
    // Streams of events would keep their connections open.
    services.events.stop();
    await Promise.all([server.server?.stop(false), workers.stop()]);
    await closeServices(services);
    log.info('admin has stopped');
    process.exit(exitCode);
  };
  // No longer ready, so that load balancers stop choosing this replica; until they do, new connections are served.
  const leave = async () => {
    if (isLeaving) return drain('a second SIGTERM', 0);
    isLeaving = true;
    log.info({ announceMs: config.shutdown.announceMs }, 'admin is leaving');
    await Bun.sleep(config.shutdown.announceMs);
    await drain('SIGTERM', 0);
  };
  process.on('SIGTERM', () => void leave());
  process.on('SIGINT', () => void drain('SIGINT', 0));
  // Either one leaves the process in an undefined state: drain and exit.
  process.on('unhandledRejection', (error) => {
    log.fatal({ err: error }, 'unhandled rejection');
    void drain('unhandled rejection', 1);
  });
  process.on('uncaughtException', (error) => {
    log.fatal({ err: error }, 'uncaught exception');
    void drain('uncaught exception', 1);
  });
}

/** Admin starts without Redis and waits for it, but refuses to start with one that may evict wallets. */
async function unfitServers(redis: RedisClient): Promise<string[]> {
  try {
    await whenReady(redis, redisStartTimeoutMs);
    return await findServerProblems(redis);
  } catch {
    return [];
  }
}

try {
  await main();
} catch (error) {
  const outage = findOutage(error);
  const reason = outage === undefined ? expectedReason(error) : describeOutage(outage);
  console.error(reason === undefined ? error : `admin cannot start. ${reason}`);
  process.exit(1);
}

/** Bad configuration or a port in use: the message is sufficient. */
function expectedReason(error: unknown): string | undefined {
  const isExpected = error instanceof ConfigurationError || (error instanceof Error && 'code' in error);
  return isExpected ? error.message : undefined;
}
