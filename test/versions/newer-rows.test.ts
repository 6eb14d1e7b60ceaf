/** Rows that only a newer version of admin knows are left for it, and do not delay the others. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { createUser } from '../../admin/auth/create-user.ts';
import { claimMails } from '../../admin/mail/queue/claim-mails.ts';
import { deliverOutbox } from '../../admin/wallets/deliver-outbox.ts';
import { type Harness, startHarness } from '../harness.ts';

let harness: Harness;
let accountId: number;

beforeAll(async () => {
  harness = await startHarness();
  const user = await createUser(harness.database.db, {
    email: 'a@example.com',
    passwordHash: 'none',
    displayName: null,
    role: 'customer',
    ownership: 'proven',
  });
  accountId = user.homeAccountId;
});

afterAll(() => harness.stop());

test('a mail of an unknown kind is left for a version that can write it', async () => {
  const { sql } = harness.database;
  await sql`
    INSERT INTO mails (account_id, recipient, language, kind, data, next_attempt_at) VALUES
      (${accountId}, 'a@example.com', 'en', 'kind_of_tomorrow', '{}', now() - interval '1 minute'),
      (${accountId}, 'a@example.com', 'en', 'test', '{}', now())`;
  const { mails: claimed } = await claimMails(sql, { now: new Date(Date.now() + 1_000), max: 10 });
  expect(claimed.map(({ content }) => content.kind)).toEqual(['test']);
  const [left] = await sql`SELECT state, attempts FROM mails WHERE kind = 'kind_of_tomorrow'`;
  expect(left).toEqual({ state: 'queued', attempts: 0 });
});

test('an outbox row of an unknown topic is left for a version that can deliver it', async () => {
  const { sql } = harness.database;
  await sql`INSERT INTO outbox (topic, account_id) VALUES ('topic_of_tomorrow', ${accountId})`;
  await harness.credit(accountId, '3');
  expect(await deliverOutbox({ sql, keeper: harness.keeper })).toBe(0);
  const left = await sql`SELECT topic, attempts FROM outbox WHERE delivered_at IS NULL`;
  expect([...left]).toEqual([{ topic: 'topic_of_tomorrow', attempts: 0 }]);
  expect(await harness.keeper.readWallet(accountId)).toMatchObject({ availableNano: 3_000_000_000n });
});
