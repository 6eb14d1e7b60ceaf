/** Embedded Postgres with the real binaries, as the user who runs the tests. */
import { beforeAll, expect, test } from 'bun:test';
import { existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import postgres from 'postgres';
import { isRunning } from '../../../local/processes/identity.ts';
import { waitUntil } from '../../../local/processes/poll.ts';
import { type PostgresOptions, startPostgres } from '../../../local/servers/postgres.ts';
import { temporaryDirectories } from '../temporary-directory.ts';

const newDirectory = temporaryDirectories();
const settings = { fsync: 'off' };
const isRootOnLinux = process.platform === 'linux' && process.geteuid?.() === 0;
const testMs = 60_000;

function start(dataDir: string, options: Partial<PostgresOptions> = {}) {
  return startPostgres({ dataDir, settings, ...options });
}

async function query(url: string, text: string) {
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  try {
    return await sql.unsafe(text);
  } finally {
    await sql.end();
  }
}

/** The data of a server that has run and has stopped. */
let first: { readonly dataDir: string; readonly url: string; readonly port: number };
beforeAll(async () => {
  const dataDir = newDirectory();
  const { url, port, pid, stop } = await start(dataDir);
  await query(url, "create table kept as select 'Ж' as letter");
  await stop();
  expect(isRunning(pid)).toBe(false);
  first = { dataDir, url, port };
}, testMs);

/** A copy of it, which takes a tenth of what initdb takes. */
function usedDirectory(): string {
  const directory = newDirectory();
  expect(Bun.spawnSync(['cp', '-a', `${first.dataDir}/.`, directory]).exitCode).toBe(0);
  return directory;
}

test(
  'a second start finds the data, the password and a UTF-8 database again',
  async () => {
    const dataDir = usedDirectory();
    const second = await start(dataDir, { port: first.port });
    expect(second.url).toBe(first.url);
    const [row] = await query(
      second.url,
      "select letter, lower('Ж') as lower, current_setting('fsync') as fsync from kept",
    );
    expect({ ...row }).toEqual({ letter: 'Ж', lower: 'ж', fsync: 'off' });
    await second.stop();
  },
  testMs,
);

test.skipIf(process.platform !== 'linux')(
  'a start right after a kill waits until the killed server’s children have ended',
  async () => {
    const dataDir = usedDirectory();
    const killed = await start(dataDir);
    const sql = postgres(killed.url, { max: 1, onnotice: () => {}, onclose: () => {} });
    const [backend] = await sql<{ pid: number }[]>`SELECT pg_backend_pid() AS pid`;
    if (backend === undefined) throw new Error('there is no backend');
    // It cannot notice that its server has ended.
    process.kill(backend.pid, 'SIGSTOP');
    process.kill(killed.pid, 'SIGKILL');
    await killed.exited;
    const second = start(dataDir);
    await Bun.sleep(300);
    process.kill(backend.pid, 'SIGCONT');
    expect(await query((await second).url, 'select 1 as one')).toMatchObject([{ one: 1 }]);
    await sql.end({ timeout: 0 });
    await (await second).stop();
  },
  testMs,
);

test(
  'the embedded Postgres requires the password, listens only on loopback, and has a private folder',
  async () => {
    const dataDir = usedDirectory();
    const server = await start(dataDir);
    const guessed = new URL(server.url);
    guessed.password = 'guessed';
    await expect(query(guessed.href, 'select 1')).rejects.toThrow('password authentication failed');
    expect(await query(server.url, 'show listen_addresses')).toMatchObject([{ listen_addresses: '127.0.0.1' }]);
    expect(statSync(dataDir).mode & 0o777).toBe(0o700);
    expect(statSync(join(dataDir, 'password')).mode & 0o777).toBe(0o600);
    await server.stop();
  },
  testMs,
);

test(
  'a Postgres that a killed parent left behind is stopped before the next one starts',
  async () => {
    const dataDir = usedDirectory();
    const parent = Bun.spawn([process.execPath, join(import.meta.dir, '..', 'fakes', 'start-postgres.ts'), dataDir], {
      stdout: 'pipe',
    });
    const stalePid = Number(new TextDecoder().decode((await parent.stdout.getReader().read()).value));
    parent.kill('SIGKILL');
    await parent.exited;
    expect(isRunning(stalePid)).toBe(true);
    const server = await start(dataDir);
    expect(isRunning(stalePid)).toBe(false);
    expect(await query(server.url, 'select 1 as one')).toMatchObject([{ one: 1 }]);
    await server.stop();
  },
  testMs,
);

test(
  'a pid file that names an unrelated process is ignored, and the process is left alone',
  async () => {
    const dataDir = usedDirectory();
    const stranger = Bun.spawn(['sleep', '60']);
    writeFileSync(join(dataDir, 'cluster', 'postmaster.pid'), `${stranger.pid}\n${dataDir}\n`);
    const server = await start(dataDir);
    expect(isRunning(stranger.pid)).toBe(true);
    await server.stop();
    stranger.kill();
  },
  testMs,
);

test(
  'an interrupted initdb is done again',
  async () => {
    const dataDir = newDirectory();
    mkdirSync(join(dataDir, 'cluster.new-half', 'cluster'), { recursive: true });
    writeFileSync(join(dataDir, 'cluster.new-half', 'cluster', 'PG_VERSION'), '18\n');
    const server = await start(dataDir);
    expect(await query(server.url, 'select 1 as one')).toMatchObject([{ one: 1 }]);
    expect(existsSync(join(dataDir, 'cluster.new-half'))).toBe(false);
    await server.stop();
  },
  testMs,
);

test(
  'a failed start reports Postgres’ own message',
  async () => {
    const failing = start(usedDirectory(), { settings: { fsync: 'off', shared_buffers: 'nonsense' } });
    await expect(failing).rejects.toThrow('invalid value for parameter "shared_buffers"');
  },
  testMs,
);

test.if(isRootOnLinux)(
  'root can switch between a user namespace and the user nobody, and keeps the data',
  async () => {
    const dataDir = newDirectory();
    const kinds = ['nobody', 'namespace', 'nobody'] as const;
    for (const account of kinds) {
      const server = await start(dataDir, { account });
      await query(server.url, 'create table if not exists visits(); insert into visits default values');
      await server.stop();
    }
    const server = await start(dataDir);
    expect(await query(server.url, 'select count(*)::int as visits from visits')).toMatchObject([
      { visits: kinds.length },
    ]);
    await server.stop();
    expect(await waitUntil(() => !isRunning(server.pid), { timeoutMs: 1_000 })).toBe(true);
  },
  testMs,
);
