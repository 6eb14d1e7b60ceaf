/** When months are sealed and compared with their seals, what keeps them from being sealed, and what operators see of it. */
import { afterEach, beforeEach, expect, test } from 'bun:test';
import { join } from 'node:path';
import { makePartitions } from '../../../../admin/database/partitions.ts';
import { UsageArchive } from '../../../../admin/ledger/archive/usage-archive.ts';
import { keepSealed } from '../../../../admin/ledger/seals/keep-sealed.ts';
import { sealDue } from '../../../../admin/ledger/seals/seal-due.ts';
import { verifyMonth } from '../../../../admin/ledger/seals/verify-month.ts';
import { checkBooks, findViolation } from '../../../../admin/wallets/reconcile/checks/check-books.ts';
import { createLog } from '../../../../shared/log.ts';
import { allShards } from '../../../../shared/wallet/shard.ts';
import { keysOfShard } from '../../../../shared/wallet/wallet-keys.ts';
import { type Harness, startHarness } from '../../../harness.ts';
import { type Gateway, gatewayOf } from '../../cli/run-gateway.ts';
import { bookPast, makePrice, payPast } from '../past-charges.ts';

const january = new Date('2026-01-10T00:00:00Z');
/** A week after the end of February. */
const march = new Date('2026-03-08T00:00:00Z');
const hourMs = 3_600_000;
const log = createLog({ program: 'test', level: 'silent' });
const { signal } = new AbortController();

let harness: Harness;
let gateway: Gateway;
beforeEach(async () => {
  harness = await startHarness();
  gateway = gatewayOf(harness);
  const { database } = harness;
  const { accountId } = await harness.createCustomer({ usd: '0' });
  await makePartitions(database.sql, january);
  await payPast(database, { accountId, amountNano: 1_000_000n, at: january });
  const priceVersion = await makePrice(database);
  await bookPast(database, { accountId, priceVersion, from: january, count: 90, numbered: 0 });
});
afterEach(() => harness.stop());

const work = () => {
  const { sql } = harness.database;
  const archive = new UsageArchive(undefined);
  return { sql, archive, redis: harness.redis, log, now: march, findViolation: () => findViolation(sql) };
};
const sealedMonths = async () =>
  (
    await harness.database.sql<{ month: string }[]>`
    SELECT month::text FROM sealed_months WHERE finished_at IS NOT NULL ORDER BY month`
  ).map(({ month }) => month);
const checks = async () =>
  (await harness.database.sql<{ month: string }[]>`SELECT month::text FROM seal_checks ORDER BY month`).map(
    ({ month }) => month,
  );

test('the replica in charge seals what is due, and compares one month an hour', async () => {
  let nowMs = 0;
  const step = keepSealed(work(), () => nowMs);
  await step({ inCharge: false, signal });
  expect(await sealedMonths()).toEqual([]);
  await step({ inCharge: true, signal });
  expect(await sealedMonths()).toEqual(['2026-01-01', '2026-02-01']);
  expect(await checks()).toEqual(['2026-01-01']);
  nowMs = hourMs;
  // Another replica has compared a month a moment ago.
  await step({ inCharge: true, signal });
  expect(await checks()).toEqual(['2026-01-01']);
  await harness.database.sql`UPDATE seal_checks SET checked_at = checked_at - interval '1 hour'`;
  await step({ inCharge: true, signal });
  expect(await checks()).toEqual(['2026-01-01']);
  nowMs = 2 * hourMs;
  await step({ inCharge: true, signal });
  expect(await checks()).toEqual(['2026-01-01', '2026-02-01']);
});

test('a turn that fails is taken again, before the hour is over', async () => {
  let [isAway, asked] = [true, 0];
  const findViolation = () => {
    asked += 1;
    return isAway ? Promise.reject(new Error('Postgres is away')) : Promise.resolve(undefined);
  };
  const step = keepSealed({ ...work(), findViolation });
  await expect(step({ inCharge: true, signal })).rejects.toThrow('Postgres is away');
  isAway = false;
  await step({ inCharge: true, signal });
  expect(await sealedMonths()).toEqual(['2026-01-01', '2026-02-01']);
  // Once for both months.
  expect(asked).toBe(2);
});

test('a month is not due before a week has passed', async () => {
  expect(await sealDue({ ...work(), now: new Date(march.getTime() - 1) })).toMatchObject({
    sealed: [{ month: '2026-01' }],
    waiting: undefined,
  });
});

test('a month waits while anything of it may be on its way, or does not agree', async () => {
  const { redis, database } = harness;
  const [shard = 0] = allShards;
  const { usage } = keysOfShard(shard as (typeof allShards)[number]);
  const reason = async () => (await sealDue(work()))?.waiting?.reason;

  await redis.xadd(usage, `${march.getTime() - hourMs - 1}-0`, 'kind', 'charge');
  expect(await reason()).toBe('charges are waiting in Redis');
  await redis.del(usage);

  await database.sql`
    INSERT INTO usage_requests (request_id, account_id, rank, charged_nano)
    VALUES (${Bun.randomUUIDv7('hex', new Date('2025-12-01'))}, 1, 2, 0)`;
  expect(await reason()).toStartWith('a default partition has rows');
  await database.sql`DELETE FROM usage_requests_default`;

  await database.sql`INSERT INTO usage_rejects (shard, stream_id, entry, problem) VALUES (0, '1-0', '{}', 'it is odd')`;
  expect(await reason()).toStartWith('the ledger violates its rules: Usage reject 1');
  await database.sql`DELETE FROM usage_rejects`;

  // What has just been written to Redis is of this month.
  await redis.xadd(usage, `${march.getTime() - hourMs + 1}-0`, 'kind', 'charge');
  expect(await sealedMonths()).toEqual([]);
  expect(await reason()).toBeUndefined();
  expect(await sealedMonths()).toEqual(['2026-01-01', '2026-02-01']);
});

test.each([
  ['frozen', 1],
  ['block', 1],
  ['block', 3],
  ['finished', 1],
])('a run that is killed at step %s (%i) is continued by the next one', async (step, times) => {
  const { sql } = harness.database;
  const args = [harness.databaseUrl, january.toISOString().replace('-10T', '-01T'), '20', step, String(times)];
  const child = Bun.spawn([process.execPath, join(import.meta.dir, 'killed-seal.ts'), ...args], { stderr: 'inherit' });
  await child.exited;
  expect(child.signalCode).toBe('SIGKILL');
  expect(await sealDue(work())).toMatchObject({ waiting: undefined });
  expect(await sealedMonths()).toEqual(['2026-01-01', '2026-02-01']);
  expect((await verifyMonth({ ...work(), readsFiles: true }, '2026-01'))?.problems).toEqual([]);
  expect((await verifyMonth({ ...work(), readsFiles: true }, '2026-01'))?.events).toBe(91);
  expect(await checkBooks(sql, { accountId: undefined })).toEqual([]);
});

test('of two runs, one works', async () => {
  const results = await Promise.all([sealDue(work()), sealDue(work())]);
  expect(results.filter((result) => (result?.sealed.length ?? 0) > 0)).toHaveLength(1);
  expect(await sealedMonths()).toEqual(['2026-01-01', '2026-02-01']);
});

test('gateway verify lists the months and proves one, without changing anything', async () => {
  const none = await gateway(['verify']);
  expect([none.exitCode, none.out]).toEqual([0, 'No month is sealed yet. Admin seals a month a week after its end.\n']);
  await sealDue(work());
  const all = await gateway<{ months: { month: string; hash: string }[] }>(['verify', '--json']);
  expect(all.exitCode).toBe(0);
  expect(all.json.months).toMatchObject([{ month: '2026-02' }, { month: '2026-01', events: 91 }]);
  const [, { hash } = { hash: '' }] = all.json.months;
  const one = await gateway(['verify', '--month', '2026-01', '--hash', hash]);
  expect(one.exitCode).toBe(0);
  expect(one.out).toContain('2026-01 is what was sealed: ');
  expect(one.out).toEndWith(`Hash ${hash}\n`);
  expect(await checks()).toEqual([]);
});

test('a month that is not what was sealed is reported wherever operators look', async () => {
  await sealDue(work());
  await harness.database.sql.begin(async (transaction) => {
    await transaction`SET LOCAL session_replication_role = replica`;
    await transaction`UPDATE usage_events SET completion_tokens = completion_tokens + 1 WHERE wallet_seq = 50`;
  });
  const verified = await gateway<{ problems: string[] }>(['verify', '--month', '2026-01', '--json']);
  expect(verified.exitCode).toBe(1);
  expect(verified.json.problems).toEqual([
    expect.stringMatching(/^The events up to request \S+ are not what was sealed: 91 rows, but not the same\.$/),
  ]);
  const reconciled = async () => (await gateway<{ violations: unknown[] }>(['reconcile', '--json'])).json.violations;
  expect(await reconciled()).toEqual([]);
  await keepSealed(work())({ inCharge: true, signal });
  expect(await reconciled()).toEqual([
    expect.objectContaining({
      kind: 'seal_broken',
      subject: 'month 2026-01',
      message: expect.stringContaining('The events'),
    }),
  ]);
  expect((await gateway(['verify'])).exitCode).toBe(1);
});

test('gateway verify names what was wrong with the call', async () => {
  await sealDue(work());
  for (const options of [
    ['--month', 'May'],
    ['--month', '2026-13'],
    ['--hash', 'a'.repeat(64)],
    ['--month', '2026-01', '--hash', 'x'],
  ])
    expect((await gateway(['verify', ...options])).exitCode).toBe(2);
  const unsealed = await gateway(['verify', '--month', '2026-03', '--json']);
  expect([unsealed.exitCode, unsealed.error]).toEqual([
    1,
    expect.objectContaining({ code: 'not_found', param: 'month' }),
  ]);
  const other = await gateway<{ problems: string[] }>([
    'verify',
    '--month',
    '2026-01',
    '--hash',
    'a'.repeat(64),
    '--json',
  ]);
  expect([other.exitCode, other.json.problems]).toEqual([1, [expect.stringContaining('not the one given')]]);
});
