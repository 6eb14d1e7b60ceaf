/**
 * What the pool does when Postgres is unreachable, stops or is too slow: every wait ends, nothing of a lost transaction
 * is applied, and the pool works as before once Postgres is back.
 */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { createServer, type Server, type Socket } from 'node:net';
import type { Sql, TransactionSql } from 'postgres';
import { connectDatabase, openPool, type WaitLimits } from '../../../admin/database/connect.ts';
import { findOutage } from '../../../admin/database/unavailable.ts';
import { guardTimeoutMs, waitFor } from '../../harness/account-view.ts';
import { createTestDatabase, type TestDatabase } from '../../harness/postgres.ts';

const shortest: WaitLimits = { connectSeconds: 3, responseSeconds: 3, statementMs: 10_000 };
const patient: WaitLimits = { connectSeconds: 30, responseSeconds: 60, statementMs: 60_000 };
const connections = 2;
const waitMs = 10_000;

let testDatabase: TestDatabase;
/** Observes the pool from outside. */
let observer: Sql;
beforeAll(async () => {
  testDatabase = await createTestDatabase();
  observer = openPool(testDatabase.url, patient, { max: 1 });
  await observer`CREATE TABLE marks (text text)`;
});
afterAll(async () => {
  await observer.end({ timeout: 1 });
  await testDatabase.drop();
});

type TestPool = Sql & AsyncDisposable;

function openTestPool(waits: WaitLimits, max = connections): TestPool {
  const pool = openPool(testDatabase.url, waits, { max });
  return Object.assign(pool, { [Symbol.asyncDispose]: () => pool.end({ timeout: 1 }) });
}

test('the rest of a transaction is not sent through another connection when its own is lost', async () => {
  await using pool = openTestPool(patient);
  const rest = Promise.withResolvers<unknown>();
  const transaction = pool.begin(async (inside) => {
    await inside`INSERT INTO marks VALUES ('before')`;
    await endBackend(inside);
    // One per connection, so that the lost one is reopened.
    await Promise.all(Array.from({ length: connections }, () => pool`SELECT pg_sleep(0.1)`));
    const insert = inside`INSERT INTO marks VALUES ('after')`.catch((error: unknown) => error);
    rest.resolve(await insert);
  });
  expect(findOutage(await failureOf(transaction))).toBeDefined();
  expect(findOutage(await rest.promise)).toBeDefined();
  expect(await observer`SELECT text FROM marks`).toHaveLength(0);
});

test('transactions that lose their connections cost the pool none, and the process keeps running', async () => {
  await using pool = openTestPool(patient);
  for (let round = 0; round < 3 * connections; round += 1) {
    const transaction = pool.begin(async (inside) => {
      await endBackend(inside);
      await inside`SELECT 1`;
    });
    expect(findOutage(await failureOf(transaction))).toBeDefined();
  }
  await expectWholePool(pool);
});

test('a statement that loses its connection fails, and the next ones succeed', async () => {
  await using pool = openTestPool(patient);
  for (let round = 0; round < 2 * connections; round += 1) {
    const running = failureOf(pool`SELECT pg_sleep(60)`);
    await endBackendsThat(/pg_sleep/);
    expect(findOutage(await running)).toBeDefined();
  }
  await expectWholePool(pool);
});

test('a cursor whose connection is lost between two batches fails instead of ending early', async () => {
  await using pool = openTestPool(patient);
  const read: number[] = [];
  const reading = async () => {
    for await (const rows of pool<{ n: number }[]>`SELECT n FROM generate_series(1, 30) AS n`.cursor(10)) {
      read.push(...rows.map(({ n }) => n));
      await endBackendsThat(/generate_series/);
    }
  };
  expect(findOutage(await failureOf(reading()))).toBeDefined();
  expect(read).toHaveLength(10);
  await expectWholePool(pool);
});

test.concurrent('the wait for a stopped server ends, inside and outside of a transaction', async () => {
  await using pool = openTestPool(shortest);
  const backend = await pidOf(pool);
  process.kill(backend, 'SIGSTOP');
  try {
    expect(await failureOf(pool`SELECT 1`)).toMatchObject({ code: 'ANSWER_TIMEOUT' });
  } finally {
    process.kill(backend, 'SIGCONT');
  }
  const stopped = Promise.withResolvers<number>();
  const transaction = pool.begin(async (inside) => {
    const inner = await pidOf(inside);
    process.kill(inner, 'SIGSTOP');
    stopped.resolve(inner);
    await inside`SELECT 1`;
  });
  try {
    expect(findOutage(await failureOf(transaction))).toBeDefined();
  } finally {
    process.kill(await stopped.promise, 'SIGCONT');
  }
  await expectWholePool(pool);
});

test.concurrent('the wait for a free connection ends, and an abandoned statement does not run later', async () => {
  await using pool = openTestPool(shortest);
  const release = Promise.withResolvers<void>();
  const holders = Array.from({ length: connections }, () => pool.begin(() => release.promise));
  const waiting = pool`INSERT INTO marks VALUES ('late')`;
  expect(await failureOf(waiting)).toMatchObject({ code: 'ANSWER_TIMEOUT' });
  release.resolve();
  await Promise.all(holders);
  await expectWholePool(pool);
  expect(await observer`SELECT text FROM marks`).toHaveLength(0);
});

test.concurrent('Postgres ends a statement whose caller has given up', async () => {
  const database = connectDatabase(testDatabase.url, { connections: 1, waits: { ...shortest, statementMs: 600_000 } });
  expect(await failureOf(database.sql`SELECT pg_sleep(599)`)).toMatchObject({ code: 'ANSWER_TIMEOUT' });
  const running = () => observer`
    SELECT FROM pg_stat_activity WHERE query LIKE '%pg_sleep(599)%' AND state = 'active' AND pid <> pg_backend_pid()`;
  expect(await running()).toHaveLength(1);
  await waitFor('the statement to end', guardTimeoutMs, async () => (await running()).length === 0);
  await database.close();
});

test.concurrent.each([
  ['accepts and says nothing', () => {}],
  ['accepts and hangs up', (socket: Socket) => void socket.destroy()],
  ['answers nonsense and hangs up', (socket: Socket) => void socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')],
])('the wait for a server that %s ends', async (_what, greet) => {
  const server = createServer((socket) => {
    socket.on('error', () => {});
    greet(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `postgres://127.0.0.1:${portOf(server)}/x`;
  const nowhere = openPool(url, shortest, { max: 1 });
  try {
    const failures = await Promise.all([1, 2, 3].map(() => failureOf(nowhere`SELECT 1`)));
    expect(failures.filter((failure) => findOutage(failure) === undefined)).toEqual([]);
  } finally {
    await nowhere.end({ timeout: 0 });
    server.close();
  }
});

test('a slow statement is ended by Postgres, and its connection is kept', async () => {
  await using pool = openTestPool(patient, 1);
  const before = await pidOf(pool);
  const slow = pool.begin(async (inside) => {
    await inside`SET LOCAL statement_timeout = 50`;
    await inside`SELECT pg_sleep(60)`;
  });
  const failure = await failureOf(slow);
  expect(failure).toMatchObject({ code: '57014' });
  expect(findOutage(failure)).toBeDefined();
  expect(await pidOf(pool)).toBe(before);
});

test('errors other than lost connections are not reported as an outage', async () => {
  await using pool = openTestPool(patient);
  expect(findOutage(await failureOf(pool`SELECT 1 / 0`))).toBeUndefined();
  expect(findOutage(await failureOf(pool`SELECT FROM nowhere`))).toBeUndefined();
  expect(findOutage(Object.assign(new Error('of another service'), { code: 'ECONNREFUSED' }))).toBeUndefined();
});

/** Connections that were given up are reopened, until all of the pool are used at the same time. */
async function expectWholePool(pool: Sql): Promise<void> {
  await waitFor('the pool to be whole', waitMs, async () => {
    const rows = Array.from({ length: connections }, () => pool`SELECT pg_backend_pid() AS pid, pg_sleep(0.2)`);
    const settled = await Promise.allSettled(rows);
    const pids = settled.map((result) => (result.status === 'fulfilled' ? result.value[0]?.pid : undefined));
    return pids.every((pid) => pid !== undefined) && new Set(pids).size === connections;
  });
}

/** Terminates the session of an open transaction, and waits until Postgres has removed it. */
async function endBackend(inside: TransactionSql): Promise<void> {
  const pid = await pidOf(inside);
  await observer`SELECT pg_terminate_backend(${pid}, ${waitMs})`;
}

/** Terminates a backend of the pool, once there is one whose last statement matches. */
async function endBackendsThat(statement: RegExp): Promise<void> {
  await waitFor('a backend to end', waitMs, async () => {
    const ended = await observer`
      SELECT pg_terminate_backend(pid, ${waitMs}) FROM pg_stat_activity
      WHERE datname = current_database() AND pid <> pg_backend_pid() AND query ~ ${statement.source}`;
    return ended.length > 0;
  });
}

async function pidOf(sql: Sql | TransactionSql): Promise<number> {
  const [row] = await sql<{ pid: number }[]>`SELECT pg_backend_pid() AS pid`;
  return row?.pid ?? 0;
}

async function failureOf(work: PromiseLike<unknown>): Promise<unknown> {
  try {
    await work;
  } catch (error) {
    return error;
  }
  throw new Error('nothing failed');
}

function portOf(server: Server): number {
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}
