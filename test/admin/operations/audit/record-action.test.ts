/** The audit log cannot be changed, and no action happens without it. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { blockAccount } from '../../../../admin/accounts/block-account.ts';
import { bookCredit } from '../../../../admin/accounts/book-credit.ts';
import { listAudit } from '../../../../admin/operations/audit/list-audit.ts';
import { recordAction } from '../../../../admin/operations/audit/record-action.ts';
import { parseUsd } from '../../../../shared/money.ts';
import { openLedger, readBooks, type TestLedger } from '../../ledger/ledger.ts';

const actor = { name: 'operator@example.com', userId: 1, address: '203.0.113.7', requestId: 'x' };
const everything = {
  actor: undefined,
  action: undefined,
  accountId: undefined,
  from: undefined,
  to: undefined,
  beforeId: undefined,
  limit: 10,
};

let ledger: TestLedger;
let accountId: number;
beforeAll(async () => {
  ledger = await openLedger();
  accountId = await ledger.openAccount();
  await recordAction(ledger.db, actor, { action: 'account.block', subject: 'account 1' });
});
afterAll(() => ledger.close());

test.each([
  ['UPDATE', "UPDATE audit_entries SET actor = 'somebody else'"],
  ['UPDATE', "UPDATE audit_entries SET actor = 'user 2'"],
  ['UPDATE', "UPDATE audit_entries SET actor = 'user 1', reason = 'another'"],
  ['UPDATE', "UPDATE audit_entries SET address = '198.51.100.1'"],
  ['UPDATE', "UPDATE audit_entries SET before = '{}'"],
  ['DELETE', 'DELETE FROM audit_entries'],
  ['TRUNCATE', 'TRUNCATE audit_entries'],
])('the audit log refuses %s', async (operation, statement) => {
  await expect(ledger.sql.unsafe(statement).execute()).rejects.toThrow(`refuses ${operation}`);
  expect(await listAudit(ledger.db, everything)).toMatchObject([{ actor: actor.name, subject: 'account 1' }]);
});

test("the audit log allows removing a deleted person's identity, and no other change", async () => {
  const before = { email: 'ada@example.com', role: 'customer' };
  await recordAction(ledger.db, { ...actor, userId: 7 }, { action: 'user.promote', subject: 'user 8', before });
  const forget = (change: string) =>
    ledger.sql.unsafe(`UPDATE audit_entries SET ${change} WHERE user_id = 7`).execute();
  await expect(forget("before = before - 'role'")).rejects.toThrow('refuses UPDATE');
  await forget("actor = 'user 7', address = NULL, before = before - ARRAY['email', 'recipient']");
  expect((await listAudit(ledger.db, everything))[0]).toMatchObject({
    actor: 'user 7',
    address: null,
    subject: 'user 8',
    before: { role: 'customer' },
  });
});

test('an action that cannot be recorded is not performed', async () => {
  const before = await readBooks(ledger);
  await ledger.sql`ALTER TABLE audit_entries ADD CONSTRAINT full_disk CHECK (action = 'account.block') NOT VALID`;
  const input = { accountId, type: 'payment', amountNano: parseUsd('5'), reason: 'x', idempotencyKey: 'k' } as const;
  await expect(bookCredit(ledger.db, actor, input)).rejects.toThrow();
  await ledger.sql`ALTER TABLE audit_entries DROP CONSTRAINT full_disk`;
  expect(await readBooks(ledger)).toEqual(before);
  expect((await ledger.sql`SELECT FROM outbox`).length).toBe(0);
  // The same key can be tried again.
  expect((await bookCredit(ledger.db, actor, input)).repeated).toBe(false);
});

test('an action that is not performed is not recorded', async () => {
  const before = (await listAudit(ledger.db, everything)).length;
  const nobody = { accountId: 999_999, reason: 'x' };
  await expect(blockAccount(ledger.db, actor, nobody)).rejects.toMatchObject({ code: 'not_found' });
  expect((await listAudit(ledger.db, everything)).length).toBe(before);
});
