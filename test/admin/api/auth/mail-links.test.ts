/** Mailed links: what they allow, once and for a limited time, and that requesting them discloses nothing. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Session } from '../../../../admin/api/auth/session.ts';
import { type Harness, startHarness } from '../../../harness.ts';
import { linkIn, mailsTo, newestToken } from '../mailbox.ts';
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
  api = await startApi(harness, { environment: { PUBLIC_URL: 'https://gateway.example.com' } });
});
afterAll(async () => {
  await api.stop();
  await harness.stop();
});

const newPassword = 'seven-calm-herons-fish';
const verify = (link: unknown, token?: string) =>
  api.call('POST', '/api/auth/verify-email', { body: { token: link }, ...(token !== undefined && { token }) });
const forgot = (email: string, headers?: Record<string, string>) =>
  api.call('POST', '/api/auth/forgot-password', { body: { email }, ...(headers && { headers }) });
const reset = (token: unknown, password: unknown = newPassword) =>
  api.call('POST', '/api/auth/reset-password', { body: { token, new_password: password } });
const resend = (token: string) => api.call('POST', '/api/auth/resend-verification', { token });
const profile = async (token: string) => (await api.call<Profile>('GET', '/api/profile', { token })).body;
const expire = (email: string) =>
  harness.database.sql`UPDATE mail_tokens SET expires_at = now() - interval '1 second' WHERE email = ${email}`;

async function askForReset(email: string): Promise<string> {
  expect((await forgot(email)).status).toBe(202);
  return newestToken(harness, email, 'reset_password');
}

describe('the verify-email link', () => {
  test('is mailed at sign-up, leads to the dashboard, is valid for 48 hours and in the browser’s language', async () => {
    const email = randomEmail();
    const before = Date.now();
    const headers = { 'accept-language': 'de, ru-RU;q=0.9, en;q=0.5' };
    await api.call('POST', '/api/auth/register', { body: { email, password: goodPassword }, headers });
    const [mail, ...rest] = await mailsTo(harness, email);
    expect(rest).toEqual([]);
    expect(mail).toMatchObject({ kind: 'verify_email', language: 'ru' });
    expect(linkIn(mail).url).toMatch(/^https:\/\/gateway\.example\.com\/verify-email\?token=[\w-]{43}$/);
    const lifeMs = Date.parse(linkIn(mail).expiresAt) - before;
    expect(Math.round(lifeMs / 3_600_000)).toBe(48);
  });

  test('is not mailed if the sign-up fails', async () => {
    const { email } = await register(api);
    const again = await api.call('POST', '/api/auth/register', { body: { email, password: goodPassword } });
    expect(again.status).toBe(409);
    expect(await mailsTo(harness, email)).toHaveLength(1);
  });

  test('verifies the address with 200, once', async () => {
    const { email, token } = await register(api);
    expect((await profile(token)).emailVerified).toBe(false);
    const link = await newestToken(harness, email, 'verify_email');
    const { status, body } = await verify(link, token);
    expect(status).toBe(200);
    expect(body).toEqual({ email, emailVerified: true, keysDeactivated: 0 });
    expect((await profile(token)).emailVerified).toBe(true);
    const again = await verify(link);
    expect(again.status).toBe(400);
    expect(again.error).toMatchObject({ code: 'invalid_link', param: 'token' });
  });

  test('succeeds exactly once under concurrent use', async () => {
    const { email } = await register(api);
    const link = await newestToken(harness, email, 'verify_email');
    const responses = await Promise.all(Array.from({ length: 6 }, () => verify(link)));
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 400, 400, 400, 400, 400]);
  });

  test('is refused with 400 if it has expired, is for another purpose, or is empty', async () => {
    const { email, token } = await register(api);
    const resetLink = await askForReset(email);
    expect((await verify(resetLink)).error?.code).toBe('invalid_link');
    const link = await newestToken(harness, email, 'verify_email');
    expect((await reset(link)).error?.code).toBe('invalid_link');
    await expire(email);
    expect((await verify(link)).error?.code).toBe('invalid_link');
    expect((await verify('x'.repeat(43))).error?.code).toBe('invalid_link');
    expect((await profile(token)).emailVerified).toBe(false);
  });

  test('can be requested again until the address is verified, and older links stay valid until then', async () => {
    const { email, token } = await register(api);
    const first = await newestToken(harness, email, 'verify_email');
    expect((await resend(token)).body).toEqual({ sentTo: email });
    expect(await newestToken(harness, email, 'verify_email')).not.toBe(first);
    expect((await verify(first, token)).status).toBe(200);
    expect((await resend(token)).body).toEqual({ sentTo: null });
    expect(await mailsTo(harness, email)).toHaveLength(2);
  });

  test('is refused with 429 after 5 mails an hour to one address, including that of the sign-up', async () => {
    const { email, token } = await register(api);
    for (let mail = 0; mail < 4; mail += 1) expect((await resend(token)).status).toBe(200);
    const refused = await resend(token);
    expect(refused.status).toBe(429);
    expect(refused.error?.code).toBe('too_many_attempts');
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(3_500);
    expect(await mailsTo(harness, email)).toHaveLength(5);
  });
});

describe('forgot-password', () => {
  test('returns 202 and mails a link valid for an hour, whatever the case of the address', async () => {
    const { email } = await register(api);
    const before = Date.now();
    const { status, body } = await forgot(` ${email.toUpperCase()} `);
    expect({ status, body }).toEqual({ status: 202, body: '' });
    const mail = (await mailsTo(harness, email)).at(-1);
    expect(mail).toMatchObject({ kind: 'reset_password', language: 'en' });
    expect(linkIn(mail).url).toMatch(/^https:\/\/gateway\.example\.com\/reset-password\?token=[\w-]{43}$/);
    expect(Math.round((Date.parse(linkIn(mail).expiresAt) - before) / 60_000)).toBe(60);
  });

  test('returns the same response for an unknown address, and mails nothing', async () => {
    const { email } = await register(api);
    const stranger = randomEmail();
    const [known, unknown] = [await forgot(email), await forgot(stranger)];
    const shape = ({ status, body, headers }: typeof known) => ({ status, body, headers: [...headers.keys()] });
    expect(shape(unknown)).toEqual(shape(known));
    expect(await mailsTo(harness, stranger)).toEqual([]);
  });

  test('throttles an unknown address like a known one', async () => {
    const { email } = await registerVerified(harness, api);
    for (const address of [email, randomEmail()]) {
      for (let mail = 0; mail < 5; mail += 1) expect((await forgot(address)).status).toBe(202);
      const refused = await forgot(address.toUpperCase());
      expect(refused.status).toBe(429);
      expect(refused.error?.code).toBe('too_many_attempts');
    }
  });

  test('returns 429 after 30 requests from one client, for any addresses', async () => {
    const client = { 'x-forwarded-for': randomAddress() };
    await harness.redis.set(`{auth}:mails:${client['x-forwarded-for']}`, 29, 'PX', 60_000);
    expect((await forgot(randomEmail(), client)).status).toBe(202);
    const refused = await forgot(randomEmail(), client);
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get('retry-after'))).toBeLessThanOrEqual(60);
  });
});

describe('reset-password', () => {
  test('returns 204, sets the new password, verifies the address, and notifies the user', async () => {
    const { email } = await register(api);
    const { status, body } = await reset(await askForReset(email));
    expect({ status, body }).toEqual({ status: 204, body: '' });
    const old = await api.call('POST', '/api/auth/login', { body: { email, password: goodPassword } });
    expect(old.status).toBe(401);
    const token = await logIn(api, email, newPassword);
    expect((await profile(token)).emailVerified).toBe(true);
    expect((await mailsTo(harness, email)).at(-1)?.kind).toBe('password_changed');
  });

  test('ends every session, both its access tokens and its refresh tokens', async () => {
    const { email, ...first } = await register(api);
    const second = (await api.call<Session>('POST', '/api/auth/login', { body: { email, password: goodPassword } }))
      .body;
    await reset(await askForReset(email));
    for (const [access, refreshToken] of [
      [first.token, first.refreshToken],
      [second.accessToken, second.refreshToken],
    ] as const) {
      expect((await api.call('GET', '/api/profile', { token: access })).error?.code).toBe('invalid_token');
      const refreshed = await api.call('POST', '/api/auth/refresh', { body: { refreshToken } });
      expect(refreshed.error?.code).toBe('invalid_token');
    }
  });

  test('leaves no session that is concurrently refreshed or begun with the old password', async () => {
    for (let round = 0; round < 4; round += 1) {
      const { email, refreshToken } = await register(api);
      const link = await askForReset(email);
      const [changed, refreshed, begun] = await Promise.all([
        reset(link),
        api.call<Session>('POST', '/api/auth/refresh', { body: { refreshToken } }),
        api.call<Session>('POST', '/api/auth/login', { body: { email, password: goodPassword } }),
      ]);
      expect(changed.status).toBe(204);
      for (const { status, body } of [refreshed, begun]) {
        if (status !== 200) continue;
        expect((await api.call('GET', '/api/profile', { token: body.accessToken })).status).toBe(401);
      }
    }
  });

  test('accepts a link once, and voids the others', async () => {
    const { email } = await register(api);
    const first = await askForReset(email);
    const second = await askForReset(email);
    expect((await reset(second)).status).toBe(204);
    for (const link of [first, second]) {
      const { status, error } = await reset(link, 'nine-brave-foxes-jump');
      expect(status).toBe(400);
      expect(error).toMatchObject({ code: 'invalid_link', param: 'token' });
    }
    expect(await logIn(api, email, newPassword)).toBeString();
  });

  test('succeeds for exactly one of two links followed concurrently', async () => {
    const { email } = await register(api);
    const links = [await askForReset(email), await askForReset(email)];
    const responses = await Promise.all(links.map((link) => reset(link)));
    expect(responses.map(({ status }) => status).sort()).toEqual([204, 400]);
  });

  test('returns 400 for an expired link', async () => {
    const { email } = await register(api);
    const link = await askForReset(email);
    await expire(email);
    expect((await reset(link)).error?.code).toBe('invalid_link');
    expect(await logIn(api, email, goodPassword)).toBeString();
  });

  test('returns 400 for a bad password and leaves the link valid', async () => {
    const { email } = await register(api);
    const link = await askForReset(email);
    for (const password of ['short', 'x'.repeat(257), 'Password123!', email]) {
      const { status, error } = await reset(link, password);
      expect(status).toBe(400);
      expect(error).toMatchObject({ code: 'invalid_parameter', param: 'new_password' });
    }
    expect((await reset(link)).status).toBe(204);
  });
});

describe('sign-up', () => {
  test('returns 429 after 100 sign-ups an hour from one client', async () => {
    const headers = { 'x-forwarded-for': randomAddress() };
    await harness.redis.set(`{auth}:sign-ups:${headers['x-forwarded-for']}`, 99, 'PX', 60_000);
    const signUp = () =>
      api.call('POST', '/api/auth/register', { headers, body: { email: randomEmail(), password: goodPassword } });
    expect((await signUp()).status).toBe(201);
    const refused = await signUp();
    expect(refused.status).toBe(429);
    expect(refused.error).toMatchObject({ type: 'rate_limit_error', code: 'too_many_attempts' });
  });
});

test('the tokens of mailed links are stored as hashes only', async () => {
  const { email } = await register(api);
  const link = await newestToken(harness, email, 'verify_email');
  const rows = await harness.database.sql`SELECT * FROM mail_tokens WHERE email = ${email}`;
  expect(rows).toHaveLength(1);
  expect(JSON.stringify(rows)).not.toContain(link);
});
