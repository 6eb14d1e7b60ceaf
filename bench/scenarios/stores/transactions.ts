/** `GET /api/transactions` of a customer with ten million transactions: near and far pages, through admin's API. */
import { makePartitions } from '../../../admin/database/partitions.ts';
import { type Customer, testPassword } from '../../../test/harness/customers.ts';
import { Histogram } from '../../measure/histogram.ts';
import { significant } from '../../report/format.ts';
import type { Section } from '../../report/section.ts';
import type { Stage } from '../../stage/stage.ts';

const lineCount = 10_000_000;
/** Written well within the limit on a statement. */
const batchLines = 500_000;
const months = 12;
const repetitions = 50;

export async function transactions(stage: Stage): Promise<Section> {
  const customer = await stage.stores.createCustomer();
  stage.say(`writing ${lineCount.toLocaleString('en')} transactions …`);
  await writeLines(stage, customer.accountId);
  const token = await logIn(stage.stores.adminUrl, customer);
  const halfYearAgo = new Date(Date.now() - 182 * 86_400_000).toISOString();
  const pages = [
    { name: 'the first page', query: '' },
    { name: 'offset 10,000', query: '?offset=10000' },
    { name: 'offset 100,000, the maximum', query: '?offset=100000' },
    { name: '`cursor` after half a year of pages', query: `?cursor=${await cursorAt(stage, token, halfYearAgo)}` },
    { name: '`to` half a year ago', query: `?to=${encodeURIComponent(halfYearAgo)}` },
    { name: 'only payments', query: '?type=payment' },
  ];
  const rows = [];
  for (const { name, query } of pages) {
    const times = await timePage(`${stage.stores.adminUrl}/api/transactions${query}`, token);
    rows.push([name, significant(times.p50 / 1_000), significant(times.p99 / 1_000)]);
  }
  return {
    id: 'transactions',
    title: 'Ten million transactions',
    method:
      `A customer with ${lineCount.toLocaleString('en')} transactions over ${months} months; pages of 50, one request at a ` +
      'time, through the API. Milliseconds.',
    tables: [{ columns: ['', 'p50', 'p99'], rows }],
    notices: [`The plan of the first page: ${await planOf(stage, customer.accountId)}.`],
    figures: rows,
  };
}

/** Bypasses the triggers, which would check each journal: the ledger of this database is not consistent afterwards. */
async function writeLines({ stores }: Stage, accountId: number): Promise<void> {
  const { sql } = stores.database;
  for (let ago = months; ago > 0; ago -= 1) {
    const now = new Date();
    await makePartitions(sql, new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - ago)));
  }
  for (let written = 0; written < lineCount; written += batchLines) {
    await sql.begin(async (transaction) => {
      await transaction`SET LOCAL session_replication_role = replica`;
      await transaction`
        INSERT INTO usage_events (request_id, rank, account_id, cost_nano, uncharged_nano, key_id, model, deployment,
          price_version, prompt_tokens, completion_tokens, estimated, epoch, started_at, charged_at,
          booked_nano, journal_id, line_id)
        SELECT (lpad(to_hex((extract(epoch FROM at) * 1000)::bigint), 12, '0') || substr(md5(line::text), 1, 20))::uuid, 2, ${accountId}, 18540, 0, 1, 'bench/whole', 'bench/whole', 1, 9, 16, false, 1, at, at,
          18540, -1 - line / 500, 9000000000000 - line
        FROM generate_series(${written + 1}::int, ${written + batchLines}::int) AS line
        CROSS JOIN LATERAL (SELECT now() - line * (${`${months * 30} days`}::interval / ${lineCount}) AS at) AS charged`;
    });
  }
  await sql`ANALYZE usage_events`;
}

async function logIn(adminUrl: string, { email }: Customer): Promise<string> {
  const response = await fetch(`${adminUrl}/api/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email, password: testPassword }),
  });
  const { accessToken } = (await response.json()) as { accessToken: string };
  return accessToken;
}

/** Where a client is that has walked through all pages since then. */
async function cursorAt({ stores }: Stage, token: string, at: string): Promise<string> {
  const response = await fetch(`${stores.adminUrl}/api/transactions?to=${encodeURIComponent(at)}`, {
    headers: { authorization: `Bearer ${token}` },
  });
  return ((await response.json()) as { nextCursor: string }).nextCursor;
}

async function timePage(url: string, token: string) {
  const times = new Histogram();
  for (let repetition = 0; repetition <= repetitions; repetition += 1) {
    const startedAtMs = performance.now();
    const response = await fetch(url, { headers: { authorization: `Bearer ${token}` } });
    await response.arrayBuffer();
    if (!response.ok) throw new Error(`${url}: ${response.status}`);
    // The first one warms up.
    if (repetition > 0) times.record((performance.now() - startedAtMs) * 1_000);
  }
  return times.summary();
}

async function planOf({ stores }: Stage, accountId: number): Promise<string> {
  const lines = await stores.database.sql<{ 'QUERY PLAN': string }[]>`
    EXPLAIN (COSTS OFF) SELECT * FROM compact_lines WHERE account_id = ${accountId} AND book = 'wallet'
    ORDER BY created_at DESC NULLS LAST, id DESC NULLS LAST LIMIT 50`;
  const scans = lines.map((line) => line['QUERY PLAN'].trim()).filter((line) => line.includes('Scan'));
  const kinds = new Set(scans.map((line) => line.replace(/^-> +/, '').split(/ using | on /)[0] ?? line));
  return [...kinds].join(', ');
}
