/** Deletion is atomic, and concurrent writers never restore the personal data that it removed. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { deleteAccount } from '../../../../admin/accounts/deletion/delete-account.ts';
import { changeProfile } from '../../../../admin/accounts/profile/change-profile.ts';
import { changeCompany } from '../../../../admin/accounts/profile/company-store.ts';
import type { User } from '../../../../admin/auth/create-user.ts';
import { findUserById } from '../../../../admin/auth/find-user.ts';
import { mailLink } from '../../../../admin/auth/mail-links/mail-link.ts';
import { setPassword } from '../../../../admin/auth/passwords/set-password.ts';
import { issueRefreshToken, rotateRefreshToken } from '../../../../admin/auth/sessions/refresh-tokens.ts';
import { RequestThrottle } from '../../../../admin/auth/throttle/request-throttle.ts';
import { Throttle } from '../../../../admin/auth/throttle/throttle.ts';
import { createKey } from '../../../../admin/keys/create-key.ts';
import { rotateKey } from '../../../../admin/keys/rotate-key.ts';
import { applyCharges } from '../../../../admin/ledger/charges/apply-charges.ts';
import { addAddress } from '../../../../admin/notifications/addresses/add-address.ts';
import { changeSettings } from '../../../../admin/notifications/change-settings.ts';
import { invite } from '../../../../admin/organizations/invitations.ts';
import { changeOrganization, createOrganization } from '../../../../admin/organizations/organizations.ts';
import { createLog } from '../../../../shared/log.ts';
import type { Customer } from '../../../harness/customers.ts';
import { type Harness, startHarness } from '../../../harness.ts';
import { chargeOf, readBooks } from '../../ledger/ledger.ts';
import { rateOf } from '../../notifications/subject.ts';

const actor = { name: 'cli:ada', userId: null, address: null, requestId: null };
const link = { language: 'en', publicUrl: 'https://gateway.example.com' } as const;

const secret = 'the secret of the gateway';

let harness: Harness;
beforeAll(async () => {
  harness = await startHarness();
});
afterAll(() => harness.stop());

type Subject = Customer & { readonly user: User };

async function newSubject(): Promise<Subject> {
  const customer = await harness.createCustomer({ usd: '0' });
  const user = await findUserById(harness.database.db, customer.userId);
  if (user === undefined) throw new Error('the harness made no user');
  return { ...customer, user };
}

const remove = ({ accountId }: Customer) =>
  deleteAccount(harness.database.db, actor, {
    accountId,
    forfeitNano: undefined,
    language: undefined,
    reason: 'a test',
    self: undefined,
  });

const log = createLog({ program: 'test', level: 'silent' });
const profiles = () => ({
  db: harness.database.db,
  protection: { requests: new RequestThrottle(new Throttle(harness.redis, log)) },
});

/** What each operation does was decided while the account still existed. */
const underWay: [what: string, act: (subject: Subject) => Promise<unknown>][] = [
  ['a log-in', ({ user }) => issueRefreshToken(harness.database.db, { user })],
  [
    'a new key',
    ({ accountId }) =>
      createKey(harness.database.db, 'pepper', { accountId, kind: 'billing', name: 'canary', expiresAt: null }),
  ],
  ['a changed name', ({ user }) => changeProfile(profiles(), user, { change: { displayName: 'canary' }, link })],
  [
    'a new address',
    ({ user }) => changeProfile(profiles(), user, { change: { pendingEmail: 'canary@example.com' }, link }),
  ],
  [
    'company details',
    ({ accountId }) =>
      changeCompany(harness.database.db, actor, accountId, ({ values }) => ({
        accountType: 'OOO',
        values: { ...values, companyName: 'canary' },
      })),
  ],
  [
    'alert settings',
    ({ accountId }) =>
      changeSettings(
        harness.database.sql,
        { actor, accountId, change: { emailEnabled: true } },
        { rate: rateOf('100'), at: new Date() },
      ),
  ],
  [
    'a new name of the organization',
    ({ accountId }) => changeOrganization(harness.database.db, actor, { id: null, accountId }, { name: 'canary' }),
  ],
  [
    'an invitation',
    ({ accountId, user: { id, email } }) =>
      invite(harness.database.db, actor, {
        sender: { id, accountId, email },
        invitation: { email: 'canary@example.com', role: 'member' },
        publicUrl: link.publicUrl,
      }),
  ],
  [
    'an alert address',
    ({ accountId, user: { id } }) =>
      addAddress(harness.database.db, actor, { id, accountId }, { email: 'canary@example.com', ...link }),
  ],
  [
    'a new password',
    ({ user }) =>
      harness.database.db.transaction((transaction) =>
        setPassword(transaction, { user, passwordHash: 'canary', language: 'en' }),
      ),
  ],
];

/** There is no way to log in, nothing is written about the user, and only the farewell is mailed. */
async function expectForgotten({ accountId, userId }: Customer): Promise<void> {
  const { sql } = harness.database;
  const rows = await sql`
    SELECT users::text AS row FROM users WHERE account_id = ${accountId}
    UNION ALL SELECT company::text FROM company_details AS company WHERE account_id = ${accountId}
    UNION ALL SELECT address::text FROM alert_addresses AS address WHERE account_id = ${accountId}
    UNION ALL SELECT settings::text FROM organization_settings AS settings WHERE account_id = ${accountId}
    UNION ALL SELECT invitation::text FROM invitations AS invitation WHERE account_id = ${accountId}
    UNION ALL SELECT key::text FROM api_keys AS key WHERE account_id = ${accountId}`;
  expect(rows.map(({ row }) => row).join('\n')).not.toContain('canary');
  const [living] = await sql`
    SELECT (SELECT count(*) FROM api_keys WHERE account_id = ${accountId} AND deleted_at IS NULL)::int AS keys,
      (SELECT count(*) FROM refresh_tokens WHERE user_id = ${userId} AND revoked_at IS NULL)::int AS sessions,
      (SELECT count(*) FROM mail_tokens WHERE user_id = ${userId})::int AS links,
      (SELECT email_enabled FROM notification_settings WHERE account_id = ${accountId}) AS alerts`;
  expect(living).toEqual({ keys: 0, sessions: 0, links: 0, alerts: false });
  const mails = await sql`SELECT kind FROM mails WHERE account_id = ${accountId}`;
  expect(mails.map(({ kind }) => kind)).toEqual(['account_deleted']);
}

describe.each(underWay)('%s', (_what, act) => {
  test('is refused after a deletion and leaves nothing', async () => {
    const subject = await newSubject();
    await remove(subject);
    await expect(act(subject)).rejects.toMatchObject({ name: 'GatewayError' });
    await expectForgotten(subject);
  });

  test('is undone with the account or refused during a deletion', async () => {
    for (let round = 0; round < 5; round += 1) {
      const subject = await newSubject();
      const [deleted] = await Promise.allSettled([remove(subject), act(subject)]);
      expect(deleted.status).toBe('fulfilled');
      await expectForgotten(subject);
    }
  });
});

test('a link that is mailed during a deletion is either not sent or not valid', async () => {
  for (let round = 0; round < 5; round += 1) {
    const subject = await newSubject();
    const { id: userId, homeAccountId: accountId, email: to } = subject.user;
    const mailing = harness.database.db.transaction((transaction) =>
      mailLink(transaction, { ...link, purpose: 'reset_password', userId, accountId, to }),
    );
    await Promise.all([remove(subject), mailing]);
    await expectForgotten(subject);
  }
});

test('someone who is no longer an owner when it is their turn deletes nothing', async () => {
  const { database } = harness;
  const { accountId, user } = await newSubject();
  const input = { accountId, forfeitNano: undefined, language: undefined, reason: undefined, self: user };
  await database.sql`UPDATE memberships SET role = 'admin' WHERE user_id = ${user.id}`;
  await expect(deleteAccount(database.db, actor, input)).rejects.toMatchObject({ code: 'role_required' });
  const [account] = await database.sql`SELECT deleted_at FROM accounts WHERE id = ${accountId}`;
  expect(account?.deleted_at).toBeNull();
  await database.sql`UPDATE memberships SET role = 'owner' WHERE user_id = ${user.id}`;
  expect(await deleteAccount(database.db, actor, input)).toMatchObject({ accountId });
});

test('an organization that is created during a deletion is not left without an owner', async () => {
  for (let round = 0; round < 5; round += 1) {
    const subject = await newSubject();
    const [deleted, created] = await Promise.allSettled([
      remove(subject),
      createOrganization(harness.database.db, actor, { user: subject.user, name: 'Second' }),
    ]);
    expect([deleted.status, created.status].toSorted()).toEqual(['fulfilled', 'rejected']);
    const refused = [deleted, created].find((outcome) => outcome.status === 'rejected');
    expect(refused?.reason.code).toBe(deleted.status === 'fulfilled' ? 'invalid_token' : 'last_owner');
  }
});

test('sessions that are refreshed during a deletion end, and keys that are rotated are gone', async () => {
  const { db } = harness.database;
  for (let round = 0; round < 5; round += 1) {
    const subject = await newSubject();
    const { refreshToken } = await issueRefreshToken(db, { user: subject.user });
    const owner = { id: subject.proxyKeyId, accountId: subject.accountId, kind: 'proxy' } as const;
    const rotation = { graceHours: 1, expiresAt: undefined };
    const [deleted] = await Promise.allSettled([
      remove(subject),
      rotateRefreshToken(harness.database, { token: refreshToken, secrets: [secret] }),
      db.transaction((transaction) => rotateKey(transaction, { pepper: 'pepper', owner }, rotation)),
    ]);
    expect(deleted.status).toBe('fulfilled');
    await expectForgotten(subject);
  }
});

test('charges booked during a deletion and after it are all booked', async () => {
  const { sql } = harness.database;
  for (let round = 0; round < 5; round += 1) {
    const subject = await newSubject();
    const charges = Array.from({ length: 6 }, () => chargeOf(subject.accountId));
    const terms = { rate: rateOf('100'), at: new Date() };
    await Promise.all([remove(subject), ...charges.slice(1).map((charge) => applyCharges(sql, [charge], terms))]);
    await applyCharges(sql, charges, terms);
    const { balances, violations } = await readBooks(harness.database);
    expect({ balance: balances.get(subject.accountId), violations }).toEqual({ balance: -600n, violations: [] });
    await expectForgotten(subject);
  }
});

test('one of two concurrent deletions reports that the account is already deleted', async () => {
  const subject = await newSubject();
  const responses = await Promise.allSettled([remove(subject), remove(subject)]);
  expect(responses.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  await expectForgotten(subject);
});

test('a failure at the last step of a deletion undoes everything', async () => {
  const { sql } = harness.database;
  const subject = await newSubject();
  await sql`ALTER TABLE mails ADD CONSTRAINT full_disk CHECK (kind <> 'account_deleted') NOT VALID`;
  await expect(remove(subject)).rejects.toThrow();
  await sql`ALTER TABLE mails DROP CONSTRAINT full_disk`;
  expect(await findUserById(harness.database.db, subject.userId)).toEqual(subject.user);
  const [keys] = await sql`
    SELECT count(*)::int FROM api_keys WHERE account_id = ${subject.accountId} AND deleted_at IS NULL AND name = 'test'`;
  expect(keys?.count).toBe(2);
  expect((await sql`SELECT FROM outbox WHERE account_id = ${subject.accountId} AND delivered_at IS NULL`).length).toBe(
    0,
  );
  await remove(subject);
  await expectForgotten(subject);
});
