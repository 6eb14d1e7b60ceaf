/**
 * The files of an embedded Postgres: created once, and owned by the user that runs Postgres.
 *
 * Invariant: the folder `cluster` exists only after initdb has finished; initdb works in a draft folder, which is then
 * renamed, so an interrupted start is simply repeated. An initdb whose parent was killed keeps running,
 * so it is recorded and ended before the next one starts.
 */
import { chownSync, existsSync, lstatSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { endRecorded, recordOf, writeRecords } from '../processes/record.ts';
import type { PostgresAccount } from './postgres-account.ts';

export const superuser = 'gateway';

const workshopPrefix = 'cluster.new-';
const initdbStopMs = 5_000;

export interface ClusterOptions {
  dataDir: string;
  initdb: string;
  account: PostgresAccount;
  password: string;
  /** False for data that need not survive a power cut. */
  isDurable: boolean;
}

/** Creates the cluster if there is none, and returns its folder. */
export async function ensureCluster(options: ClusterOptions): Promise<string> {
  const cluster = join(options.dataDir, 'cluster');
  if (!existsSync(join(cluster, 'PG_VERSION'))) await makeCluster(cluster, options);
  giveTo(cluster, options.account.ownerId);
  return cluster;
}

async function makeCluster(cluster: string, options: ClusterOptions): Promise<void> {
  const recordFile = join(options.dataDir, 'initdb.json');
  await endRecorded(recordFile);
  removeWorkshops(options.dataDir);
  const workshop = mkdtempSync(join(options.dataDir, workshopPrefix));
  const draft = join(workshop, 'cluster');
  const passwordFile = join(workshop, 'password');
  writeFileSync(passwordFile, `${options.password}\n`, { mode: 0o600 });
  giveTo(workshop, options.account.ownerId);
  const command = [...options.account.prefix, options.initdb];
  await runInitdb(command, { draft, passwordFile, recordFile, isDurable: options.isDurable });
  renameSync(draft, cluster);
  removeWorkshops(options.dataDir);
}

function removeWorkshops(dataDir: string): void {
  for (const name of readdirSync(dataDir)) {
    // A child of the ended initdb may still be writing, hence the retries.
    if (name.startsWith(workshopPrefix)) rmSync(join(dataDir, name), { recursive: true, maxRetries: 20 });
  }
}

async function runInitdb(
  command: string[],
  options: { draft: string; passwordFile: string; recordFile: string; isDurable: boolean },
): Promise<void> {
  const args = [
    `--pgdata=${options.draft}`,
    `--pwfile=${options.passwordFile}`,
    `--username=${superuser}`,
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    // Postgres's built-in locale: the same everywhere, regardless of what the system has installed.
    '--locale=C',
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
    '--no-instructions',
    ...(options.isDurable ? [] : ['--no-sync']),
  ];
  const child = Bun.spawn([...command, ...args], {
    env: serverEnvironment(),
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
    detached: true,
  });
  const record = recordOf({ name: 'initdb', pid: child.pid, signal: 'SIGTERM', graceMs: initdbStopMs });
  writeRecords(options.recordFile, record === undefined ? [] : [record]);
  const [output, problems] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
  if (child.exitCode !== 0) throw new Error(`initdb could not create a database:\n${output}${problems}`.trimEnd());
}

/** Postgres reads many settings from the environment; those for the user's own Postgres must not affect this one. */
export function serverEnvironment(): Record<string, string> {
  return { PATH: '/usr/local/bin:/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' };
}

/** Postgres must own its data; only root can change the owner, and only root needs to. */
function giveTo(path: string, ownerId: number): void {
  const status = lstatSync(path);
  if (status.uid === ownerId) return;
  if (status.isDirectory()) for (const name of readdirSync(path)) giveTo(join(path, name), ownerId);
  chownSync(path, ownerId, ownerId);
}
