/**
 * Runs a real Postgres from the npm package, on a data folder of its own, for `npm start` and for the tests.
 *
 * Invariants: it listens on 127.0.0.1 only and requires a random password; one data folder has one Postgres, so one
 * that an earlier, killed parent left running is ended first.
 */
import { join, resolve } from 'node:path';
import { makePrivateDirectory, readOrMakeSecret } from '../data/private-file.ts';
import { randomSecret } from '../data/random.ts';
import { type Child, startChild } from '../processes/child.ts';
import { waitUntilReady } from '../processes/ready.ts';
import { freePort } from './ports.ts';
import { type AccountKind, choosePostgresAccount } from './postgres-account.ts';
import { findPostgresBinaries } from './postgres-binaries.ts';
import { ensureCluster, serverEnvironment, superuser } from './postgres-cluster.ts';
import { endStalePostmaster, postgresStop, readyPostmaster } from './postmaster.ts';

const readyMs = 60_000;

export interface PostgresOptions {
  /** Its own folder; made private. */
  dataDir: string;
  /** A free one if absent or 0. */
  port?: number;
  /** Further settings of postgresql.conf, such as `{ fsync: 'off' }`. */
  settings?: Readonly<Record<string, string>>;
  /** The log file; `postgres.log` in the data folder if absent. */
  logFile?: string;
  /** The user that runs it; if absent, chosen by what the machine allows. */
  account?: AccountKind;
  /** Called as soon as the process exists, long before it is ready. */
  onSpawn?: (child: Child) => void;
}

export interface RunningServer {
  url: string;
  port: number;
  pid: number;
  /** Resolves with how the process ended. */
  exited: Promise<string>;
  stop(): Promise<void>;
}

/** Resolves when Postgres accepts connections; rejects with its last messages if it does not start. */
export async function startPostgres(options: PostgresOptions): Promise<RunningServer> {
  const dataDir = resolve(options.dataDir);
  makePrivateDirectory(dataDir);
  const binaries = findPostgresBinaries();
  const account = choosePostgresAccount({ binaries, dataDir, ...(options.account ? { kind: options.account } : {}) });
  const password = readOrMakeSecret(join(dataDir, 'password'), randomSecret);
  const isDurable = options.settings?.fsync !== 'off';
  await endStalePostmaster(join(dataDir, 'cluster'));
  const cluster = await ensureCluster({ dataDir, initdb: binaries.initdb, account, password, isDurable });
  const port = options.port || (await freePort());
  const child = startChild({
    name: 'postgres',
    command: [...account.prefix, binaries.postgres, ...serverArguments(cluster, port, options.settings ?? {})],
    directory: '/',
    environment: serverEnvironment(),
    logFile: options.logFile ?? join(dataDir, 'postgres.log'),
  });
  options.onSpawn?.(child);
  const isReady = () => readyPostmaster(cluster) !== undefined;
  await waitUntilReady(child, { isReady, timeoutMs: readyMs, everyMs: 10, stop: postgresStop });
  return {
    url: `postgres://${superuser}:${password}@127.0.0.1:${port}/postgres`,
    port,
    pid: child.pid,
    exited: child.exited,
    stop: () => child.stop(postgresStop),
  };
}

function serverArguments(cluster: string, port: number, settings: Readonly<Record<string, string>>): string[] {
  const all = {
    listen_addresses: '127.0.0.1',
    port: String(port),
    unix_socket_directories: '',
    max_connections: '200',
    timezone: 'UTC',
    log_timezone: 'UTC',
    ...settings,
  };
  return ['-D', cluster, ...Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`])];
}
