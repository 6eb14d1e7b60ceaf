/** The /api program: configuration, metrics, signals, and graceful shutdown around `startAdmin`. */
import { collectDefaultMetrics, register } from 'prom-client';
import { ConfigurationError } from '../shared/config/environment.ts';
import { keepSecretsFresh } from '../shared/config/secret-files.ts';
import { killAfterMs } from '../shared/config/shutdown.ts';
import { registerEventLoopStalls } from '../shared/health/event-loop-stalls.ts';
import { describeOpenMetrics } from '../shared/http/operational.ts';
import { createLog } from '../shared/log.ts';
import { loadAdminConfig } from './config/admin.ts';
import { describeOutage, findOutage } from './database/unavailable.ts';
import { startAdmin } from './start-admin.ts';

async function main(): Promise<void> {
  const config = loadAdminConfig();
  const log = createLog({ program: 'admin', level: config.logLevel });
  collectDefaultMetrics();
  registerEventLoopStalls(register);
  const admin = await startAdmin(config, log);
  let isShuttingDown = false;
  let isEnding = false;
  keepSecretsFresh(config.secretFiles, log);
  const openMetrics = describeOpenMetrics(config);
  if (openMetrics !== undefined) log.warn({ host: config.host }, openMetrics);

  const drain = async (reason: string, exitCode: number) => {
    if (isEnding) return;
    isEnding = true;
    isShuttingDown = true;
    log.info({ reason }, 'admin is draining');
    setTimeout(() => process.exit(1), killAfterMs(config.shutdown)).unref();
    await admin.drain();
    log.info('admin has stopped');
    process.exit(exitCode);
  };
  const beginShutdown = async () => {
    if (isShuttingDown) return drain('a second SIGTERM', 0);
    isShuttingDown = true;
    admin.beginShutdown();
    log.info({ announceMs: config.shutdown.announceMs }, 'admin is exiting');
    await Bun.sleep(config.shutdown.announceMs);
    await drain('SIGTERM', 0);
  };
  process.on('SIGTERM', () => void beginShutdown());
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
