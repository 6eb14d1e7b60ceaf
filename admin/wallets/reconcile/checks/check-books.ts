/**
 * Checks the ledger's rules in one snapshot: every journal sums to zero, every account is the sum of its lines, every
 * request was charged what its newest event says, every value of a dimension has what was charged for it. Each rule is one statement over all months that are not sealed, so
 * millions of lines take seconds. What the sealed months sum to is known, and that they have not changed since is checked
 * one month an hour: see admin/ledger/seals.
 */
import type { Sql, TransactionSql } from 'postgres';
import { formatUsd, nanoUsd } from '../../../../shared/money.ts';
import { type OpenMonths, openLines, readOpenMonths } from '../../../ledger/seals/open-months.ts';
import { type Scope, type Violation, violationsMax } from '../reconciliation.ts';
import { checkDimensions } from './check-dimensions.ts';
import { findGaps } from './find-gaps.ts';

/** Keeps sums over millions of requests in memory. */
const workMemory = '64MB';

/** What it finds first; undefined if nothing. */
export async function findViolation(sql: Sql, signal?: AbortSignal): Promise<string | undefined> {
  const [violation] = await checkBooks(sql, { accountId: undefined }, signal);
  return violation?.message;
}

export async function checkBooks(sql: Sql, scope: Scope, signal?: AbortSignal): Promise<Violation[]> {
  return sql.begin('ISOLATION LEVEL REPEATABLE READ READ ONLY', async (snapshot) => {
    await snapshot`SELECT set_config('work_mem', ${workMemory}, true)`;
    const months = await readOpenMonths(snapshot);
    const violations: Violation[] = [];
    for (const check of checks) {
      signal?.throwIfAborted();
      violations.push(...(await check(snapshot, scope, months)));
    }
    return violations;
  });
}

const checks = [
  checkJournals,
  checkAccounts,
  checkRequests,
  checkArchive,
  checkDimensions,
  findGaps,
  listRejects,
  listBrokenSeals,
];

/** A journal may have lines in two months. */
async function checkJournals(sql: TransactionSql, { accountId }: Scope, months: OpenMonths): Promise<Violation[]> {
  const where =
    accountId === undefined
      ? sql``
      : sql`WHERE journal_id IN (
          SELECT journal_id FROM ${openLines(sql, months)} AS lines WHERE account_id = ${accountId}
        )`;
  const rows = await sql<{ journal_id: string; difference: string }[]>`
    WITH unbalanced AS (
      SELECT journal_id FROM ${openLines(sql, months)} AS lines ${where}
      GROUP BY journal_id HAVING sum(amount_nano) <> 0
    ), complete AS (
      SELECT journal_id, (
        SELECT sum(amount_nano) FROM journal_lines WHERE journal_lines.journal_id = unbalanced.journal_id
      ) + coalesce((
        SELECT sum(amount_nano) FROM archived_journals AS archived WHERE archived.journal_id = unbalanced.journal_id
      ), 0) AS difference
      FROM unbalanced
    )
    SELECT journal_id, difference FROM complete WHERE difference <> 0 ORDER BY journal_id LIMIT ${violationsMax}`;
  return rows.map(({ journal_id, difference }) => ({
    kind: 'journal_unbalanced',
    subject: `journal ${journal_id}`,
    accountId: null,
    amountNano: BigInt(difference),
    message: `Journal ${journal_id}: its lines sum to ${usd(difference)} instead of zero.`,
  }));
}

interface AccountRow {
  readonly account_id: string;
  readonly balance: string;
  readonly credited: string;
  readonly spent: string;
  readonly balance_of_lines: string;
  readonly credited_of_lines: string;
  readonly spent_of_lines: string;
}

async function checkAccounts(sql: TransactionSql, { accountId }: Scope, months: OpenMonths): Promise<Violation[]> {
  const ofLines = accountId === undefined ? sql`` : sql`AND account_id = ${accountId}`;
  const ofAccounts = accountId === undefined ? sql`` : sql`WHERE id = ${accountId}`;
  const rows = await sql<AccountRow[]>`
    WITH open AS (
      SELECT account_id, sum(amount_nano) AS balance, sum(amount_nano) FILTER (WHERE type <> 'usage') AS credited
      FROM ${openLines(sql, months)} AS lines WHERE book = 'wallet' ${ofLines} GROUP BY account_id
    ), sealed AS (
      SELECT account_id, balance_nano AS balance, credited_nano AS credited FROM sealed_accounts
      WHERE month = ${months.sealed ?? null}::date ${ofLines}
    ), sums AS (
      SELECT account_id, sum(balance) AS balance, sum(credited) AS credited
      FROM (SELECT * FROM open UNION ALL SELECT * FROM sealed) AS all_lines GROUP BY account_id
    ), compared AS (
      SELECT account_id, coalesce(balance_nano, 0) AS balance, coalesce(credited_nano, 0) AS credited,
        coalesce(spent_nano, 0) AS spent, coalesce(sums.balance, 0) AS balance_of_lines,
        coalesce(sums.credited, 0) AS credited_of_lines,
        coalesce(sums.credited, 0) - coalesce(sums.balance, 0) AS spent_of_lines
      FROM sums FULL JOIN (SELECT id AS account_id, * FROM accounts ${ofAccounts}) AS accounts USING (account_id)
    )
    SELECT * FROM compared
    WHERE balance <> balance_of_lines OR credited <> credited_of_lines OR spent <> spent_of_lines
      OR balance <> credited - spent
    ORDER BY account_id LIMIT ${violationsMax}`;
  return rows.flatMap(violationsOfAccount);
}

function violationsOfAccount(row: AccountRow): Violation[] {
  const id = Number(row.account_id);
  const expect = (kind: Violation['kind'], what: string, [found, expected]: readonly [bigint, bigint]): Violation[] => {
    if (found === expected) return [];
    const message = `Account ${id}: ${what} ${usd(expected)}, but the account has ${usd(found)}.`;
    return [{ kind, subject: `account ${id}`, accountId: id, amountNano: found - expected, message }];
  };
  const [balance, credited, spent] = [BigInt(row.balance), BigInt(row.credited), BigInt(row.spent)];
  return [
    ...expect('balance_wrong', 'its lines sum to', [balance, BigInt(row.balance_of_lines)]),
    ...expect('balance_wrong', 'credited less spent is', [balance, credited - spent]),
    ...expect('credited_wrong', 'its payments and refunds sum to', [credited, BigInt(row.credited_of_lines)]),
    ...expect('spent_wrong', 'its usage sums to', [spent, BigInt(row.spent_of_lines)]),
  ];
}

/**
 * A line's time is that of Redis, and a request's id has that of its proxy: a request of an open month may have its line in
 * the last hours of a sealed one.
 */
async function checkRequests(sql: TransactionSql, { accountId }: Scope, months: OpenMonths): Promise<Violation[]> {
  const lines = openLines(sql, { ...months, from: months.sealed === undefined ? months.from : dayBefore(months.from) });
  const only = accountId === undefined ? sql`` : sql`AND account_id = ${accountId}`;
  const rows = await sql<{ request_id: string; account_id: string; charged: string; lines: string; events: string }[]>`
    WITH archive AS (
      SELECT min(from_id::text)::uuid AS since, max(until_id::text)::uuid AS until FROM archived_months
      WHERE finished_at IS NOT NULL
    ), of_lines AS (
      SELECT request_id, min(account_id) AS account_id, -sum(amount_nano) AS charged
      FROM ${lines} AS lines
      WHERE book = 'wallet' AND type = 'usage' AND request_id >= ${months.fromId}::uuid ${only}
        AND ((SELECT until FROM archive) IS NULL OR request_id >= (SELECT until FROM archive)
          OR request_id < (SELECT since FROM archive))
      GROUP BY request_id
    ), of_events AS (
      SELECT request_id, min(account_id) AS account_id, max(rank) AS rank,
        coalesce(max(cost_nano) FILTER (WHERE rank = 2), max(cost_nano)) AS charged
      FROM usage_events WHERE request_id >= ${months.fromId}::uuid ${only} GROUP BY request_id
    )
    SELECT request_id, coalesce(heads.account_id, of_events.account_id, of_lines.account_id) AS account_id,
      coalesce(heads.charged_nano, 0) AS charged, coalesce(of_lines.charged, 0) AS lines,
      coalesce(of_events.charged, 0) AS events
    FROM (SELECT * FROM charged_requests WHERE request_id >= ${months.fromId}::uuid ${only}) AS heads
    FULL JOIN of_events USING (request_id) FULL JOIN of_lines USING (request_id)
    WHERE heads.charged_nano IS DISTINCT FROM of_events.charged OR heads.rank IS DISTINCT FROM of_events.rank
      OR coalesce(heads.charged_nano, 0) <> coalesce(of_lines.charged, 0)
    ORDER BY request_id LIMIT ${violationsMax}`;
  return rows.map(({ request_id, account_id, charged, lines, events }) => ({
    kind: 'request_wrong',
    subject: `request ${request_id}`,
    accountId: Number(account_id),
    amountNano: BigInt(charged) - (charged === lines ? BigInt(events) : BigInt(lines)),
    message: `Request ${request_id}: its head says ${usd(charged)}, its lines ${usd(lines)}, its newest event ${usd(events)}.`,
  }));
}

/** Months that version 0.1.0 has archived, until they are sealed: their lines say what archived requests were charged. */
async function checkArchive(sql: TransactionSql, { accountId }: Scope, { fromId }: OpenMonths): Promise<Violation[]> {
  if (accountId !== undefined) return [];
  const rows = await sql<{ month: string; charged: string; lines: string }[]>`
    SELECT month::text, charged_nano AS charged, lines FROM archived_months CROSS JOIN LATERAL (
      SELECT coalesce(-sum(amount_nano), 0) AS lines FROM journal_lines
      WHERE book = 'wallet' AND type = 'usage' AND request_id >= from_id AND request_id < until_id
    ) AS booked
    WHERE finished_at IS NOT NULL AND from_id >= ${fromId}::uuid AND charged_nano <> lines ORDER BY month`;
  return rows.map(({ month, charged, lines }) => ({
    kind: 'archive_wrong',
    subject: `archive ${month.slice(0, 7)}`,
    accountId: null,
    amountNano: BigInt(charged) - BigInt(lines),
    message: `The archive of ${month.slice(0, 7)}: its requests were charged ${usd(charged)}, their lines sum to ${usd(lines)}.`,
  }));
}

async function listRejects(sql: TransactionSql, { accountId }: Scope): Promise<Violation[]> {
  const where = accountId === undefined ? sql`` : sql`WHERE entry::jsonb ->> 'account' = ${String(accountId)}`;
  const rows = await sql<{ id: string; account: string | null; shard: number; stream_id: string; problem: string }[]>`
    SELECT id, shard, stream_id, problem, entry::jsonb ->> 'account' AS account FROM usage_rejects ${where}
    ORDER BY id LIMIT ${violationsMax}`;
  return rows.map(({ id, account, shard, stream_id, problem }) => ({
    kind: 'usage_rejected',
    subject: `usage reject ${id}`,
    accountId: account !== null && /^\d{1,15}$/.test(account) ? Number(account) : null,
    amountNano: null,
    message: `Usage reject ${id}: entry ${stream_id} of shard ${shard} was not booked, because ${problem}.`,
  }));
}

/** What comparing the sealed months with their seals found last. */
async function listBrokenSeals(sql: TransactionSql, { accountId }: Scope): Promise<Violation[]> {
  if (accountId !== undefined) return [];
  const rows = await sql<{ month: string; problem: string }[]>`
    SELECT month::text, unnest(problems) AS problem FROM seal_checks ORDER BY month LIMIT ${violationsMax}`;
  return rows.map(({ month, problem }) => ({
    kind: 'seal_broken',
    subject: `month ${month.slice(0, 7)}`,
    accountId: null,
    amountNano: null,
    message: `The month ${month.slice(0, 7)} is not what was sealed. ${problem}`,
  }));
}

function dayBefore(time: string): string {
  return new Date(Date.parse(time) - 86_400_000).toISOString();
}

function usd(nano: bigint | string): string {
  const text = formatUsd(nanoUsd(BigInt(nano)));
  return text.startsWith('-') ? `-$${text.slice(1)}` : `$${text}`;
}
