/** Sign-up and log-in: every response, and what none of them may reveal. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Session } from '../../../../admin/api/auth/session.ts';
import { type Harness, startHarness } from '../../../harness.ts';
import { mailsTo } from '../mailbox.ts';
import {
  type Api,
  goodPassword,
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

const signUp = (body: object | string) => api.call<Session>('POST', '/api/auth/register', { body });
const logIn = (body: object | string) => api.call<Session>('POST', '/api/auth/login', { body });

describe('POST register', () => {
  test('returns 201 and logs the new user in', async () => {
    const email = randomEmail();
    const { status, body } = await signUp({ email, password: goodPassword, displayName: ' Anna ' });
    expect(status).toBe(201);
    expect(body).toEqual({
      accessToken: expect.any(String),
      tokenType: 'Bearer',
      expiresIn: 900,
      refreshToken: expect.stringMatching(/^[\w-]{43}$/),
      user: { id: expect.any(Number), email, displayName: 'Anna', role: 'customer' },
      organization: {
        id: expect.any(Number),
        name: email,
        role: 'owner',
        unmetSignIn: null,
        permissions: expect.any(Array),
      },
    });
    const balance = await api.call('GET', '/api/balance', { token: body.accessToken });
    expect(balance.status).toBe(200);
  });

  test('sets a refresh cookie that is hidden from scripts and other sites', async () => {
    const { headers, body } = await signUp({ email: randomEmail(), password: goodPassword });
    const cookie = headers.get('set-cookie') ?? '';
    expect(cookie).toStartWith(`gateway_refresh=${body.refreshToken};`);
    for (const attribute of ['HttpOnly', 'SameSite=Strict', 'Path=/api/auth', 'Max-Age=2592000']) {
      expect(cookie).toContain(attribute);
    }
    expect(cookie).not.toContain('Secure');
  });

  test('sets a Secure refresh cookie if admin is served over https', async () => {
    const secure = await startApi(harness, { environment: { PUBLIC_URL: 'https://gateway.example.com' } });
    const body = { email: randomEmail(), password: goodPassword };
    const { headers } = await secure.call('POST', '/api/auth/register', { body });
    await secure.stop();
    expect(headers.get('set-cookie')).toContain('Secure');
  });

  test('returns 409 for an e-mail that is taken, in upper or lower case', async () => {
    const email = randomEmail();
    await signUp({ email, password: goodPassword });
    const { status, error } = await signUp({ email: email.toUpperCase(), password: goodPassword });
    expect(status).toBe(409);
    expect(error).toMatchObject({ code: 'email_taken', param: 'email' });
  });

  test('mails the owner of a taken address at most once a day', async () => {
    const { email } = await registerVerified(harness, api);
    for (const spelling of [email, email.toUpperCase(), email]) {
      expect((await signUp({ email: spelling, password: goodPassword })).status).toBe(409);
    }
    const notified = (await mailsTo(harness, email)).filter(({ kind }) => kind === 'address_in_use');
    expect(notified).toMatchObject([{ language: 'en', data: { attempt: 'sign_up' } }]);
  });

  test('returns 409 to one client five times an hour, and then the same response for every address', async () => {
    const headers = { 'x-forwarded-for': randomAddress() };
    const users = await Promise.all(Array.from({ length: 7 }, () => register(api)));
    const known = users.map(({ email }) => email);
    const ask = (email: string) =>
      api.call('POST', '/api/auth/register', { body: { email, password: goodPassword }, headers });
    // Neither in sequence nor concurrently.
    const first = await Promise.all(known.slice(0, 3).map(ask));
    expect(first.map(({ status }) => status)).toEqual([409, 409, 409]);
    expect((await ask(randomEmail())).status).toBe(201);
    const rest = await Promise.all(known.slice(3).map(ask));
    expect(rest.map(({ status }) => status).sort()).toEqual([409, 409, 429, 429]);
    const [refused, unknown] = [await ask(known[0] ?? ''), await ask(randomEmail())];
    expect(refused.status).toBe(429);
    expect(unknown.status).toBe(429);
    expect(unknown.body).toEqual(refused.body);
  });

  test('creates one account for concurrent sign-ups with one e-mail, and no spare account remains', async () => {
    const email = randomEmail();
    const count = async () => (await harness.database.sql`SELECT count(*) AS n FROM accounts`)[0]?.n;
    const before = Number(await count());
    const responses = await Promise.all(Array.from({ length: 4 }, () => signUp({ email, password: goodPassword })));
    expect(responses.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409]);
    expect(Number(await count())).toBe(before + 1);
  });

  test('returns 403 when sign-up is closed', async () => {
    const closed = await startApi(harness, { environment: { REGISTRATION: 'closed' } });
    const body = { email: randomEmail(), password: goodPassword };
    const response = await closed.call('POST', '/api/auth/register', { body });
    await closed.stop();
    expect(response.status).toBe(403);
    expect(response.error?.code).toBe('registration_closed');
  });

  test.each([
    ['role', { role: 'operator' }],
    ['accountId', { accountId: 1 }],
    ['balanceNano', { balanceNano: '1000000000' }],
    ['emailVerifiedAt', { emailVerifiedAt: '2020-01-01T00:00:00Z' }],
    ['__proto__', JSON.parse('{"__proto__": {"role": "operator"}}')],
  ])('returns 400 for a field that no caller may set: %s', async (param, extra) => {
    const email = randomEmail();
    const text = JSON.stringify({ email, password: goodPassword }).replace(
      '{',
      `${JSON.stringify(extra).slice(0, -1)},`,
    );
    const { status, error } = await signUp(text);
    expect(status).toBe(400);
    expect(error).toMatchObject({ code: 'invalid_parameter', param });
    expect((await logIn({ email, password: goodPassword })).status).toBe(401);
  });

  test.each([
    ['missing_parameter', 'email', { password: goodPassword }],
    ['missing_parameter', 'password', { email: 'a@example.com' }],
    ['invalid_parameter', 'email', { email: 5, password: goodPassword }],
    ['invalid_parameter', 'email', { email: 'nobody', password: goodPassword }],
    ['invalid_parameter', 'email', { email: 'a@b', password: goodPassword }],
    ['invalid_parameter', 'email', { email: 'a\u0000@example.com', password: goodPassword }],
    ['invalid_parameter', 'password', { email: 'a@example.com', password: 'short' }],
    ['invalid_parameter', 'password', { email: 'a@example.com', password: 'x'.repeat(257) }],
    ['invalid_parameter', 'password', { email: 'a@example.com', password: 'Password123!' }],
    ['invalid_parameter', 'password', { email: 'long.name@example.com', password: 'Long.Name@example.com' }],
    ['invalid_parameter', 'displayName', { email: 'a@example.com', password: goodPassword, displayName: '' }],
    ['invalid_parameter', 'displayName', { email: 'a@example.com', password: goodPassword, displayName: 'a\u0000b' }],
  ])('returns 400 %s that names %s', async (code, param, input) => {
    const { status, error } = await signUp(input);
    expect(status).toBe(400);
    expect(error).toMatchObject({ type: 'invalid_request_error', code, param });
  });

  test('never repeats the password in an error', async () => {
    const { body } = await signUp({ email: 'a@example.com', password: 'Password123!', displayName: 7 });
    expect(JSON.stringify(body)).not.toContain('Password123!');
  });
});

describe('POST login', () => {
  test('returns 200 whatever the case of the e-mail', async () => {
    const { email } = await register(api);
    const { status, body } = await logIn({ email: ` ${email.toUpperCase()} `, password: goodPassword });
    expect(status).toBe(200);
    expect(body.user.email).toBe(email);
  });

  test('returns the same 401 for a wrong password and an unknown e-mail', async () => {
    const { email } = await register(api);
    const wrong = await logIn({ email, password: 'another-good-password' });
    const unknown = await logIn({ email: randomEmail(), password: goodPassword });
    expect(wrong.status).toBe(401);
    expect(wrong.error?.code).toBe('invalid_credentials');
    expect(unknown.status).toBe(401);
    expect(unknown.body).toEqual(wrong.body);
  });

  test.each([
    ['missing_parameter', 'email', {}],
    ['missing_parameter', 'password', { email: 'a@example.com' }],
    ['invalid_parameter', 'password', { email: 'a@example.com', password: ['x'] }],
    ['invalid_parameter', 'otp', { email: 'a@example.com', password: 'x', otp: '1' }],
  ])('returns 400 %s that names %s', async (code, param, input) => {
    const { status, error } = await logIn(input);
    expect(status).toBe(400);
    expect(error).toMatchObject({ code, param });
  });

  test('works without Redis, but is not throttled', async () => {
    const { email } = await register(api);
    const withoutRedis = await startApi(harness, { environment: { REDIS_URL: 'redis://127.0.0.1:1' } });
    const response = await withoutRedis.call('POST', '/api/auth/login', { body: { email, password: goodPassword } });
    await withoutRedis.stop();
    expect(response.status).toBe(200);
  });
});
