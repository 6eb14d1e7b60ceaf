/** An account with many requests is exported page by page, from indexes, with nothing missing and nothing twice. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { exportAccount } from '../../../../../admin/api/account/export/export-account.ts';
import { createUser, type User } from '../../../../../admin/auth/create-user.ts';
import { parseUsd } from '../../../../../shared/money.ts';
import { inCampaign } from '../../../../harness/campaigns.ts';
import { parseCsv, readZip } from '../../../../harness/read-files.ts';
import { openLedger, type TestLedger } from '../../../ledger/ledger.ts';

const requests = inCampaign(5_000, 100_000);
const start = new Date(Date.UTC(2030, 0, 1));

let ledger: TestLedger;
let user: User;
beforeAll(async () => {
  ledger = await openLedger();
  const person = { email: 'ada@example.com', passwordHash: '', displayName: null, role: 'customer' } as const;
  user = await createUser(ledger.db, { ...person, ownership: 'proven' });
  await fill(user.homeAccountId);
});
afterAll(() => ledger.close());

/** Ten requests in each millisecond, so that pages end in the middle of one; request number n costs n nano-dollars. */
async function fill(accountId: number): Promise<void> {
  await ledger.sql.begin(async (sql) => {
    const [journal] = await sql`INSERT INTO journals (type, reason) VALUES ('usage', 'many') RETURNING id`;
    const [price] = await sql`
      INSERT INTO model_prices (model, markup, provider_prompt_pico, provider_cached_prompt_pico,
        provider_completion_pico, prompt_pico, cached_prompt_pico, completion_pico)
      VALUES ('m', 1000000, 1000, 1000, 1000, 1000, 1000, 1000) RETURNING version`;
    await sql`
      CREATE TEMP TABLE made ON COMMIT DROP AS
      SELECT n, gen_random_uuid() AS id, ${start}::timestamptz + (n / 10) * interval '1 millisecond' AS at
      FROM generate_series(1, ${requests}::int) AS n`;
    await sql`
      INSERT INTO usage_requests (request_id, account_id, rank, charged_nano)
      SELECT id, ${accountId}::bigint, 2, n FROM made`;
    await sql`
      INSERT INTO usage_events (request_id, rank, account_id, cost_nano, uncharged_nano, key_id, model, deployment,
        price_version, prompt_tokens, cached_prompt_tokens, completion_tokens, reasoning_tokens, estimated, epoch,
        started_at, charged_at)
      SELECT id, 2, ${accountId}::bigint, n, 0, 1, 'm', 'd', ${price?.version}::bigint, n, 0, 0, 0, false, 1, at, at
      FROM made`;
    await sql`
      INSERT INTO ledger_lines (journal_id, book, account_id, amount_nano, type, description, request_id, model, created_at)
      SELECT ${journal?.id}::bigint, 'wallet', ${accountId}::bigint, -n, 'usage', 'a chat', id, 'm', at FROM made
      UNION ALL
      SELECT ${journal?.id}::bigint, 'revenue', NULL, sum(n), 'usage', 'all', NULL, NULL, now() FROM made`;
  });
  await ledger.sql`ANALYZE`;
}

test('an export of an account with many requests has each of them once, and they sum to the nano-dollar (campaign)', async () => {
  const input = { accountId: user.homeAccountId, user, sessionId: undefined, at: new Date() };
  const ending = { signal: new AbortController().signal, onEnd: () => {} };
  const stream = await exportAccount(ledger, input, ending);
  const files = readZip(await new Response(stream).bytes());
  const sum = (BigInt(requests) * BigInt(requests + 1)) / 2n;

  const exported = parseCsv(files.get('requests.csv') ?? '');
  expect(new Set(exported.map(({ requestId }) => requestId)).size).toBe(requests);
  expect(exported).toHaveLength(requests);
  expect(exported.reduce((total, { chargedUsd = '' }) => total + parseUsd(chargedUsd), 0n)).toBe(sum);
  const times = exported.map(({ chargedAt = '' }) => chargedAt);
  expect(times).toEqual([...times].sort().reverse());

  const transactions: { amountUsd: string }[] = JSON.parse(files.get('transactions.json') ?? '');
  expect(transactions).toHaveLength(requests);
  expect(transactions.reduce((total, { amountUsd }) => total + parseUsd(amountUsd.slice(1)), 0n)).toBe(sum);
  expect(parseCsv(files.get('transactions.csv') ?? '')).toHaveLength(requests);
});
