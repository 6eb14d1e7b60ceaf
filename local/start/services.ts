/** Postgres and Redis: the user's own if an address is set, otherwise embedded ones that the supervisor watches. */
import { join } from 'node:path';
import type { LocalConfiguration } from '../configuration.ts';
import type { StateFile } from '../data/state.ts';
import type { Supervisor } from '../processes/supervise.ts';
import { startPostgres } from '../servers/postgres.ts';
import { postgresStop } from '../servers/postmaster.ts';
import { redisStop, startRedis } from '../servers/redis.ts';
import { rememberedPort } from './addresses.ts';

export interface ServiceOptions {
  configuration: LocalConfiguration;
  state: StateFile;
  supervisor: Supervisor;
  logDir: string;
  announce: (text: string) => void;
}

export interface Service {
  url: string;
  /** For the terminal, without the password. */
  place: string;
}

export async function providePostgres({ configuration, state, supervisor, logDir }: ServiceOptions): Promise<Service> {
  const { databaseUrl, dataDir } = configuration;
  if (databaseUrl !== undefined) return { url: databaseUrl, place: placeOf(databaseUrl, 'DATABASE_URL') };
  const { url } = await startPostgres({
    dataDir: join(dataDir, 'postgres'),
    port: configuration.postgresPort || (await rememberedPort(state, 'postgres')),
    logFile: join(logDir, 'postgres.log'),
    onSpawn: (child) => supervisor.add({ child, layer: 'servers', stop: postgresStop }),
  });
  return { url, place: placeOf(url, 'embedded') };
}

export async function provideRedis(options: ServiceOptions): Promise<Service> {
  const { configuration, state, supervisor, logDir, announce } = options;
  const { redisUrl, dataDir } = configuration;
  if (redisUrl !== undefined) return { url: redisUrl, place: placeOf(redisUrl.split(',')[0] ?? '', 'REDIS_URL') };
  const { url } = await startRedis({
    dataDir: join(dataDir, 'redis'),
    port: configuration.redisPort || (await rememberedPort(state, 'redis')),
    appendOnly: true,
    password: true,
    logFile: join(logDir, 'redis.log'),
    onSpawn: (child) => supervisor.add({ child, layer: 'servers', stop: redisStop }),
    announce,
  });
  return { url, place: placeOf(url, 'embedded') };
}

/** Identifies a database in the state file, without its password. */
export function databaseName({ databaseUrl }: Pick<LocalConfiguration, 'databaseUrl'>): string {
  if (databaseUrl === undefined) return 'embedded';
  const { host, pathname } = new URL(databaseUrl);
  return `${host}${pathname}`;
}

function placeOf(url: string, origin: string): string {
  return `${new URL(url).host} (${origin})`;
}
