/** Two concurrent changes of company details do not both report the same dropped fields. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { checkCompany } from '../../../../admin/accounts/profile/check-company.ts';
import { type ChangedCompany, changeCompany, readCompany } from '../../../../admin/accounts/profile/company-store.ts';
import { companyBody } from '../../../../admin/api/profile/profile-schemas.ts';
import { exampleOf } from '../../../../shared/openapi/example-of.ts';
import { untilWaitingForLock } from '../../../harness/wait-for-lock.ts';
import { type Harness, startHarness } from '../../../harness.ts';

const actor = { name: 'ada@example.com', userId: null, address: null, requestId: null };
const companyExample = exampleOf(companyBody);

let harness: Harness;
beforeAll(async () => {
  harness = await startHarness();
});
afterAll(() => harness.stop());

test('two concurrent changes report a dropped field once', async () => {
  const { db, sql } = harness.database;
  const { accountId } = await harness.createCustomer({ usd: '0' });
  const { accountType: _, ...fields } = companyExample;
  await changeCompany(db, actor, accountId, () => checkCompany(companyExample, 'en'));
  const individual = checkCompany({ accountType: 'INDIVIDUAL' }, 'en');
  let changes: Promise<ChangedCompany>[] = [];
  // Each reader waits for the row before it writes, so without the lock both would read before either writes.
  await sql.begin(async (transaction) => {
    await transaction`SELECT FROM company_details WHERE account_id = ${accountId} FOR UPDATE`;
    changes = [1, 2].map(() => changeCompany(db, actor, accountId, () => individual));
    await untilWaitingForLock(sql, 2);
  });
  const dropped: string[] = (await Promise.all(changes)).flatMap((change) => change.dropped);
  expect(dropped.sort()).toEqual(Object.keys(fields).sort());
  expect((await readCompany(db, accountId)).accountType).toBe('INDIVIDUAL');
});
