/** Usage of long ranges, from days that were added up once, is that of the totals: in every time zone, and after late charges. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { applyCharges } from '../../../../admin/ledger/charges/apply-charges.ts';
import { readTotals } from '../../../../admin/ledger/queries/usage/read-totals.ts';
import { readUsage } from '../../../../admin/ledger/queries/usage/read-usage.ts';
import type { UsageGrouping, UsageQuery } from '../../../../admin/ledger/queries/usage/usage-query.ts';
import { startOfDay } from '../../../../shared/days-of-zone.ts';
import { SeededRandom } from '../../../harness/seeded-random.ts';
import { detailOf } from '../../../harness/wallet/charge-detail.ts';
import { chargeOf, openLedger, type TestLedger } from '../ledger.ts';

const seed = Number(process.env.SEED ?? 20_261_130);
const random = new SeededRandom(seed);
const dayMs = 86_400_000;
const quarterMs = 900_000;
const nowMs = Date.now();
/** Some are no whole hours from UTC, and in some the clocks have changed within the last year. */
const zones = [
  'UTC',
  'Europe/Moscow',
  'America/New_York',
  'Asia/Kolkata',
  'Asia/Kathmandu',
  'Pacific/Chatham',
  'Australia/Lord_Howe',
];
const groupings: readonly (readonly UsageGrouping[])[] = [
  ['day'],
  ['day', 'model'],
  ['day', 'key'],
  ['day', 'project'],
  ['day', 'member'],
  ['day', 'project', 'member', 'key'],
  ['model'],
  ['key', 'project'],
  [],
  // Added up as they are asked for.
  ['hour', 'model'],
  ['day', 'model', 'key'],
];

let ledger: TestLedger;
let accountIds: number[];

beforeAll(async () => {
  ledger = await openLedger();
  accountIds = [await ledger.openAccount(), await ledger.openAccount()];
  const { sql } = ledger;
  for (const accountId of accountIds) {
    const [project] = await sql<{ id: string }[]>`
      INSERT INTO projects (account_id, name) VALUES (${accountId}, 'search') RETURNING id`;
    // One was moved, one has been in its project from the beginning, one is in none.
    await sql`
      INSERT INTO api_keys (id, account_id, kind, name, prefix, hash, project_id) OVERRIDING SYSTEM VALUE
      SELECT ${accountId * 10}::bigint + n, ${accountId}, 'proxy', 'k', 'k', ${`${accountId} `}::text || n,
        CASE WHEN n <> 3 THEN ${project?.id ?? null}::bigint END FROM generate_series(1, 3) AS n`;
    await sql`
      INSERT INTO key_assignments (id, key_id, project_id)
      VALUES (${accountId * 10 + 1}, ${accountId * 10 + 1}, NULL),
        (${movedKey(accountId)}, ${accountId * 10 + 1}, ${project?.id ?? null}::bigint)`;
  }
  await book(400, nowMs - 380 * dayMs, nowMs);
});
afterAll(() => ledger.close());

const readKept = (query: UsageQuery) => readUsage(ledger.sql, query, { totalsMin: 1 });

const movedKey = (accountId: number) => accountId * 10 + 9;

async function book(count: number, fromMs: number, toMs: number): Promise<void> {
  for (let done = 0; done < count; done += 1) {
    const accountId = random.pick(accountIds);
    const chargedAt = new Date(random.integer(fromMs, toMs - 1));
    await applyCharges(ledger.sql, [
      chargeOf(accountId, {
        ...{ chargedAt, costNano: BigInt(random.integer(0, 9_000)), walletSeq: null, walletSpentNano: null },
        ...someKey(accountId),
        detail: detailOf({
          ...{ model: random.pick(['m', 'n', 'Ö']), promptTokens: random.integer(0, 2 ** 31 - 1) },
          ...(random.chance(0.2) && { images: 2, variant: '1024x1024/high' }),
        }),
      }),
    ]);
  }
}

/** Of the last one nothing is known. */
function someKey(accountId: number): { readonly keyId: number; readonly assignmentId: number | null } {
  const keyId = accountId * 10 + random.integer(1, 4);
  const isMoved = keyId === accountId * 10 + 1 && random.chance(0.5);
  return { keyId, assignmentId: isMoved ? movedKey(accountId) : null };
}

function someQuery(groupBy: readonly UsageGrouping[]): UsageQuery {
  const timeZone = random.pick(zones);
  const at = () => {
    const ms = random.integer(nowMs - 400 * dayMs, nowMs + dayMs);
    const day = new Date(ms).toISOString().slice(0, 10);
    return random.chance(0.5) ? startOfDay(day, timeZone) : new Date(Math.floor(ms / quarterMs) * quarterMs);
  };
  const [from, to] = [at(), at()].sort((one, other) => one.getTime() - other.getTime()) as [Date, Date];
  return {
    accountId: random.pick(accountIds),
    from,
    to,
    timeZone,
    groupBy: new Set(groupBy),
    rowsMax: random.pick([10, 10_000]),
  };
}

describe.each(groupings.map((groupBy) => [groupBy.join(', ') || 'nothing', groupBy] as const))(
  'by %s',
  (_name, groupBy) => {
    test('the sums are those of the totals, asked for the first time and again, and after late charges', async () => {
      const queries = Array.from({ length: 25 }, () => someQuery(groupBy));
      for (let booked = 0; booked < 3; booked += 1) {
        for (const query of queries) {
          const expected = await readTotals(ledger.sql, query);
          expect(await readKept(query)).toEqual(expected);
          expect(await readKept(query)).toEqual(expected);
        }
        await book(6, nowMs - 380 * dayMs, nowMs);
      }
    });
  },
);

test('a day that is over is read from what was kept, until something is booked for its month', async () => {
  const [accountId = 0] = accountIds;
  const [from, to] = [new Date('2026-03-10T00:00:00Z'), new Date('2026-04-20T00:00:00Z')];
  const query: UsageQuery = {
    ...{ accountId, from, to, timeZone: 'UTC', rowsMax: 10_000 },
    groupBy: new Set(['day'] as const),
  };
  const requests = async () => (await readKept(query)).reduce((sum, day) => sum + day.requests, 0);
  const before = await requests();
  await ledger.sql`
    UPDATE usage_days SET sums = '[["m", 1000000, "5", {}]]'
    WHERE account_id = ${accountId} AND grouping = 'model' AND starts = '2026-04-02T00:00:00Z'
      AND ends = '2026-04-03T00:00:00Z'`;
  expect(await requests()).toBeGreaterThan(1_000_000);
  // Of another month, and of another account: what is kept of April stays.
  await applyCharges(ledger.sql, [
    chargeAt(accountId, '2026-03-15T12:00:00Z'),
    chargeAt(accountIds[1] ?? 0, '2026-04-15T12:00:00Z'),
  ]);
  expect(await requests()).toBeGreaterThan(1_000_000);
  await applyCharges(ledger.sql, [chargeAt(accountId, '2026-04-15T12:00:00Z')]);
  expect(await requests()).toBe(before + 2);
});

const chargeAt = (accountId: number, at: string) =>
  chargeOf(accountId, { chargedAt: new Date(at), walletSeq: null, walletSpentNano: null });

test('nothing is kept of an account with few totals', async () => {
  const accountId = await ledger.openAccount();
  await applyCharges(ledger.sql, [chargeAt(accountId, '2026-03-15T12:00:00Z')]);
  const [from, to] = [new Date('2026-03-01T00:00:00Z'), new Date('2026-04-01T00:00:00Z')];
  const query = { accountId, from, to, timeZone: 'UTC', rowsMax: 100, groupBy: new Set(['day'] as const) };
  const keptDays = async () => (await ledger.sql`SELECT FROM usage_days WHERE account_id = ${accountId}`).length;
  expect(await readUsage(ledger.sql, query)).toHaveLength(1);
  expect(await keptDays()).toBe(0);
  expect(await readUsage(ledger.sql, query, { totalsMin: 2 })).toHaveLength(1);
  expect(await keptDays()).toBe(0);
  expect(await readKept(query)).toHaveLength(1);
  expect(await keptDays()).toBe(31);
});
