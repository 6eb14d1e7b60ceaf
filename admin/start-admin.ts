/**
 * Admin as one: configuration in; services, workers and server out. It does not migrate the database; `gateway migrate`
 * does, once per release, and a replica that finds an older schema does not start.
 */
import { ConfigurationError } from '../shared/config/environment.ts';
import type { Log } from '../shared/log.ts';
import { findServerProblems, warnOfServers } from '../shared/redis/check-servers.ts';
import { type RedisClient, whenReady } from '../shared/redis/connect.ts';
import { PasswordHasher } from './auth/passwords/password-hasher.ts';
import type { AdminConfig } from './config/admin.ts';
import { readSchemaState } from './database/migrate.ts';
import { createServer } from './server.ts';
import { closeServices, openServices } from './services.ts';
import { startWorkers } from './workers/start-workers.ts';

const redisStartTimeoutMs = 2_000;

export interface RunningAdmin {
  /** No longer ready, so that load balancers stop choosing this replica; new connections are still served. */
  beginShutdown(): void;
  /** Lets requests end, then closes everything. */
  drain(): Promise<void>;
  /** Closes everything now, connections with a running request too. */
  end(): Promise<void>;
}

interface AdminOptions {
  readonly passwords?: PasswordHasher;
  /** To Postgres, of each pool. */
  readonly connections?: number;
}

/** Throws ConfigurationError for an older schema or an unfit Redis; then everything is closed again. */
export async function startAdmin(
  config: AdminConfig,
  log: Log,
  { passwords = new PasswordHasher(), connections }: AdminOptions = {},
): Promise<RunningAdmin> {
  const services = openServices(config, log, connections === undefined ? {} : { connections });
  try {
    const { missing } = await readSchemaState(services.database.sql);
    if (missing.length > 0) {
      throw new ConfigurationError([
        `the database is missing ${missing.join(', ')}: run \`bun run gateway migrate\` first`,
      ]);
    }
    const unfit = await unfitServers(services.redis);
    if (unfit.length > 0) throw new ConfigurationError(unfit);
  } catch (error) {
    await closeServices(services);
    throw error;
  }
  const workers = startWorkers({ ...services, database: services.backgroundDatabase });
  let isShuttingDown = false;
  const lifecycle = { workersReady: () => workers.ready(), shuttingDown: () => isShuttingDown };
  const server = createServer(services, lifecycle, passwords);
  server.listen({ hostname: config.host, port: config.port });
  log.info({ url: String(server.server?.url) }, 'admin is listening');
  void warnOfServers(services.redis, log);
  const stop = async (closesConnections: boolean) => {
    isShuttingDown = true;
    // Streams of events would keep their connections open.
    services.events.stop();
    await Promise.all([server.server?.stop(closesConnections), workers.stop()]);
    await closeServices(services);
  };
  return {
    beginShutdown: () => {
      isShuttingDown = true;
    },
    drain: () => stop(false),
    end: () => stop(true),
  };
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
