/**
 * A real Postgres that archives its write-ahead log, can be backed up while it runs, and restored to any moment since: by
 * the steps of https://www.postgresql.org/docs/current/continuous-archiving.html, without programs of its distribution.
 */
import { mkdtempSync } from 'node:fs';
import { cp, mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import postgres from 'postgres';
import { migrateDatabase } from '../../admin/database/migrate.ts';
import { freePort } from '../../local/servers/ports.ts';
import { type RunningServer, startPostgres } from '../../local/servers/postgres.ts';
import type { TestDatabase } from '../harness/postgres.ts';

const databaseName = 'gateway';
/** Files of the running server, which a restored one makes itself. */
const notCopied = ['postmaster.pid', 'postmaster.opts', 'pg_wal', 'pg_stat_tmp'];

export class RestorablePostgres implements TestDatabase {
  readonly #directory: string;
  readonly #port: number;
  #server: RunningServer;

  private constructor(directory: string, port: number, server: RunningServer) {
    this.#directory = directory;
    this.#port = port;
    this.#server = server;
  }

  /** With a migrated database of the gateway. */
  static async start(): Promise<RestorablePostgres> {
    const directory = mkdtempSync(join(tmpdir(), 'gateway-restorable-postgres-'));
    await mkdir(archiveIn(directory));
    const port = await freePort();
    const server = await startPostgres({ dataDir: directory, port, settings: archivingTo(archiveIn(directory)) });
    const started = new RestorablePostgres(directory, port, server);
    await withClient(server.url, (client) => client.unsafe(`CREATE DATABASE ${databaseName}`));
    await migrateDatabase(started.url);
    return started;
  }

  get url(): string {
    const url = new URL(this.#server.url);
    url.pathname = `/${databaseName}`;
    return url.href;
  }

  /** What `pg_basebackup` does, while everything keeps running. */
  async takeBackup(): Promise<void> {
    await withClient(this.url, async (client) => {
      await client`SELECT pg_backup_start('rehearsal', true)`;
      await rm(this.#backup, { recursive: true, force: true });
      const isCopied = (path: string) => !notCopied.some((name) => path === join(this.#cluster, name));
      await cp(this.#cluster, this.#backup, { recursive: true, filter: isCopied });
      await mkdir(join(this.#backup, 'pg_wal'), { mode: 0o700 });
      const [stopped] = await client<{ labelfile: string }[]>`SELECT labelfile FROM pg_backup_stop()`;
      await writeFile(join(this.#backup, 'backup_label'), stopped?.labelfile ?? '');
    });
  }

  /** The server's time, to which it can be restored. */
  async now(): Promise<Date> {
    return withClient(this.url, async (client) => {
      const [row] = await client<{ now: Date }[]>`SELECT clock_timestamp() AS now`;
      if (row === undefined) throw new Error('Postgres has told no time');
      return row.now;
    });
  }

  /** Stops it, and starts the backup with the archived log up to a moment. Resolves once it accepts writes. */
  async restoreTo(moment: Date): Promise<void> {
    await this.#server.stop();
    await rename(this.#cluster, join(this.#directory, 'failed'));
    await cp(this.#backup, this.#cluster, { recursive: true });
    await writeFile(join(this.#cluster, 'recovery.signal'), '');
    this.#server = await startPostgres({
      dataDir: this.#directory,
      port: this.#port,
      settings: {
        ...archivingTo(archiveIn(this.#directory)),
        restore_command: `cp ${archiveIn(this.#directory)}/%f %p`,
        recovery_target_time: moment.toISOString().replace('T', ' ').replace('Z', '+00'),
        recovery_target_action: 'promote',
      },
    });
    await withClient(this.url, async (client) => {
      for (;;) {
        const [row] = await client<{ recovering: boolean }[]>`SELECT pg_is_in_recovery() AS recovering`;
        if (row?.recovering === false) return;
        await Bun.sleep(20);
      }
    });
  }

  async drop(): Promise<void> {
    await this.#server.stop();
    await rm(this.#directory, { recursive: true, force: true });
  }

  get #cluster(): string {
    return join(this.#directory, 'cluster');
  }

  get #backup(): string {
    return join(this.#directory, 'backup');
  }
}

const archiveIn = (directory: string) => join(directory, 'archive');

function archivingTo(archive: string): Record<string, string> {
  return {
    archive_mode: 'on',
    archive_command: `test ! -f ${archive}/%f && cp %p ${archive}/%f`,
    fsync: 'off',
    synchronous_commit: 'off',
    shared_buffers: '64MB',
  };
}

async function withClient<Result>(url: string, use: (client: postgres.Sql) => Promise<Result>): Promise<Result> {
  const client = postgres(url, { max: 1, onnotice: () => {} });
  try {
    return await use(client);
  } finally {
    await client.end({ timeout: 5 });
  }
}
