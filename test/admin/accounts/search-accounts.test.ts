/** Searching thirty thousand accounts as an operator types reads only the matches. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { searchAccounts } from '../../../admin/accounts/search-accounts.ts';
import { scanWaits } from '../../../admin/database/connect.ts';
import { type Explainer, openExplainer } from '../ledger/explain.ts';
import { openLedger, type TestLedger } from '../ledger/ledger.ts';

const accountsMade = 30_000;

let ledger: TestLedger;
let explainer: Explainer;
beforeAll(async () => {
  // On a busy machine, indexing so many rows takes longer than a statement of admin may.
  ledger = await openLedger({ waits: scanWaits });
  await ledger.sql.begin(async (sql) => {
    await sql`INSERT INTO accounts SELECT FROM generate_series(1, ${accountsMade}::int)`;
    await sql`
      INSERT INTO users (account_id, email, password_hash, display_name)
      SELECT id, 'user-' || md5(id::text) || '@mail' || id % 10 || '.example', '', 'Person ' || md5('name' || id)
      FROM accounts`;
    await sql`
      INSERT INTO company_details (account_id, account_type, company_name, inn)
      SELECT id, 'OOO', 'ООО «Завод ' || id || '»', lpad(id::text, 10, '7') FROM accounts WHERE id % 2 = 0`;
    await sql`
      INSERT INTO organization_settings (account_id, name) SELECT id, 'Organization ' || md5('o' || id) FROM accounts`;
    await sql`UPDATE organization_settings SET name = 'Cobol & Co' WHERE account_id = 4321`;
    await sql`UPDATE users SET email = 'Grace_50%\\Hopper@navy.example', display_name = 'Rear Admiral' WHERE account_id = 777`;
  });
  await ledger.sql`VACUUM ANALYZE`;
  explainer = openExplainer(ledger.url);
});
afterAll(async () => {
  await explainer.close();
  await ledger.close();
});

const options = { blocked: undefined, beforeId: undefined, limit: 100 };
const idsOf = async (text: string) => (await searchAccounts(ledger.db, { ...options, text })).map(({ id }) => id);

test.each([
  ['an address', 'grace_50%\\hop', [777]],
  ['a name', 'rear adMIRAL', [777]],
  ['a company', 'завод 4242»', [4242]],
  ['an organization', 'cobol & c', [4321]],
  ['an id', '29999', [29_999]],
  ['an INN', '7777777242', [7242, 242]],
  ['nothing', 'no such account', []],
])('%s is found by an index', async (_, text, expected) => {
  expect(await idsOf(text)).toEqual(expected);
  const queries = await explainer.explain(() => searchAccounts(explainer.db, { ...options, text }));
  expect(queries.flatMap(({ scanned }) => scanned)).toEqual([]);
  expect(queries.reduce((sum, { rowsRead }) => sum + rowsRead, 0)).toBeLessThanOrEqual(50);
});

test('a company is found by its index, too, where statistics make it look frequent', async () => {
  // What a sample that happens to have it says of it.
  await ledger.sql`UPDATE company_details SET company_name = 'ООО «Завод 4242»' WHERE account_id BETWEEN 20000 AND 20999`;
  await ledger.sql`ANALYZE company_details`;
  await ledger.sql`UPDATE company_details SET company_name = 'ООО «Завод ' || account_id || '»' WHERE account_id BETWEEN 20000 AND 20999`;
  const queries = await explainer.explain(() => searchAccounts(explainer.db, { ...options, text: 'завод 4242»' }));
  expect(queries.flatMap(({ scanned }) => scanned)).toEqual([]);
  expect(queries.reduce((sum, { rowsRead }) => sum + rowsRead, 0)).toBeLessThanOrEqual(50);
});

test('wildcards in a search are literal characters', async () => {
  expect(await idsOf('grace%hopper')).toEqual([]);
  expect(await idsOf('grace-50')).toEqual([]);
});

test('pages of a search with many matches neither overlap nor leave gaps', async () => {
  const first = await searchAccounts(ledger.db, { ...options, text: '@mail3.example' });
  expect(first).toHaveLength(100);
  const second = await searchAccounts(ledger.db, { ...options, text: '@mail3.example', beforeId: first.at(-1)?.id });
  expect(second[0]?.id).toBe((first.at(-1)?.id ?? 0) - 10);
});
