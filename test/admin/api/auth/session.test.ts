/** Staying logged in: what access and refresh tokens must withstand. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { createHmac } from 'node:crypto';
import type { Session } from '../../../../admin/api/auth/session.ts';
import { deriveToken } from '../../../../admin/auth/sessions/secret-token.ts';
import { type Harness, startHarness } from '../../../harness.ts';
import { type Api, register, startApi } from '../start-api.ts';

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

const refresh = (refreshToken: string) => api.call<Session>('POST', '/api/auth/refresh', { body: { refreshToken } });
/** Makes every token look as if it had been used long ago. */
const passGrace = (userId: number) =>
  harness.database.sql`UPDATE refresh_tokens SET used_at = used_at - interval '1 minute' WHERE user_id = ${userId}`;

async function unusedTokens(userId: number): Promise<number> {
  const [row] = await harness.database.sql`
    SELECT count(*) AS n FROM refresh_tokens WHERE user_id = ${userId} AND used_at IS NULL AND revoked_at IS NULL`;
  return Number(row?.n);
}

const balanceWith = (token: string) => api.call('GET', '/api/balance', { token });

describe('POST refresh', () => {
  test('returns 200 and new tokens, and the new access token works', async () => {
    const user = await register(api);
    const { status, body } = await refresh(user.refreshToken);
    expect(status).toBe(200);
    expect(body.user.id).toBe(user.id);
    expect(body.refreshToken).not.toBe(user.refreshToken);
    expect((await balanceWith(body.accessToken)).status).toBe(200);
  });

  test('returns 200 with the cookie alone', async () => {
    const { refreshToken } = await register(api);
    const headers = { cookie: `other=1; gateway_refresh=${refreshToken}` };
    const { status, headers: received, body } = await api.call<Session>('POST', '/api/auth/refresh', { headers });
    expect(status).toBe(200);
    expect(received.get('set-cookie')).toStartWith(`gateway_refresh=${body.refreshToken};`);
  });

  test('returns 429 to a user who refreshes too often, and stores nothing more', async () => {
    const { id, refreshToken } = await register(api);
    await harness.redis.set(`{auth}:refreshes:${id}`, 299, 'PX', 60_000);
    const { status, body } = await refresh(refreshToken);
    expect(status).toBe(200);
    const count = async () =>
      (await harness.database.sql`SELECT count(*) AS n FROM refresh_tokens WHERE user_id = ${id}`)[0]?.n;
    const before = await count();
    for (const token of [body.refreshToken, refreshToken]) {
      const refused = await refresh(token);
      expect(refused).toMatchObject({ status: 429, error: { code: 'too_many_attempts' } });
      expect(Number(refused.headers.get('retry-after'))).toBeWithin(1, 61);
    }
    expect(await count()).toBe(before);
    await harness.redis.del(`{auth}:refreshes:${id}`);
    expect((await refresh(body.refreshToken)).status).toBe(200);
  });

  test('counts each refresh, also towards the daily limit', async () => {
    const { id, refreshToken } = await register(api);
    const { body } = await refresh(refreshToken);
    await refresh(body.refreshToken);
    expect(await harness.redis.mget(`{auth}:refreshes:${id}`, `{auth}:refreshes-day:${id}`)).toEqual(['2', '2']);
    await harness.redis.set(`{auth}:refreshes-day:${id}`, 1_000, 'PX', 60_000);
    expect((await refresh(body.refreshToken)).status).toBe(429);
  });

  test('ends the whole family if a token is reused after the grace', async () => {
    const { refreshToken: first, id } = await register(api);
    const { body } = await refresh(first);
    await passGrace(id);
    expect((await refresh(first)).status).toBe(401);
    const newest = await refresh(body.refreshToken);
    expect(newest.status).toBe(401);
    expect(newest.error?.code).toBe('invalid_token');
  });

  test('does not affect the user’s other sessions when one family ends', async () => {
    const user = await register(api);
    const other = await api.call<Session>('POST', '/api/auth/login', {
      body: { email: user.email, password: 'three-quiet-otters-sing' },
    });
    await refresh(user.refreshToken);
    await passGrace(user.id);
    expect((await refresh(user.refreshToken)).status).toBe(401);
    expect((await refresh(other.body.refreshToken)).status).toBe(200);
  });

  test('returns the same successor to all concurrent uses of a token', async () => {
    for (let round = 0; round < 5; round += 1) {
      const { id, refreshToken } = await register(api);
      const responses = await Promise.all(Array.from({ length: 8 }, () => refresh(refreshToken)));
      expect(responses.map(({ status }) => status)).toEqual(Array.from({ length: 8 }, () => 200));
      const successors = new Set(responses.map(({ body }) => body.refreshToken));
      expect(successors.size).toBe(1);
      for (const { body } of responses) expect((await balanceWith(body.accessToken)).status).toBe(200);
      expect(await unusedTokens(id)).toBe(1);
    }
  });

  test('returns the newest token for one used twice within the grace, whichever step it was', async () => {
    const { id, refreshToken: first } = await register(api);
    const second = (await refresh(first)).body.refreshToken;
    const third = (await refresh(second)).body.refreshToken;
    expect((await refresh(first)).body.refreshToken).toBe(third);
    expect((await refresh(second)).body.refreshToken).toBe(third);
    expect(await unusedTokens(id)).toBe(1);
  });

  test('exchanges no token of a session that has ended, even within the grace', async () => {
    const { refreshToken: first, token } = await register(api);
    await refresh(first);
    await api.call('POST', '/api/auth/logout', { token });
    expect((await refresh(first)).error?.code).toBe('invalid_token');
  });

  test('returns a successor that cannot be computed from the token alone', async () => {
    const { refreshToken } = await register(api);
    const { body } = await refresh(refreshToken);
    expect(deriveToken(refreshToken, 'another secret')).not.toBe(body.refreshToken);
    expect(deriveToken(refreshToken, harness.jwtSecret)).toBe(body.refreshToken);
  });

  test('returns 401 for an expired token', async () => {
    const user = await register(api);
    await harness.database
      .sql`UPDATE refresh_tokens SET expires_at = now() - interval '1 second' WHERE user_id = ${user.id}`;
    expect((await refresh(user.refreshToken)).status).toBe(401);
  });

  test('returns 401 for an unknown token, and without one', async () => {
    expect((await refresh('x'.repeat(43))).status).toBe(401);
    expect((await api.call('POST', '/api/auth/refresh')).status).toBe(401);
  });

  test('returns 400 for a token of a wrong type', async () => {
    const { status, error } = await api.call('POST', '/api/auth/refresh', { body: { refreshToken: 5 } });
    expect(status).toBe(400);
    expect(error?.param).toBe('refreshToken');
  });

  test('stores only the hash of a token', async () => {
    const { refreshToken } = await register(api);
    const rows = await harness.database.sql`SELECT * FROM refresh_tokens WHERE token_hash = ${refreshToken}`;
    expect(rows.length).toBe(0);
  });
});

describe('POST logout', () => {
  test('returns 204, ends the session and clears the cookie', async () => {
    const { refreshToken } = await register(api);
    const response = await api.call('POST', '/api/auth/logout', { body: { refreshToken } });
    expect(response.status).toBe(204);
    expect(response.headers.get('set-cookie')).toContain('Max-Age=0');
    expect((await refresh(refreshToken)).status).toBe(401);
  });

  test("ends the session’s access tokens and no other session's", async () => {
    const { email, token, refreshToken } = await register(api);
    const other = await api.call<Session>('POST', '/api/auth/login', {
      body: { email, password: 'three-quiet-otters-sing' },
    });
    expect((await balanceWith(token)).status).toBe(200);
    await api.call('POST', '/api/auth/logout', { body: { refreshToken } });
    expect((await balanceWith(token)).error?.code).toBe('invalid_token');
    expect((await balanceWith(other.body.accessToken)).status).toBe(200);
  });

  test('ends the session of an access token alone, and no other', async () => {
    const { email, token, refreshToken } = await register(api);
    const other = await api.call<Session>('POST', '/api/auth/login', {
      body: { email, password: 'three-quiet-otters-sing' },
    });
    expect((await api.call('POST', '/api/auth/logout', { token })).status).toBe(204);
    expect((await balanceWith(token)).error?.code).toBe('invalid_token');
    expect((await refresh(refreshToken)).status).toBe(401);
    expect((await balanceWith(other.body.accessToken)).status).toBe(200);
  });

  test('returns 204 without a session', async () => {
    expect((await api.call('POST', '/api/auth/logout')).status).toBe(204);
    expect((await api.call('POST', '/api/auth/logout', { body: { refreshToken: 'nothing' } })).status).toBe(204);
    expect((await api.call('POST', '/api/auth/logout', { token: 'nothing' })).status).toBe(204);
  });
});

const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
const now = () => Math.floor(Date.now() / 1000);

/** A token that an attacker may forge, signed if they have a secret. */
function forge(claims: object, options: { alg?: string; secret?: string; typ?: string } = {}): string {
  const { alg = 'HS256', secret = harness.jwtSecret, typ = 'JWT' } = options;
  const signed = `${encode({ alg, typ })}.${encode(claims)}`;
  const digest = alg === 'HS512' ? 'sha512' : 'sha256';
  const signature = alg === 'none' ? '' : createHmac(digest, secret).update(signed).digest('base64url');
  return `${signed}.${signature}`;
}

describe('an access token', () => {
  const claimsOf = (id: number) => ({
    sub: String(id),
    iss: 'model-gateway',
    aud: 'model-gateway-api',
    sid: '0191b3f0-5c1e-7c3a-9b1f-2a4d6e8f0a1b',
    iat: now(),
    exp: now() + 60,
  });

  test('is accepted with exactly our claims, so the refusals below are for the right reason', async () => {
    const { id } = await register(api);
    expect((await balanceWith(forge(claimsOf(id)))).status).toBe(200);
  });

  test('lives 15 minutes and contains only the user, the organization and the session', async () => {
    const { token, id } = await register(api);
    const [header = '', payload = ''] = token.split('.');
    expect(JSON.parse(Buffer.from(header, 'base64url').toString())).toEqual({ alg: 'HS256', typ: 'JWT' });
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString());
    expect(claims.exp - claims.iat).toBe(900);
    const { body } = await api.call<{ id: number }>('GET', '/api/organization', { token });
    expect(claims).toEqual({ ...claimsOf(id), iat: claims.iat, exp: claims.exp, sid: claims.sid, org: body.id });
    expect(claims.sid).toMatch(/^[\da-f-]{36}$/);
  });

  const attacks: [string, (id: number) => string][] = [
    ['alg none', (id) => forge(claimsOf(id), { alg: 'none' })],
    ['another algorithm with the right secret', (id) => forge(claimsOf(id), { alg: 'HS512' })],
    ['a foreign secret', (id) => forge(claimsOf(id), { secret: 'x'.repeat(36) })],
    ['another audience', (id) => forge({ ...claimsOf(id), aud: 'password-reset' })],
    ['no audience', (id) => forge({ ...claimsOf(id), aud: undefined })],
    ['another issuer', (id) => forge({ ...claimsOf(id), iss: 'someone' })],
    ['expired', (id) => forge({ ...claimsOf(id), exp: now() - 1 })],
    ['no expiry', (id) => forge({ ...claimsOf(id), exp: undefined })],
    ['not valid yet', (id) => forge({ ...claimsOf(id), nbf: now() + 60 })],
    ['another type', (id) => forge(claimsOf(id), { typ: 'at+jwt' })],
    ['no subject', (id) => forge({ ...claimsOf(id), sub: undefined })],
    ['a subject that is no number', (id) => forge({ ...claimsOf(id), sub: '1 OR 1=1' })],
    ['no session', (id) => forge({ ...claimsOf(id), sid: undefined })],
    ['a session that is no id', (id) => forge({ ...claimsOf(id), sid: "' OR true" })],
    ['a user who does not exist', () => forge(claimsOf(999_999_999))],
    ['a changed payload', (id) => forge(claimsOf(id)).replace(/\.[^.]+\./, `.${encode(claimsOf(1))}.`)],
    ['no signature', (id) => forge(claimsOf(id)).replace(/[^.]+$/, '')],
    ['no token at all', () => 'x'],
  ];
  test.each(attacks)('is refused with 401 invalid_token: %s', async (_, attack) => {
    const { id } = await register(api);
    const { status, error, headers } = await balanceWith(attack(id));
    expect(status).toBe(401);
    expect(error).toMatchObject({ type: 'authentication_error', code: 'invalid_token' });
    expect(headers.get('www-authenticate')).toBe('Bearer');
  });

  test.each(['/api/balance', '/api/transactions', '/api/proxy-keys', '/api/billing-keys'])(
    'is required, and without the header the response is 401: GET %s',
    async (path) => {
      expect((await api.call('GET', path)).error?.code).toBe('invalid_token');
    },
  );

  test('cannot be replaced by a refresh token, which gets 401, or by an API key, which gets 403', async () => {
    const { refreshToken } = await register(api);
    const { proxyKey, billingKey } = await harness.createCustomer({ usd: '1' });
    expect(await balanceWith(refreshToken)).toMatchObject({ status: 401, error: { code: 'invalid_token' } });
    for (const key of [proxyKey, billingKey]) {
      expect(await balanceWith(key)).toMatchObject({ status: 403, error: { code: 'wrong_key_type' } });
    }
  });
});
