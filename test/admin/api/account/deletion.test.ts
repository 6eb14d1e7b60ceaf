/**
 * DELETE /api/account needs the password and a confirmed balance, is immediate and final, and leaves no personal data.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { type Customer, testPassword } from '../../../harness/customers.ts';
import { type Harness, startHarness } from '../../../harness.ts';
import { mailsTo, newestToken } from '../mailbox.ts';
import { AddressBook } from '../notifications/address-book.ts';
import type { CreatedKey, Deleted, Profile } from '../response-types.ts';
import { type Api, createOperator, goodPassword, logIn, randomEmail, register, startApi } from '../start-api.ts';

let harness: Harness;
let api: Api;
let book: AddressBook;
beforeAll(async () => {
  harness = await startHarness();
  api = await startApi(harness, { environment: { PUBLIC_URL: 'https://gateway.example.com' } });
  book = new AddressBook(harness, api);
});
afterAll(async () => {
  await api.stop();
  await harness.stop();
});

const remove = ({ token }: { token: string }, body: object, headers = {}) =>
  api.call<Deleted>('DELETE', '/api/account', { token, body: { current_password: testPassword, ...body }, headers });
const login = (email: string, password = testPassword) =>
  api.call('POST', '/api/auth/login', { body: { email, password } });
const rowOf = async ({ accountId }: Customer) => {
  const [row] = await harness.database.sql`
    SELECT accounts.deleted_at IS NOT NULL AS deleted, balance_nano, email, password_hash, display_name
    FROM accounts JOIN users ON account_id = accounts.id WHERE accounts.id = ${accountId}`;
  return row;
};

/** The key record that the proxy reads. */
async function publishedKey(keyId: number): Promise<Record<string, string>> {
  const [row] = await harness.database.sql`SELECT hash FROM api_keys WHERE id = ${keyId}`;
  const [name = ''] = await harness.redis.keys(`*:key:${row?.hash}`);
  return harness.redis.hgetall(name);
}

describe('DELETE /api/account', () => {
  test('returns 403 for a wrong password, which counts as a failed log-in, and 400 without one', async () => {
    const customer = await book.newCustomer();
    const wrong = await remove(customer, { current_password: 'wrong' });
    expect([wrong.status, wrong.error?.code, wrong.error?.param]).toEqual([403, 'wrong_password', 'current_password']);
    const none = await api.call('DELETE', '/api/account', { token: customer.token });
    expect([none.status, none.error?.code, none.error?.param]).toEqual([400, 'missing_parameter', 'current_password']);
    const headers = { 'x-forwarded-for': '10.9.8.7' };
    for (let guess = 0; guess < 6; guess += 1) await remove(customer, { current_password: 'wrong' }, headers);
    expect((await remove(customer, {}, headers)).error?.code).toBe('too_many_attempts');
    expect(await rowOf(customer)).toMatchObject({ deleted: false, email: customer.email });
  });

  test('returns 409 with the remaining balance, in the message and as a number', async () => {
    const customer = await book.newCustomer('12.340000001');
    const { status, error } = await remove(customer, {});
    expect(status).toBe(409);
    expect(error).toEqual({
      type: 'invalid_request_error',
      code: 'balance_left',
      param: 'forfeitBalanceUsd',
      message: expect.stringContaining('a balance of 12.340000001 USD'),
      details: { balanceUsd: '12.340000001' },
    });
    expect(await rowOf(customer)).toMatchObject({ deleted: false });
    expect((await api.call('GET', '/api/profile', { token: customer.token })).status).toBe(200);
  });

  test.each(['12.34', '12.35', '0', 12.34])(
    'returns 409 for the confirmation %p of another balance',
    async (forfeitBalanceUsd) => {
      const customer = await book.newCustomer('12.340000001');
      const { status, error } = await remove(customer, { forfeitBalanceUsd });
      expect([status, error?.details]).toEqual([409, { balanceUsd: '12.340000001' }]);
      expect(await rowOf(customer)).toMatchObject({ deleted: false });
    },
  );

  test.each([
    [{ forfeitBalanceUsd: 'all' }, 'forfeitBalanceUsd'],
    [{ forfeitBalanceUsd: -1 }, 'forfeitBalanceUsd'],
    [{ force: true }, 'force'],
  ])('returns 400 for %j', async (body, param) => {
    const customer = await book.newCustomer();
    const { status, error } = await remove(customer, body);
    expect([status, error?.param]).toEqual([400, param]);
  });

  test('deletes the account if exactly its balance is confirmed, and the balance stays on the ledger', async () => {
    const customer = await book.newCustomer('12.340000001');
    const { status, body } = await remove(customer, { forfeitBalanceUsd: '12.340000001' });
    expect(status).toBe(200);
    expect(body).toEqual({
      accountId: customer.accountId,
      deletedAt: expect.any(String),
      forfeitedBalanceUsd: '12.340000001',
      keysDeleted: 2,
      keysRefused: true,
    });
    expect(await rowOf(customer)).toMatchObject({ deleted: true, balance_nano: '12340000001' });
  });
});

describe('after a deletion', () => {
  test('sessions have ended, log-in fails as for an unknown address, and links are invalid', async () => {
    const customer = await book.newCustomer();
    const other = await logIn(api, customer.email, testPassword);
    await api.call('POST', '/api/auth/forgot-password', { body: { email: customer.email } });
    const reset = await newestToken(harness, customer.email, 'reset_password');
    const alerts = randomEmail();
    await book.add(customer, alerts);
    const confirmation = await book.linkTo(alerts);
    const { headers } = await remove(customer, {});
    expect(headers.get('set-cookie')).toContain('gateway_refresh=; ');

    for (const token of [customer.token, other]) {
      const { status, error } = await api.call('GET', '/api/profile', { token });
      expect([status, error?.code]).toEqual([401, 'invalid_token']);
    }
    const refused = await login(customer.email);
    const unknown = await login(randomEmail());
    expect([refused.status, refused.error]).toEqual([unknown.status, unknown.error]);
    const body = { token: reset, new_password: goodPassword };
    expect((await api.call('POST', '/api/auth/reset-password', { body })).error?.code).toBe('invalid_link');
    expect((await book.confirm(confirmation)).error?.code).toBe('invalid_link');
    expect((await api.call('POST', '/api/auth/forgot-password', { body: { email: customer.email } })).status).toBe(202);
    expect((await mailsTo(harness, customer.email)).map(({ kind }) => kind)).toEqual(['account_deleted']);
  });

  test('a refresh token cannot be exchanged', async () => {
    const { email, refreshToken, token } = await register(api);
    const link = await newestToken(harness, email, 'verify_email');
    await remove({ token }, { current_password: goodPassword });
    expect((await api.call('POST', '/api/auth/refresh', { body: { refreshToken } })).status).toBe(401);
    expect((await api.call('POST', '/api/auth/verify-email', { body: { token: link } })).error?.code).toBe(
      'invalid_link',
    );
  });

  test('keys of both kinds are gone from Redis and refused by the API', async () => {
    const customer = await book.newCustomer();
    const { token } = customer;
    const { body: made } = await api.call<CreatedKey>('POST', '/api/proxy-keys', { token, body: { name: 'x' } });
    expect(await publishedKey(made.id)).toMatchObject({ account: String(customer.accountId), active: '1' });
    await remove(customer, {});
    // As after the deletion of one key: the version alone, so that an older state cannot come back.
    for (const id of [made.id, customer.proxyKeyId]) expect(Object.keys(await publishedKey(id))).toEqual(['version']);
    const { status, error } = await api.call('GET', '/api/keys', { token: customer.billingKey });
    expect([status, error?.code]).toEqual([401, 'invalid_api_key']);
  });

  test('the address can sign up again, as a new account that knows nothing of the old one', async () => {
    const customer = await book.newCustomer('5');
    await remove(customer, { forfeitBalanceUsd: 5 });
    const body = { email: customer.email, password: goodPassword };
    const again = await api.call<{ accessToken: string }>('POST', '/api/auth/register', { body });
    expect(again.status).toBe(201);
    const token = again.body.accessToken;
    const { body: profile } = await api.call<Profile>('GET', '/api/profile', { token });
    expect(profile).toMatchObject({ email: customer.email, emailVerified: false, displayName: null });
    expect(profile.id).not.toBe(customer.userId);
    expect((await api.call('GET', '/api/transactions', { token })).body).toEqual({
      transactions: [],
      nextCursor: null,
    });
    // The new account may be deleted again, while the first one stays as it is.
    expect((await remove({ token }, { current_password: goodPassword })).status).toBe(200);
  });
});

test('no personal data is left in any table or in Redis, except the mail that confirms the deletion', async () => {
  const email = `canary-${randomEmail()}`;
  const customer = { ...(await harness.createCustomer({ usd: '1', email })), token: '' };
  const operator = await createOperator(harness, api);
  const caller = { ...customer, token: await logIn(api, email, testPassword) };
  const { token } = caller;
  const pending = `canary-${randomEmail()}`;
  const alerts = `canary-${randomEmail()}`;
  await api.call('PUT', '/api/profile', {
    token,
    body: { displayName: 'canary-name', avatarUrl: 'https://canary.example.com/a.png' },
  });
  await api.call('PUT', '/api/profile', { token, body: { email: pending, current_password: testPassword } });
  const company = { accountType: 'IP', fullName: 'canary-company', inn: '500100732259', address: 'canary-street' };
  await api.call('PUT', '/api/profile/details', { token, body: company });
  await api.call('POST', '/api/proxy-keys', { token, body: { name: 'canary-key' } });
  const { body: deletedKey } = await api.call<CreatedKey>('POST', '/api/billing-keys', {
    token,
    body: { name: 'canary-old-key' },
  });
  await api.call('DELETE', `/api/billing-keys/${deletedKey.id}`, { token });
  await book.add(caller, alerts);
  // Entries about operators name the address.
  const { sql } = harness.database;
  await sql`
    INSERT INTO mails (account_id, recipient, language, kind, state)
    VALUES (${customer.accountId}, ${email.toUpperCase()}, 'en', 'test', 'sent')`;
  await sql`
    INSERT INTO audit_entries (actor, action, subject, account_id, after)
    VALUES ('cli:ada', 'user.create', 'user 1', ${customer.accountId}, ${sql.json({ email, role: 'customer' })})`;
  const [failed] = await sql`UPDATE mails SET state = 'failed', data = NULL WHERE recipient = ${alerts} RETURNING id`;
  await api.call('POST', `/api/operator/mails/${failed?.id}/resend`, { token: operator.token });

  const traces = async () => {
    const tables = await sql<{ name: string }[]>`
      SELECT c.oid::regclass::text AS name FROM pg_class c JOIN pg_namespace n ON n.oid = relnamespace
      WHERE relkind IN ('r', 'p') AND nspname = 'public'`;
    const found: string[] = [];
    for (const { name } of tables) {
      const rows = await sql.unsafe(`SELECT t::text AS row FROM ${name} AS t`);
      const canaries = rows.flatMap(({ row }) => row.match(/canary-[\w-]+|500100732259/gi) ?? []);
      if (canaries.length > 0) found.push(name);
    }
    return found.sort();
  };
  const tables = ['alert_addresses', 'api_keys', 'audit_entries', 'company_details', 'mail_tokens', 'mails', 'users'];
  expect(await traces()).toEqual(tables);

  expect((await remove(caller, { forfeitBalanceUsd: '1' })).status).toBe(200);
  expect(await mailsTo(harness, email)).toMatchObject([
    { kind: 'account_deleted', language: 'en', data: { forfeitedNano: '1000000000' } },
  ]);
  await sql`DELETE FROM mails WHERE kind = 'account_deleted'`;
  expect(await traces()).toEqual([]);
  for (const key of await harness.redis.keys('*')) {
    const dumped = await harness.redis.dumpBuffer(key);
    expect(`${key} ${dumped?.toString('latin1')}`).not.toContain('canary');
  }
});

test('no mail is sent to an unverified address when its account is deleted', async () => {
  const { email, token } = await register(api);
  expect((await remove({ token }, { current_password: goodPassword })).status).toBe(200);
  expect(await mailsTo(harness, email)).toEqual([]);
});

test('repeated sign-ups and deletions are limited by the mails that they send to the address', async () => {
  const email = randomEmail();
  const statuses: number[] = [];
  for (let round = 0; round < 6; round += 1) {
    const body = { email, password: goodPassword };
    const signUp = await api.call<{ accessToken: string }>('POST', '/api/auth/register', { body });
    statuses.push(signUp.status);
    if (signUp.status === 201) await remove({ token: signUp.body.accessToken }, { current_password: goodPassword });
  }
  expect(statuses).toEqual([201, 201, 201, 201, 201, 429]);
});
