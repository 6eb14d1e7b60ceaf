/**
 * What an e-mail verification ends stays ended, whatever is in progress during it; and accounts older than
 * verification.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { changeProfile } from '../../../../admin/accounts/profile/change-profile.ts';
import { findUserById } from '../../../../admin/auth/find-user.ts';
import { createLoginProtection } from '../../../../admin/auth/login-protection.ts';
import { acceptProof } from '../../../../admin/auth/mail-links/accept-proof.ts';
import { issueMailToken } from '../../../../admin/auth/mail-links/mail-tokens.ts';
import { changePassword } from '../../../../admin/auth/passwords/change-password.ts';
import { PasswordHasher } from '../../../../admin/auth/passwords/password-hasher.ts';
import { resetPassword } from '../../../../admin/auth/passwords/reset-password.ts';
import { testHashCosts } from '../../../harness/customers.ts';
import { untilWaitingForLock } from '../../../harness/wait-for-lock.ts';
import { type Harness, startHarness } from '../../../harness.ts';
import type { CreatedKey } from '../../api/response-types.ts';
import { FactorClient } from '../../api/second-factor/factor-client.ts';
import { type Api, type ApiResponse, goodPassword, randomAddress, register, startApi } from '../../api/start-api.ts';

let harness: Harness;
let api: Api;
beforeAll(async () => {
  harness = await startHarness();
  api = await startApi(harness);
});
afterAll(async () => {
  await api.stop();
  await harness.stop();
});

async function userOf(id: number) {
  const user = await findUserById(harness.database.db, id);
  if (user === undefined) throw new Error('no user');
  return user;
}

/**
 * Verifies an address, with an operation that was admitted before and still runs when the verification is committed.
 */
async function proveWhile(userId: number, begin: () => Promise<ApiResponse>): Promise<ApiResponse> {
  const user = await userOf(userId);
  let begun: Promise<ApiResponse> | undefined;
  await harness.database.db.transaction(async (transaction) => {
    await acceptProof(transaction, { user, purpose: 'verify_address' });
    begun = begin();
    await untilWaitingForLock(harness.database.sql);
  });
  if (begun === undefined) throw new Error('nothing has begun');
  return begun;
}

describe('while an e-mail verification is being committed', () => {
  test.each(['proxy', 'billing'])('no %s key is created in a session that it ends', async (kind) => {
    const { id, token } = await register(api);
    const create = () => api.call('POST', `/api/${kind}-keys`, { token, body: { name: 'late' } });
    const response = await proveWhile(id, create);
    expect(response.error?.code).toBe('invalid_token');
    const { homeAccountId: accountId } = await userOf(id);
    expect(await harness.database.sql`SELECT id FROM api_keys WHERE account_id = ${accountId}`).toHaveLength(0);
  });

  test('no key is activated in a session that it ends, and none is created with a key that it deactivates', async () => {
    const { id, token } = await register(api);
    const { body: proxy } = await api.call<CreatedKey>('POST', '/api/proxy-keys', { token, body: { name: 'x' } });
    const { body: billing } = await api.call<CreatedKey>('POST', '/api/billing-keys', { token, body: { name: 'x' } });
    const created = await proveWhile(id, () =>
      api.call('POST', '/api/keys', { token: billing.key, body: { name: 'late' } }),
    );
    expect(created.error?.code).toBe('key_deactivated');

    const other = await register(api);
    const { body: key } = await api.call<CreatedKey>('POST', '/api/proxy-keys', {
      token: other.token,
      body: { name: 'x' },
    });
    const activated = await proveWhile(other.id, () =>
      api.call('PUT', `/api/proxy-keys/${key.id}`, { token: other.token, body: { active: true } }),
    );
    expect(activated.error?.code).toBe('invalid_token');
    const rows = await harness.database.sql`
      SELECT active FROM api_keys WHERE id IN (${proxy.id}, ${billing.id}, ${key.id})`;
    expect(rows.map(({ active }) => active)).toEqual([false, false, false]);
  });
});

describe('a password reset', () => {
  const stranger = async () => {
    const { id, email } = await register(api);
    const place = { organizationRole: 'owner', signInRule: 'none', unmetRule: null } as const;
    const session = { ...place, sessionId: crypto.randomUUID(), tokenExpiresAt: new Date() };
    const user = await userOf(id);
    const caller = { ...user, accountId: user.homeAccountId, ...session };
    const { db } = harness.database;
    const protection = createLoginProtection(api.services, new PasswordHasher({ costs: testHashCosts }));
    const { token } = await issueMailToken(db, { userId: id, email, purpose: 'reset_password' });
    const input = { token, password: 'seven-calm-herons-fish', language: 'en', address: randomAddress() } as const;
    return { caller, db, protection, reset: () => resetPassword({ db, protection }, input) };
  };

  test('a password reset prevails over a concurrent change of the password that the old one allowed', async () => {
    const { caller, db, protection, reset } = await stranger();
    // Runs between the check of the current password and its change.
    class SlowHasher extends PasswordHasher {
      override async hash(password: string): Promise<string> {
        await reset();
        return super.hash(password);
      }
    }
    const slow = { ...protection, passwords: new SlowHasher({ costs: testHashCosts }) };
    const change = changePassword(
      { db, protection: slow },
      {
        caller,
        password: goodPassword,
        newPassword: 'nine-brave-foxes-jump',
        address: randomAddress(),
        language: 'en',
      },
    );
    await expect(change).rejects.toMatchObject({ code: 'wrong_password' });
    const { passwordHash } = await userOf(caller.id);
    expect(await protection.passwords.verify('seven-calm-herons-fish', passwordHash)).toBe(true);
  });

  test('a password reset prevails over a concurrent change of the address, mailed or not', async () => {
    const { caller, db, protection, reset } = await stranger();
    const input = (pendingEmail: string) => ({
      change: { pendingEmail },
      link: { language: 'en', publicUrl: api.config.publicUrl } as const,
    });
    await changeProfile({ db, protection }, caller, input('first@example.com'));
    await reset();
    expect((await userOf(caller.id)).pendingEmail).toBeNull();
    const late = changeProfile({ db, protection }, caller, input('second@example.com'));
    await expect(late).rejects.toMatchObject({ code: 'wrong_password' });
    expect((await userOf(caller.id)).pendingEmail).toBeNull();
  });
});

describe('second factors', () => {
  const withFactor = async (ownership: string) => {
    const client = new FactorClient(harness, api);
    const someone = await client.someone();
    const { id, email } = someone;
    await client.confirm(someone);
    await client.addPasskey(someone);
    await client.setOwnership(someone, ownership);
    return { id, email, purpose: 'reset_password' } as const;
  };
  const reset = async ({ id, ...link }: Awaited<ReturnType<typeof withFactor>>) => {
    const { token } = await issueMailToken(harness.database.db, { userId: id, ...link });
    const body = { token, new_password: 'seven-calm-herons-fish' };
    expect((await api.call('POST', '/api/auth/reset-password', { body })).status).toBeLessThan(300);
    return (await userOf(id)).secondFactorAt;
  };

  test('of a stranger end when the owner of the address resets the password', async () => {
    const subject = await withFactor('unproven');
    expect(await reset(subject)).toBeNull();
    const body = { email: subject.email, password: 'seven-calm-herons-fish' };
    expect((await api.call('POST', '/api/auth/login', { body })).status).toBe(200);
  });

  test.each(['uncertain', 'proven'])(
    'of someone whose address is %s stay: a mailbox alone is no way around them',
    async (ownership) => {
      expect(await reset(await withFactor(ownership))).toBeInstanceOf(Date);
    },
  );
});

test('a reset link mailed to an address that is no longer the user’s does not work', async () => {
  const { id, email } = await register(api);
  const { token } = await issueMailToken(harness.database.db, { userId: id, email, purpose: 'reset_password' });
  await harness.database.sql`UPDATE users SET email = ${crypto.randomUUID()} WHERE id = ${id}`;
  const body = { token, new_password: 'seven-calm-herons-fish' };
  const response = await api.call('POST', '/api/auth/reset-password', { body });
  expect(response.error?.code).toBe('invalid_link');
});

describe('accounts that are older than e-mail verification', () => {
  const migration = join(import.meta.dir, '../../../../drizzle/0015_ownership.sql');
  const upgrade = async () => {
    const [, statement = ''] = (await Bun.file(migration).text()).split('--> statement-breakpoint');
    await harness.database.sql`UPDATE accounts SET ownership = 'proven'`;
    await harness.database.sql.unsafe(statement);
  };
  const ownershipOf = async (accountId: number) => {
    const [row] = await harness.database.sql`SELECT ownership FROM accounts WHERE id = ${accountId}`;
    return row?.ownership;
  };

  test('keep their keys, and are trusted if they were verified, paid for or created by an operator', async () => {
    const signedUp = await register(api);
    const verified = await register(api);
    const paying = await register(api);
    await harness.database.sql`UPDATE users SET email_verified_at = now() WHERE id = ${verified.id}`;
    const [unused, trusted, paid] = await Promise.all(
      [signedUp, verified, paying].map(async ({ id }) => (await userOf(id)).homeAccountId),
    );
    if (unused === undefined || trusted === undefined || paid === undefined) throw new Error('no accounts');
    await harness.credit(paid, '1');
    const { accountId: made } = await harness.createCustomer({ usd: '0' });
    await harness.database.sql`
      INSERT INTO audit_entries (actor, action, subject, account_id) VALUES ('cli:test', 'user.create', 'user', ${made})`;
    await upgrade();
    expect(await Promise.all([unused, trusted, paid, made].map(ownershipOf))).toEqual([
      'uncertain',
      'proven',
      'proven',
      'proven',
    ]);
  });
});
