/** Queries on an account with forty thousand transactions use indexes, and never load it whole into memory. */
import { afterAll, beforeAll, describe, expect, spyOn, test } from 'bun:test';
import { writeTransactions } from '../../../../admin/api/money/transactions-file.ts';
import { listRequests } from '../../../../admin/ledger/queries/list-requests.ts';
import {
  listStatement,
  listTransactions,
  walkTransactions,
} from '../../../../admin/ledger/queries/list-transactions.ts';
import { readReceipt } from '../../../../admin/ledger/queries/read-receipt.ts';
import { readUsage } from '../../../../admin/ledger/queries/usage/read-usage.ts';
import { type ExplainedQuery, type Explainer, openExplainer } from '../explain.ts';
import { bookings, openLedger, type TestLedger } from '../ledger.ts';

const days = 100;
const linesOfDay = 400;
const lines = days * linesOfDay;
/** The first lines, of a key that has no others. */
const rareLines = 150;
const start = new Date(Date.UTC(2030, 0, 1));
/** Reading and writing so many takes a few milliseconds. */
const linesAtOnceMax = 500;
const everything = { type: undefined, from: undefined, to: undefined };

describe.each(bookings)('with charges that are booked %s', (_way, options) => {
  let ledger: TestLedger;
  let explainer: Explainer;
  let accountId: number;
  beforeAll(async () => {
    ledger = await openLedger(options);
    const others = await ledger.openAccount();
    accountId = await ledger.openAccount();
    await ledger.sql`INSERT INTO dimensions (account_id, name, active) VALUES (${accountId}, 'user', true)`;
    await ledger.sql`
      INSERT INTO dimension_values (dimension_id, month, value) SELECT id, '2030-01-01', 'ada' FROM dimensions`;
    await fill(others, lines / 2);
    await fill(accountId, lines);
    await ownRareKey();
    await ledger.sql`ANALYZE`;
    explainer = openExplainer(ledger.url);
  });
  afterAll(async () => {
    await explainer.close();
    await ledger.close();
  });

  /** The key of the first charges is in project 5, and user 6 has created it. */
  async function ownRareKey(): Promise<void> {
    await ledger.sql`
      INSERT INTO users (id, account_id, email, password_hash) OVERRIDING SYSTEM VALUE
      VALUES (6, ${accountId}, 'ada@example.com', '')`;
    await ledger.sql`INSERT INTO projects (id, account_id, name) OVERRIDING SYSTEM VALUE VALUES (5, ${accountId}, 'rare')`;
    await ledger.sql`
      INSERT INTO api_keys (id, account_id, kind, name, prefix, hash, created_by, project_id) OVERRIDING SYSTEM VALUE
      VALUES (77, ${accountId}, 'proxy', 'rare', 'ms-77', 'hash', 6, 5)`;
  }

  /** Charges in equal steps over a hundred days; every request has its events, its lines and its part of the totals. */
  async function fill(account: number, count: number): Promise<void> {
    const stepMs = (days * 86_400_000) / count;
    await ledger.sql.begin(async (sql) => {
      const [journal] = await sql`INSERT INTO journals (type, reason) VALUES ('usage', 'many') RETURNING id`;
      await sql`
      INSERT INTO model_prices (model, markup, provider_prompt_pico, provider_cached_prompt_pico,
        provider_completion_pico, prompt_pico, cached_prompt_pico, completion_pico)
      VALUES ('m', 1000000, 1, 1, 1, 1, 1, 1)`;
      await sql`
      CREATE TEMP TABLE made ON COMMIT DROP AS
      SELECT n, gen_random_uuid() AS id, ${start}::timestamptz + n * ${stepMs}::float8 * interval '1 millisecond' AS at
      FROM generate_series(0, ${count - 1}::int) AS n`;
      const events = sql`
      SELECT id, 2, ${account}::bigint, 1, 0, CASE WHEN n < ${rareLines}::int THEN 77 ELSE n % 10 END,
        CASE WHEN n < ${rareLines}::int THEN 'rare' ELSE 'm' END, 'd', (SELECT min(version) FROM model_prices), 1, 0, 1, 0,
        false, 1, at, at, CASE WHEN n % ${(lines * 2) / 5}::int = 10 THEN ARRAY(
          SELECT value.id FROM dimension_values AS value JOIN dimensions ON dimensions.id = dimension_id
          WHERE account_id = ${account}::bigint
        ) END`;
      const columns = sql`
      request_id, rank, account_id, cost_nano, uncharged_nano, key_id, model, deployment,
      price_version, prompt_tokens, cached_prompt_tokens, completion_tokens, reasoning_tokens, estimated, epoch,
      started_at, charged_at, dimension_values`;
      await sql`
      INSERT INTO ledger_lines (journal_id, book, account_id, amount_nano, type, description)
      VALUES (${journal?.id}::bigint, 'revenue', NULL, ${count}::int, 'usage', 'all')`;
      if (options.compact) {
        await sql`
        INSERT INTO usage_events (${columns}, booked_nano, journal_id, line_id)
        ${events}, 1, ${journal?.id}::bigint, nextval('ledger_lines_id_seq') FROM made ORDER BY n`;
      } else {
        await sql`
        INSERT INTO usage_requests (request_id, account_id, rank, charged_nano)
        SELECT id, ${account}::bigint, 2, 1 FROM made`;
        await sql`INSERT INTO usage_events (${columns}) ${events} FROM made`;
        await sql`
        INSERT INTO ledger_lines
          (journal_id, book, account_id, amount_nano, type, description, request_id, model, created_at)
        SELECT ${journal?.id}::bigint, 'wallet', ${account}::bigint, -1, 'usage', 'a chat', id, 'm', at FROM made`;
      }
      await sql`
      INSERT INTO usage_totals
      SELECT account_id, date_bin('15 minutes', charged_at, '2030-01-01T00:00:00Z'), key_id, model, count(*), count(*), 0,
        0, count(*), 0, count(*), max(charged_at)
      FROM usage_events WHERE account_id = ${account}::bigint GROUP BY 1, 2, 3, 4`;
      await sql`
      INSERT INTO dimension_totals (dimension_id, bucket_15m, value_id, key_id, model, requests, cost_nano)
      SELECT dimensions.id, date_bin('15 minutes', charged_at, '2030-01-01T00:00:00Z'), value.id, key_id, model, 1, 1
      FROM usage_events
      JOIN dimensions ON dimensions.account_id = ${account}::bigint
      JOIN dimension_values AS value ON value.id = ANY(usage_events.dimension_values)
      WHERE usage_events.account_id = ${account}::bigint`;
      await sql`
      UPDATE accounts SET balance_nano = -${count}::int, spent_nano = ${count}::int WHERE id = ${account}`;
    });
  }

  const large = options.compact ? /usage_events_default|usage_totals/ : /_default$|usage_totals/;

  /** Empty tables are ignored: how Postgres reads nothing does not matter. */
  function expectIndexes(queries: readonly ExplainedQuery[]): void {
    expect(queries.length).toBeGreaterThan(0);
    for (const { scanned } of queries) {
      expect(scanned.filter((name) => large.test(name))).toEqual([]);
    }
  }
  const rowsRead = (queries: readonly ExplainedQuery[]) => queries.reduce((sum, query) => sum + query.rowsRead, 0);

  describe('GET /api/transactions', () => {
    const explain = (page: { limit: number; offset: number }, filter = {}) =>
      explainer.explain(() => listTransactions(explainer, { accountId, ...everything, ...filter }, page));

    test('reads only the rows of the first page that it returns', async () => {
      const queries = await explain({ limit: 50, offset: 0 });
      expectIndexes(queries);
      expect(rowsRead(queries)).toBeLessThanOrEqual(60);
    });

    test('reads only the rows that a deep page skips and returns, in index order, and receives the latter', async () => {
      // Far beyond the middle, Postgres reads the whole of so small a table instead, which is as fast.
      const queries = await explain({ limit: 50, offset: lines / 2 });
      expectIndexes(queries);
      expect(rowsRead(queries)).toBeLessThanOrEqual(lines / 2 + 60);
      expect(queries.reduce((sum, query) => sum + query.rowsReturned, 0)).toBeLessThanOrEqual(60);
    });

    test('reaches the same position with `to` at no cost', async () => {
      const queries = await explain({ limit: 50, offset: 0 }, { to: new Date(Date.UTC(2030, 0, 10)) });
      expectIndexes(queries);
      expect(rowsRead(queries)).toBeLessThanOrEqual(60);
    });

    test('reads for an old statement its page, its events, a quarter of an hour and later totals', async () => {
      const [page, quarter, ofOtherMonths] = [50, linesOfDay / 96 + 1, 30];
      const filter = { accountId, ...everything, to: new Date(Date.UTC(2030, 2)) };
      const queries = await explainer.explain(() => listStatement(explainer, filter, { limit: page }));
      const [totals] = await ledger.sql`
      SELECT count(*) FROM usage_totals WHERE account_id = ${accountId} AND bucket_15m >= '2030-03-01T00:00:00Z'`;
      expect(rowsRead(queries)).toBeLessThanOrEqual(page * 2 + quarter + Number(totals?.count) + ofOtherMonths);
    });

    test('finds payments without reading the usage between them', async () => {
      const queries = await explain({ limit: 50, offset: 0 }, { type: 'payment' });
      expectIndexes(queries);
      expect(rowsRead(queries)).toBeLessThanOrEqual(10);
    });
  });

  test('the CSV of a month is read in pages, each of which costs only its content', async () => {
    const filter = { accountId, type: undefined, from: new Date(Date.UTC(2030, 1)), to: new Date(Date.UTC(2030, 2)) };
    const pages: number[] = [];
    const queries = await explainer.explain(async () => {
      for await (const page of walkTransactions(explainer, filter, 1_000)) pages.push(page.length);
    });
    expect(pages.reduce((sum, length) => sum + length)).toBe(28 * linesOfDay);
    expect(Math.max(...pages)).toBe(1_000);
    expectIndexes(queries);
    for (const query of queries) expect(query.rowsRead).toBeLessThanOrEqual(1_010);
  });

  test('no part of the CSV has more lines than are written without yielding', async () => {
    const parts: number[] = [];
    for await (const part of writeTransactions(ledger, {
      accountId,
      ...everything,
      from: new Date(Date.UTC(2030, 2)),
    })) {
      parts.push(part.split('\r\n').length - 1);
    }
    expect(parts.reduce((sum, length) => sum + length)).toBe(1 + 41 * linesOfDay);
    expect(Math.max(...parts)).toBeLessThanOrEqual(linesAtOnceMax);
  });

  test('a reader that stops in the middle causes no further query', async () => {
    const filter = { accountId, ...everything };
    const queries = await explainer.explain(async () => {
      for await (const page of walkTransactions(explainer, filter, 1_000)) if (page.length > 0) break;
    });
    expect(queries.length).toBe(1);
  });

  test('a page of requests reads only what it returns, even in the middle', async () => {
    const filter = { accountId, keyId: undefined, model: undefined, from: undefined, to: undefined };
    const behind = {
      chargedAt: new Date(Date.UTC(2030, 1)),
      requestId: 'ffffffff-ffff-7fff-8fff-ffffffffffff',
      rank: 2,
    };
    for (const position of [undefined, behind]) {
      const queries = await explainer.explain(() => listRequests(explainer, { ...filter, behind: position }, 101));
      expectIndexes(queries);
      // The event, its head, and rows of other months and of the next instant.
      expect(rowsRead(queries)).toBeLessThanOrEqual(320);
    }
  });

  test.each([{ model: 'rare' }, { keyId: 77 }, { model: 'm', keyId: 3 }])(
    'a page of the requests of %j does not read those of other models and keys',
    async (only) => {
      const filter = {
        accountId,
        keyId: undefined,
        model: undefined,
        from: undefined,
        to: undefined,
        behind: undefined,
      };
      const queries = await explainer.explain(() => listRequests(explainer, { ...filter, ...only }, 101));
      expectIndexes(queries);
      // Of 40,000: the totals of their quarters of an hour, and a tenth of the requests there.
      expect(rowsRead(queries)).toBeLessThanOrEqual(1_000);
    },
  );

  test.each([
    ['a project', { projectId: 5 }],
    ['a member of it', { memberId: 6 }],
    ['a key that someone has created', { keysOf: 6 }],
  ])('a page of the few requests of %s does not read the others', async (_of, only) => {
    const filter = { accountId, keyId: undefined, model: undefined, from: undefined, to: undefined, behind: undefined };
    const found: number[] = [];
    const queries = await explainer.explain(async () => {
      found.push((await listRequests(explainer, { ...filter, ...only }, 101)).length);
    });
    expect(found).toEqual([101]);
    expectIndexes(queries);
    expect(rowsRead(queries)).toBeLessThanOrEqual(800);
  });

  test('requests with a value of a key that has none with it are not looked for in each quarter of an hour', async () => {
    const [dimension] = await ledger.sql`SELECT id FROM dimensions`;
    const filter = { accountId, keyId: 77, model: undefined, from: undefined, to: undefined, behind: undefined };
    const ofAda = { ...filter, projectId: 5, dimension: { dimensionId: Number(dimension?.id), value: 'ada' } };
    const queries = await explainer.explain(() => listRequests(explainer, { ...ofAda, model: 'm' }, 101));
    // Those keys, and the quarters.
    expect(queries).toHaveLength(2);
    expect(rowsRead(queries)).toBeLessThanOrEqual(200);
  });

  test.each([1, 2, 3, 101])('%d of three requests with a value are found without reading the others', async (limit) => {
    const [dimension] = await ledger.sql`SELECT id FROM dimensions`;
    const filter = { accountId, keyId: undefined, model: undefined, from: undefined, to: undefined, behind: undefined };
    const ofAda = { ...filter, dimension: { dimensionId: Number(dimension?.id), value: 'ada' } };
    const found: number[] = [];
    const queries = await explainer.explain(async () => {
      found.push((await listRequests(explainer, ofAda, limit)).length);
    });
    expect(found).toEqual([Math.min(limit, 3)]);
    expectIndexes(queries);
    // Three quarters of an hour have some thirty requests, and small tables may be read whole.
    expect(rowsRead(queries)).toBeLessThanOrEqual(200);
  });

  test('a receipt is found by its request id', async () => {
    const [newest] = await ledger.sql`
    SELECT request_id FROM usage_events WHERE account_id = ${accountId} ORDER BY charged_at DESC LIMIT 1`;
    const queries = await explainer.explain(() =>
      readReceipt(explainer, { requestId: String(newest?.request_id), accountId }),
    );
    expectIndexes(queries);
    // Of 40,000; small tables may be read whole.
    expect(rowsRead(queries)).toBeLessThanOrEqual(200);
  });

  test('the usage of a month reads the totals of that month', async () => {
    const [of] = await ledger.sql`
    SELECT count(*) FROM usage_totals WHERE account_id = ${accountId}
    AND bucket_15m >= '2030-02-01T00:00:00Z' AND bucket_15m < '2030-03-01T00:00:00Z'`;
    const query = { from: new Date(Date.UTC(2030, 1)), to: new Date(Date.UTC(2030, 2)), rowsMax: 100 };
    const groupBy = new Set(['day'] as const);
    const queries = await explainer.explain(() =>
      readUsage(explainer.sql, { accountId, ...query, timeZone: 'Europe/Moscow', groupBy }),
    );
    expectIndexes(queries);
    expect(rowsRead(queries)).toBe(Number(of?.count));
    // Postgres has only the zones of its system, which may lack the names that browsers report.
    expect(queries.flatMap(({ parameters }) => parameters)).not.toContain('Europe/Moscow');
  });

  test('usage of ten thousand rows is read in parts, between which other requests are served', async () => {
    using cursor = spyOn(Object.getPrototypeOf(ledger.sql``), 'cursor');
    const query = { from: start, to: new Date(Date.UTC(2030, 3)), rowsMax: 10_000, timeZone: 'UTC' };
    const sums = await readUsage(ledger.sql, {
      accountId,
      ...query,
      groupBy: new Set(['day', 'hour', 'key'] as const),
    });
    expect(sums).toHaveLength(query.rowsMax);
    const sizes = cursor.mock.calls.map(([rows]) => Number(rows));
    expect(sizes).toHaveLength(1);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(linesAtOnceMax);
  });
});
