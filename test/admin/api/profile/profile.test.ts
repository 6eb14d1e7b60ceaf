/** The profile: what it contains, what can be changed in it, and what a new password or e-mail address requires. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Session } from '../../../../admin/api/auth/session.ts';
import { hashEmail } from '../../../../admin/auth/throttle/throttle.ts';
import { type Harness, startHarness } from '../../../harness.ts';
import { mailsTo, newestToken } from '../mailbox.ts';
import type { Profile } from '../response-types.ts';
import {
  type Api,
  goodPassword,
  logIn,
  randomAddress,
  randomEmail,
  register,
  registerVerified,
  startApi,
} from '../start-api.ts';

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

const newPassword = 'seven-calm-herons-fish';
const get = (token: string) => api.call<Profile>('GET', '/api/profile', { token });
const put = (token: string, body: object) => api.call<Profile>('PUT', '/api/profile', { token, body });
const changePassword = (token: string, body: object, headers: Record<string, string> = {}) =>
  api.call('POST', '/api/profile/password', { token, body, headers });
const canLogIn = async (email: string, password: string) =>
  (await api.call('POST', '/api/auth/login', { body: { email, password } })).status === 200;

describe('GET profile', () => {
  test('returns 200 with all fields of a new user', async () => {
    const { email, token, id } = await register(api);
    const { status, body } = await get(token);
    expect(status).toBe(200);
    expect(body).toEqual({
      id,
      email,
      pendingEmail: null,
      displayName: null,
      avatarUrl: null,
      accountType: 'INDIVIDUAL',
      company: null,
      emailVerified: false,
      role: 'customer',
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
    });
  });
});

describe('PUT profile', () => {
  test('accepts what GET returns, and names a changed field that only the gateway sets', async () => {
    const { token } = await register(api);
    await put(token, { email: randomEmail(), current_password: goodPassword });
    const { body: shown } = await get(token);
    expect(shown.pendingEmail).toBeString();
    expect(await put(token, { ...shown })).toMatchObject({ status: 200, body: shown });
    const renamed = await put(token, { ...shown, displayName: 'Anna' });
    expect(renamed.body).toEqual({ ...shown, displayName: 'Anna' });
    const refused = await put(token, { ...shown, role: 'operator', createdAt: '2000-01-01T00:00:00.000Z' });
    expect(refused.error).toMatchObject({ code: 'invalid_parameter', param: 'role' });
    expect(refused.error?.errors?.map(({ param }) => param)).toEqual(['role', 'createdAt']);
  });

  test('changes only the fields sent, and clears a field with null or blanks', async () => {
    const { token } = await register(api);
    const avatarUrl = 'https://example.com/a%20b.png?size=2';
    const first = await put(token, { displayName: '  Анна  ', avatarUrl });
    expect(first.status).toBe(200);
    expect(first.body).toMatchObject({ displayName: 'Анна', avatarUrl });
    expect((await put(token, { displayName: 'Anna' })).body).toMatchObject({ displayName: 'Anna', avatarUrl });
    expect((await put(token, { displayName: '  ' })).body).toMatchObject({ displayName: null, avatarUrl });
    const cleared = await put(token, { avatarUrl: null });
    expect(cleared.body).toMatchObject({ displayName: null, avatarUrl: null });
    expect((await get(token)).body).toEqual(cleared.body);
  });

  test.each([
    ['missing_parameter', 'displayName', {}],
    ['invalid_parameter', 'displayName', { displayName: 7 }],
    ['invalid_parameter', 'displayName', { displayName: '' }],
    ['invalid_parameter', 'displayName', { displayName: 'x'.repeat(101) }],
    ['invalid_parameter', 'displayName', { displayName: 'a\u0000b' }],
    ['invalid_parameter', 'displayName', { displayName: ['a'] }],
    ['invalid_parameter', 'avatarUrl', { avatarUrl: 'http://example.com/a.png' }],
    ['invalid_parameter', 'avatarUrl', { avatarUrl: 'javascript:alert(1)' }],
    ['invalid_parameter', 'avatarUrl', { avatarUrl: 'data:image/png;base64,AAAA' }],
    ['invalid_parameter', 'avatarUrl', { avatarUrl: '//example.com/a.png' }],
    ['invalid_parameter', 'avatarUrl', { avatarUrl: 'https://user:pass@example.com/' }],
    ['invalid_parameter', 'avatarUrl', { avatarUrl: `https://example.com/${'x'.repeat(2_000)}` }],
    ['invalid_parameter', 'avatarUrl', { avatarUrl: true }],
    ['invalid_parameter', 'email', { email: 'nobody', current_password: goodPassword }],
    ['invalid_parameter', 'email', { email: null }],
    ['invalid_parameter', 'current_password', { email: 'a@example.com', current_password: 5 }],
    ['missing_parameter', 'current_password', { email: 'a@example.com' }],
    ['invalid_parameter', 'role', { displayName: 'x', role: 'operator' }],
    ['invalid_parameter', 'accountId', { displayName: 'x', accountId: 1 }],
    ['invalid_parameter', 'emailVerified', { displayName: 'x', emailVerified: true }],
    ['invalid_parameter', 'balance', { displayName: 'x', balance: 100 }],
    ['invalid_parameter', 'passwordHash', { displayName: 'x', passwordHash: 'x' }],
    ['invalid_parameter', 'accountType', { displayName: 'x', accountType: 'OOO' }],
  ])('returns 400 %s that names %s, and nothing changes', async (code, param, body) => {
    const { token } = await register(api);
    const before = (await get(token)).body;
    const response = await put(token, body);
    expect(response.status).toBe(400);
    expect(response.error).toMatchObject({ type: 'invalid_request_error', code, param });
    expect((await get(token)).body).toEqual(before);
  });
});

describe('a new e-mail address', () => {
  test('waits until the link mailed to it is followed', async () => {
    const { email, token } = await registerVerified(harness, api);
    const wanted = randomEmail();
    const { status, body } = await put(token, { email: wanted, current_password: goodPassword });
    expect(status).toBe(200);
    expect(body).toMatchObject({ email, pendingEmail: wanted });
    const warning = (await mailsTo(harness, email)).at(-1);
    expect(warning).toMatchObject({ kind: 'email_change', data: { newEmail: wanted } });
    expect(await canLogIn(email, goodPassword)).toBe(true);
    expect(await canLogIn(wanted, goodPassword)).toBe(false);

    const link = await newestToken(harness, wanted, 'verify_email');
    const verified = await api.call('POST', '/api/auth/verify-email', { token, body: { token: link } });
    expect(verified.body).toEqual({ email: wanted, emailVerified: true, keysDeactivated: 0 });
    expect((await get(token)).body).toMatchObject({ email: wanted, pendingEmail: null, emailVerified: true });
    expect(await canLogIn(email, goodPassword)).toBe(false);
    expect(await canLogIn(wanted, goodPassword)).toBe(true);
  });

  test('voids password reset links that were mailed to the old address', async () => {
    const { email, token } = await register(api);
    await api.call('POST', '/api/auth/forgot-password', { body: { email } });
    const resetLink = await newestToken(harness, email, 'reset_password');
    const wanted = randomEmail();
    await put(token, { email: wanted, current_password: goodPassword });
    const link = await newestToken(harness, wanted, 'verify_email');
    await api.call('POST', '/api/auth/verify-email', { body: { token: link } });
    const body = { token: resetLink, new_password: newPassword };
    const response = await api.call('POST', '/api/auth/reset-password', { body });
    expect(response.error?.code).toBe('invalid_link');
  });

  test('can be cancelled or replaced, after which its link no longer works', async () => {
    const { email, token } = await register(api);
    const [first, second] = [randomEmail(), randomEmail()];
    await put(token, { email: first, current_password: goodPassword });
    await put(token, { email: second, current_password: goodPassword });
    const verify = async (address: string) =>
      api.call('POST', '/api/auth/verify-email', {
        body: { token: await newestToken(harness, address, 'verify_email') },
      });
    expect((await verify(first)).error?.code).toBe('invalid_link');
    expect((await put(token, { email: email.toUpperCase() })).body.pendingEmail).toBeNull();
    expect((await verify(second)).error?.code).toBe('invalid_link');
    expect((await get(token)).body).toMatchObject({ email, pendingEmail: null });
  });

  test('returns 403 with a wrong password, and no mail is sent', async () => {
    const { token } = await register(api);
    const wanted = randomEmail();
    const { status, error } = await put(token, { email: wanted, current_password: 'not-the-right-password' });
    expect(status).toBe(403);
    expect(error).toMatchObject({ type: 'permission_error', code: 'wrong_password', param: 'current_password' });
    expect(await mailsTo(harness, wanted)).toEqual([]);
  });

  test('a new address that has an account gets the same response as any other, and its owner is notified', async () => {
    const [user, owner] = [await registerVerified(harness, api), await registerVerified(harness, api)];
    const free = randomEmail();
    const ask = async (email: string) => {
      const { status, headers, body } = await put(user.token, { email, current_password: goodPassword });
      const resent = await api.call('POST', '/api/auth/resend-verification', { token: user.token });
      expect(body.pendingEmail).toBe(email);
      expect(resent.body).toEqual({ sentTo: email });
      return { status, headers: [...headers.keys()], body: { ...body, pendingEmail: '' } };
    };
    expect(await ask(owner.email.toUpperCase())).toEqual(await ask(free));
    const notified = (await mailsTo(harness, owner.email)).map(({ kind }) => kind);
    expect(notified).toEqual(['verify_email', 'address_in_use']);
    expect(await mailsTo(harness, owner.email.toUpperCase())).toEqual([]);
  });

  test('returns 409 if another account got the address before the link was followed', async () => {
    const user = await register(api);
    const wanted = randomEmail();
    await put(user.token, { email: wanted, current_password: goodPassword });
    const link = await newestToken(harness, wanted, 'verify_email');
    await api.call('POST', '/api/auth/register', { body: { email: wanted, password: goodPassword } });
    const late = await api.call('POST', '/api/auth/verify-email', { body: { token: link } });
    expect(late.status).toBe(409);
    expect(late.error?.code).toBe('email_taken');
    expect((await get(user.token)).body.email).toBe(user.email);
  });

  test('is the one that resend-verification mails to', async () => {
    const { token } = await register(api);
    const wanted = randomEmail();
    await put(token, { email: wanted, current_password: goodPassword });
    const { body } = await api.call('POST', '/api/auth/resend-verification', { token });
    expect(body).toEqual({ sentTo: wanted });
    expect(await mailsTo(harness, wanted)).toHaveLength(2);
  });
});

describe('POST password', () => {
  test('returns 204, ends all other sessions, keeps this one, and notifies the user', async () => {
    const { email, token, refreshToken } = await registerVerified(harness, api);
    const other = (await api.call<Session>('POST', '/api/auth/login', { body: { email, password: goodPassword } }))
      .body;
    const response = await changePassword(token, { current_password: goodPassword, new_password: newPassword });
    expect({ status: response.status, body: response.body }).toEqual({ status: 204, body: '' });
    expect((await get(token)).status).toBe(200);
    expect((await get(other.accessToken)).status).toBe(401);
    const refresh = (refreshToken: string) => api.call('POST', '/api/auth/refresh', { body: { refreshToken } });
    expect((await refresh(other.refreshToken)).status).toBe(401);
    expect((await refresh(refreshToken)).status).toBe(200);
    expect(await canLogIn(email, goodPassword)).toBe(false);
    expect(await logIn(api, email, newPassword)).toBeString();
    expect((await mailsTo(harness, email)).at(-1)?.kind).toBe('password_changed');
  });

  test('voids password reset links', async () => {
    const { email, token } = await register(api);
    await api.call('POST', '/api/auth/forgot-password', { body: { email } });
    const link = await newestToken(harness, email, 'reset_password');
    await changePassword(token, { current_password: goodPassword, new_password: newPassword });
    const body = { token: link, new_password: 'nine-brave-foxes-jump' };
    expect((await api.call('POST', '/api/auth/reset-password', { body })).error?.code).toBe('invalid_link');
  });

  test('returns 403 for a wrong current password, and the guess counts with those at log-in', async () => {
    const { email, token } = await register(api);
    const address = randomAddress();
    const headers = { 'x-forwarded-for': address };
    const body = { current_password: 'not-the-right-one', new_password: newPassword };
    const guess = () => changePassword(token, body, headers);
    const first = await guess();
    expect(first.status).toBe(403);
    expect(first.error).toMatchObject({ code: 'wrong_password', param: 'current_password' });
    await harness.redis.hset(`{auth}:guesses:${hashEmail(email)}:${address}`, 'guesses', 12);
    expect((await guess()).status).toBe(403);
    const refused = await guess();
    expect(refused.error?.code).toBe('too_many_attempts');
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    const credentials = { email, password: goodPassword };
    const login = await api.call('POST', '/api/auth/login', { body: credentials, headers });
    expect(login.status).toBe(429);
  });

  test.each([
    ['missing_parameter', 'current_password', { new_password: newPassword }],
    ['missing_parameter', 'new_password', { current_password: goodPassword }],
    ['invalid_parameter', 'current_password', { current_password: 5, new_password: newPassword }],
    ['invalid_parameter', 'current_password', { current_password: 'x'.repeat(257), new_password: newPassword }],
    ['invalid_parameter', 'new_password', { current_password: goodPassword, new_password: null }],
    ['invalid_parameter', 'new_password', { current_password: goodPassword, new_password: 'short' }],
    ['invalid_parameter', 'new_password', { current_password: goodPassword, new_password: 'x'.repeat(257) }],
    ['invalid_parameter', 'new_password', { current_password: goodPassword, new_password: 'Password123!' }],
    ['invalid_parameter', 'new_password', { current_password: goodPassword, new_password: goodPassword }],
    ['invalid_parameter', 'userId', { current_password: goodPassword, new_password: newPassword, userId: 1 }],
  ])('returns 400 %s that names %s, and the old password stays', async (code, param, body) => {
    const { email, token } = await register(api);
    const response = await changePassword(token, body);
    expect(response.status).toBe(400);
    expect(response.error).toMatchObject({ code, param });
    expect(JSON.stringify(response.body)).not.toContain(goodPassword);
    expect(await canLogIn(email, goodPassword)).toBe(true);
  });
});
