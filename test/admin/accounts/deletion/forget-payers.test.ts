/** Forgetting a payer reads the payments of that payer, not those of everyone. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { forgetAsPayers } from '../../../../admin/accounts/deletion/forget-payers.ts';
import { connectDatabase } from '../../../../admin/database/connect.ts';
import { type Harness, startHarness } from '../../../harness.ts';

let harness: Harness;
beforeAll(async () => {
  harness = await startHarness();
});
afterAll(() => harness.stop());

test('an erased payer is looked up by the index of addresses, in whatever case the address is written', async () => {
  const { sql } = harness.database;
  const { accountId } = await harness.createCustomer({ usd: '0' });
  await sql`
    INSERT INTO payments (id, account_id, method, currency, amount_minor, credit_nano, rub_per_usd, margin_ppm, rub_kopecks,
      return_url, email, expires_at)
    SELECT gen_random_uuid(), ${accountId}, 'yookassa', 'RUB', 100, 1000, 900000, 0, 100, '', 'Payer' || n || '@example.com', now()
    FROM generate_series(1, 3000) AS n`;
  await sql`ANALYZE payments`;
  const sent: { query: string; parameters: unknown[] }[] = [];
  const observed = connectDatabase(harness.databaseUrl, {
    connections: 1,
    onStatement: (query, parameters) => sent.push({ query, parameters: [...parameters] }),
  });
  await observed.db.transaction((transaction) => forgetAsPayers(transaction, [{ email: 'payer7@Example.com' }]));
  await observed.close();
  const left = await sql`SELECT email FROM payments WHERE lower(email) = 'payer7@example.com'`;
  expect(left).toHaveLength(0);
  const update = sent.find(({ query }) => query.startsWith('update "payments"'));
  const plan = await sql.unsafe(`EXPLAIN ${update?.query}`, update?.parameters as string[]);
  expect(plan.map((row) => row['QUERY PLAN']).join('\n')).toContain('payments_email');
});
