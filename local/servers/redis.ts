/**
 * Runs a real redis-server on a data folder of its own, for `npm start` and for the tests.
 *
 * Invariants: it listens on 127.0.0.1 only; it never evicts, because its data is money; one data folder has one
 * Redis, so one that an earlier, killed parent left running is ended first. The password is in a private file and
 * never on a command line.
 */
import { totalmem } from 'node:os';
import { join, resolve } from 'node:path';
import { RedisClient } from 'bun';
import { makePrivateDirectory, readOrMakeSecret, writePrivateFile } from '../data/private-file.ts';
import { randomSecret } from '../data/random.ts';
import { type Child, startChild } from '../processes/child.ts';
import { waitUntilReady } from '../processes/ready.ts';
import { endRecorded, recordOf, writeRecords } from '../processes/record.ts';
import { freePort } from './ports.ts';
import type { RunningServer } from './postgres.ts';
import { ensureRedisServer } from './redis-install.ts';

/** Redis writes its append-only file before it exits. */
export const redisStop = { signal: 'SIGTERM', graceMs: 30_000 } as const;

const readyMs = 60_000;
const pingMs = 1_000;

export interface RedisOptions {
  /** Its own folder; made private. */
  dataDir: string;
  /** A free one if absent or 0. */
  port?: number;
  /** True for data that survives a restart; at most the last second is lost in a power cut. */
  appendOnly?: boolean;
  /** True to require a random password, which is then part of the URL. */
  password?: boolean;
  /** Further options of redis-server's command line, such as `['--cluster-enabled', 'yes']`. */
  extraArguments?: string[];
  /** Further variables of its environment. */
  environment?: Readonly<Record<string, string>>;
  /** The log file; `redis.log` in the data folder if absent. */
  logFile?: string;
  /** Called as soon as the process exists, long before it is ready. */
  onSpawn?: (child: Child) => void;
  /** Called if redis-server has to be installed first. */
  announce?: (text: string) => void;
}

/** Resolves when Redis responds to PING; rejects with its last messages if it does not start. */
export async function startRedis(options: RedisOptions): Promise<RunningServer> {
  const dataDir = resolve(options.dataDir);
  makePrivateDirectory(dataDir);
  const recordFile = join(dataDir, 'process.json');
  await endRecorded(recordFile);
  const program = await ensureRedisServer(options.announce);
  const port = options.port || (await freePort());
  const password = options.password ? readOrMakeSecret(join(dataDir, 'password'), randomSecret) : undefined;
  const configurationFile = join(dataDir, 'redis.conf');
  writePrivateFile(
    configurationFile,
    configuration({ dataDir, port, password, isDurable: options.appendOnly ?? false }),
  );
  const child = startChild({
    name: 'redis',
    command: [program, configurationFile, ...(options.extraArguments ?? [])],
    directory: dataDir,
    environment: { PATH: '/usr/local/bin:/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC', ...options.environment },
    logFile: options.logFile ?? join(dataDir, 'redis.log'),
  });
  const record = recordOf({ name: 'redis', pid: child.pid, ...redisStop });
  writeRecords(recordFile, record === undefined ? [] : [record]);
  options.onSpawn?.(child);
  const url = `redis://${password === undefined ? '' : `:${password}@`}127.0.0.1:${port}`;
  await waitUntilReady(child, { isReady: () => respondsToPing(url), timeoutMs: readyMs, everyMs: 10, stop: redisStop });
  return { url, port, pid: child.pid, exited: child.exited, stop: () => child.stop(redisStop) };
}

function configuration(options: {
  dataDir: string;
  port: number;
  password: string | undefined;
  isDurable: boolean;
}): string {
  const lines = [
    'bind 127.0.0.1',
    `port ${options.port}`,
    `dir "${options.dataDir.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`,
    'daemonize no',
    // Rewriting the append-only file can take as much memory again.
    `maxmemory ${Math.floor(totalmem() / 2)}`,
    'maxmemory-policy noeviction',
    // The append-only file is enough; a snapshot in addition would only cost a fork.
    'save ""',
    `appendonly ${options.isDurable ? 'yes' : 'no'}`,
    'appendfsync everysec',
    ...(options.password === undefined ? [] : [`requirepass ${options.password}`]),
  ];
  return `${lines.join('\n')}\n`;
}

/** Also false while Redis is still loading its append-only file. */
async function respondsToPing(url: string): Promise<boolean> {
  const client = new RedisClient(url, { connectionTimeout: pingMs, autoReconnect: false, enableOfflineQueue: true });
  try {
    return (await client.ping()) === 'PONG';
  } catch {
    return false;
  } finally {
    client.close();
  }
}
