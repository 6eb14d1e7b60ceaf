import { openLedger } from './test/admin/ledger/ledger.ts';
const ledger = await openLedger();
const other = await ledger.openAccount(); const account = await ledger.openAccount();
const { sql } = ledger;
for (const [a, count] of [[other, 50000], [account, 100000]] as const) await sql.begin(async (sql) => {
  const [journal] = await sql`INSERT INTO journals (type, reason) VALUES ('usage', 'many') RETURNING id`;
  await sql`INSERT INTO ledger_lines (journal_id, book, account_id, amount_nano, type, description) VALUES (${journal!.id}::bigint, 'revenue', NULL, ${count}::int, 'usage', 'all')`;
  await sql`INSERT INTO usage_events (request_id, rank, account_id, cost_nano, uncharged_nano, key_id, model, deployment, price_version, estimated, epoch, started_at, charged_at, booked_nano, journal_id, line_id)
   SELECT gen_random_uuid(), 2, ${a}::bigint, 1, 0, n % 10, 'm', 'd', 1, false, 1, '2030-01-01'::timestamptz + n * interval '1 minute', '2030-01-01'::timestamptz + n * interval '1 minute', 1, ${journal!.id}::bigint, nextval('ledger_lines_id_seq') FROM generate_series(1, ${count}::int) AS n ORDER BY n`;
  await sql`UPDATE accounts SET balance_nano = -${count}::int, spent_nano = ${count}::int WHERE id = ${a}`;
});
await sql`ANALYZE`;
const show = async (q: string) => { const rows = await sql.unsafe(`EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY ON) ${q}`); console.log(q + '\n' + rows.map((r) => r['QUERY PLAN']).join('\n') + '\n'); };
await show(`SELECT * FROM journal_lines WHERE account_id = ${account} AND book = 'wallet' ORDER BY created_at DESC NULLS LAST, id DESC NULLS LAST LIMIT 50`);
await show(`SELECT * FROM journal_lines WHERE account_id = ${account} AND book = 'wallet' AND (created_at, id) < ('2030-02-01'::timestamptz, 5000000) ORDER BY created_at DESC NULLS LAST, id DESC NULLS LAST LIMIT 50`);
await show(`SELECT * FROM journal_lines WHERE account_id = ${account} AND type = 'payment' ORDER BY created_at DESC NULLS LAST, id DESC NULLS LAST LIMIT 50`);
await show(`SELECT sum(amount_nano) FROM journal_lines WHERE journal_id = 1`);
await show(`SELECT * FROM journal_lines AS line WHERE account_id = ${account} AND id > 149900 AND created_at > '2030-03-10' ORDER BY id`);
await show(`SELECT request_id, account_id, rank, charged_nano FROM charged_requests WHERE request_id >= '80000000-0000-0000-0000-000000000000' AND request_id < '90000000-0000-0000-0000-000000000000' ORDER BY request_id LIMIT 1000`);
await show(`SELECT * FROM charged_requests WHERE request_id = ANY(ARRAY['80000000-0000-0000-0000-000000000000','90000000-0000-0000-0000-000000000000']::uuid[])`);
await ledger.close(); process.exit(0);
