/** Who may call each endpoint of a customer's account, with every kind of token. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { createHmac } from 'node:crypto';
import { testPassword } from '../../../harness/customers.ts';
import type { OpenApiDocument } from '../../../harness/openapi/operations-of.ts';
import { type Harness, startHarness } from '../../../harness.ts';
import type { CreatedKey, KeyList, Profile } from '../response-types.ts';
import { type Api, goodPassword, logIn, randomEmail, register, startApi } from '../start-api.ts';

let harness: Harness;
let api: Api;
const tokens: Record<string, string | undefined> = {};
beforeAll(async () => {
  harness = await startHarness();
  api = await startApi(harness);
  const customer = await harness.createCustomer({ usd: '1' });
  const operator = await harness.createCustomer({ usd: '0', role: 'operator' });
  const user = await register(api);
  const left = await register(api);
  await api.call('POST', '/api/auth/logout', { body: { refreshToken: left.refreshToken } });
  tokens['proxy key'] = customer.proxyKey;
  tokens['billing key'] = customer.billingKey;
  tokens['expired billing key'] = await expiredBillingKey(customer.accountId);
  tokens['access token'] = user.token;
  tokens['refresh token'] = user.refreshToken;
  tokens['operator’s access token'] = await logIn(api, operator.email, testPassword);
  tokens['expired access token'] = resign(user.token, { exp: Math.floor(Date.now() / 1000) - 1 });
  tokens['access token of another audience'] = resign(user.token, { aud: 'elsewhere' });
  tokens['access token of a session that ended'] = left.token;
});
afterAll(async () => {
  await api.stop();
  await harness.stop();
});

async function expiredBillingKey(accountId: number): Promise<string> {
  const { token } = await register(api);
  const { body } = await api.call<CreatedKey>('POST', '/api/billing-keys', { token, body: { name: 'x' } });
  await harness.database.sql`
    UPDATE api_keys SET expires_at = now() - interval '1 second', account_id = ${accountId} WHERE id = ${body.id}`;
  return body.key;
}

/** The token with other claims, signed with the correct secret. */
function resign(token: string, change: object): string {
  const [header = '', payload = ''] = token.split('.');
  const claims = { ...JSON.parse(Buffer.from(payload, 'base64url').toString()), ...change };
  const signed = `${header}.${Buffer.from(JSON.stringify(claims)).toString('base64url')}`;
  return `${signed}.${createHmac('sha256', harness.jwtSecret).update(signed).digest('base64url')}`;
}

const requestId = '01945b2e-7c1a-7d3e-8f10-2b3c4d5e6f70';
const byAccessToken = [
  'GET /api/profile',
  'PUT /api/profile',
  'PUT /api/profile/details',
  'POST /api/profile/password',
  'POST /api/playground-key',
  'POST /api/profile/confirm',
  'POST /api/profile/confirm/passkey',
  'GET /api/profile/second-factor',
  'POST /api/profile/second-factor/app',
  'POST /api/profile/second-factor/app/confirm',
  'DELETE /api/profile/second-factor/app',
  'POST /api/profile/second-factor/recovery-codes',
  'POST /api/profile/passkeys/options',
  'POST /api/profile/passkeys',
  'PUT /api/profile/passkeys/999999999',
  'DELETE /api/profile/passkeys/999999999',
  'GET /api/profile/sessions',
  `DELETE /api/profile/sessions/${requestId}`,
  // The caller's own session, which the other tests need, continues.
  'DELETE /api/profile/sessions?keepCurrent=true',
  'POST /api/auth/resend-verification',
  'GET /api/organizations',
  'POST /api/organizations',
  'POST /api/auth/switch',
  'GET /api/organization',
  'PUT /api/organization',
  'GET /api/organization/sign-in',
  'PUT /api/organization/sign-in',
  'PUT /api/organization/sign-in/oidc',
  'DELETE /api/organization/sign-in/oidc',
  'POST /api/auth/oidc/test',
  'POST /api/organization/sign-in/domains/999999999/prove',
  'GET /api/organization/ip-allow-list',
  'PUT /api/organization/ip-allow-list',
  'GET /api/organization/data-policy',
  'PUT /api/organization/data-policy',
  'GET /api/organization/audit',
  'GET /api/organization/audit/export',
  'GET /api/members',
  'PUT /api/members/999999999',
  'DELETE /api/members/999999999',
  'GET /api/budgets',
  'POST /api/budgets',
  'PUT /api/budgets/999999999',
  'DELETE /api/budgets/999999999',
  'GET /api/organization/dimensions',
  'PUT /api/organization/dimensions',
  'GET /api/projects',
  'POST /api/projects',
  'PUT /api/projects/999999999',
  'GET /api/invitations',
  'POST /api/invitations',
  'POST /api/invitations/999999999/resend',
  'DELETE /api/invitations/999999999',
  'GET /api/webhooks',
  'POST /api/webhooks',
  `PUT /api/webhooks/${requestId}`,
  `DELETE /api/webhooks/${requestId}`,
  `POST /api/webhooks/${requestId}/test`,
  `POST /api/webhooks/${requestId}/rotate`,
  `GET /api/webhooks/${requestId}/deliveries`,
  `POST /api/webhooks/${requestId}/deliveries/999999999/replay`,
  'GET /api/models',
  'GET /api/first-steps',
  'GET /api/errors',
  'GET /api/transactions',
  'GET /api/transactions/export',
  'GET /api/requests',
  `GET /api/requests/${requestId}`,
  'GET /api/usage',
  'GET /api/payments',
  'GET /api/payments/methods',
  'GET /api/payments/auto-top-up',
  'PUT /api/payments/auto-top-up',
  'DELETE /api/payments/auto-top-up',
  `GET /api/payments/${requestId}`,
  'POST /api/payments',
  'GET /api/documents',
  `GET /api/documents/${requestId}/pdf`,
  'POST /api/documents',
  'GET /api/usage/export',
  'GET /api/account/export',
  'DELETE /api/account',
  'GET /api/settings/notifications/addresses',
  'POST /api/settings/notifications/addresses',
  'DELETE /api/settings/notifications/addresses/999999999',
  ...['proxy', 'billing'].flatMap((kind) => [
    `GET /api/${kind}-keys`,
    `POST /api/${kind}-keys`,
    `PUT /api/${kind}-keys/999999999`,
    `POST /api/${kind}-keys/999999999/rotate`,
    `DELETE /api/${kind}-keys/999999999`,
  ]),
];
const byBillingKey = [
  'GET /api/keys',
  'POST /api/keys',
  'PUT /api/keys/999999999',
  'POST /api/keys/999999999/rotate',
  'DELETE /api/keys/999999999',
];

const refused = [
  'no token',
  'refresh token',
  'expired access token',
  'access token of another audience',
  'access token of a session that ended',
];
const call = (route: string, name: string) => {
  const [method = '', path = ''] = route.split(' ');
  const token = tokens[name];
  // An invalid body: callers without access must be refused before it is checked.
  const body = method === 'GET' || method === 'DELETE' ? {} : { body: { unknown: true } };
  return api.call(method, path, { ...body, ...(token !== undefined && { token }) });
};

describe.each(byAccessToken)('%s', (route) => {
  test.each(refused)('returns 401 with %s', async (name) => {
    const { status, error, headers } = await call(route, name);
    expect(status).toBe(401);
    expect(error).toMatchObject({ type: 'authentication_error', code: 'invalid_token' });
    expect(headers.get('www-authenticate')).toBe('Bearer');
  });

  test.each(['proxy key', 'billing key', 'expired billing key'])('returns 403 with a %s', async (name) => {
    const { status, error } = await call(route, name);
    expect(status).toBe(403);
    expect(error).toMatchObject({ type: 'permission_error', code: 'wrong_key_type' });
  });

  test.each(['access token', 'operator’s access token'])('is accessible with an %s', async (name) => {
    const { status, error } = await call(route, name);
    // Second factors are changed in a confirmed session.
    if (status === 403) expect(error?.code).toBe('confirmation_required');
    else expect([200, 201, 204, 400, 404]).toContain(status);
  });
});

describe.each(byBillingKey)('%s', (route) => {
  test.each([...refused, 'access token', 'operator’s access token'])('returns 401 with %s', async (name) => {
    const { status, error } = await call(route, name);
    expect(status).toBe(401);
    expect(error?.code).toBe(name === 'no token' ? 'missing_api_key' : 'invalid_api_key');
  });

  test('returns 401 with an expired billing key and 403 with a proxy key', async () => {
    expect((await call(route, 'expired billing key')).error?.code).toBe('key_expired');
    const proxy = await call(route, 'proxy key');
    expect(proxy.status).toBe(403);
    expect(proxy.error?.code).toBe('wrong_key_type');
  });

  test('is accessible with a billing key', async () => {
    expect([200, 400, 404]).toContain((await call(route, 'billing key')).status);
  });
});

test('the tables above list every endpoint of a customer’s account', async () => {
  const { body } = await api.call<OpenApiDocument>('GET', '/api/docs/json');
  const mine = Object.entries(body.paths)
    .flatMap(([path, methods]) =>
      Object.keys(methods).map(
        (method) =>
          `${method.toUpperCase()} ${path
            .replace('{sessionId}', requestId)
            .replace(/{(id|domain|deliveryId)}/, '999999999')
            .replace(/{(requestId|paymentId|documentId|endpointId)}/, requestId)}`,
      ),
    )
    .filter((route) =>
      /\/api\/(account|models|payments|documents|first-steps|errors|playground-key|profile|transactions|requests|usage|keys|proxy-keys|billing-keys|auth\/(resend|switch|oidc\/test)|organizations?($|\/)|members|projects|budgets|webhooks(?!\/(stripe|yookassa))|invitations(?!\/(preview|accept))|settings\/notifications\/addresses)/.test(
        route,
      ),
    );
  const tested = [...byAccessToken, ...byBillingKey].map((route) => route.replace(/\?.*/, ''));
  expect(mine.sort()).toEqual(tested.sort());
});

describe('a field that no caller may set', () => {
  const stolen = { role: 'operator', accountId: 1, balance: 1_000, balanceNano: '1', emailVerified: true, id: 1 };
  const rowOf = async (email: string) => {
    const [row] = await harness.database.sql`
      SELECT users.role, users.account_id, users.email_verified_at, accounts.balance_nano, accounts.requests_per_minute
      FROM users JOIN accounts ON accounts.id = account_id WHERE email = ${email}`;
    return row;
  };
  const bodies: [string, string, object][] = [
    ['PUT', '/api/profile', { displayName: 'x' }],
    ['PUT', '/api/profile/details', { accountType: 'INDIVIDUAL' }],
    ['DELETE', '/api/account', { current_password: goodPassword }],
    ['POST', '/api/profile/password', { current_password: goodPassword, new_password: 'seven-calm-herons-fish' }],
    ['POST', '/api/proxy-keys', { name: 'x' }],
    ['POST', '/api/billing-keys', { name: 'x' }],
    ['POST', '/api/settings/notifications/addresses', { email: randomEmail() }],
    ['POST', '/api/auth/forgot-password', { email: randomEmail() }],
    ['POST', '/api/auth/reset-password', { token: 'x', new_password: goodPassword }],
    ['POST', '/api/auth/verify-email', { token: 'x' }],
    ['POST', '/api/auth/register', { email: randomEmail(), password: goodPassword }],
    ['POST', '/api/auth/login', { email: randomEmail(), password: goodPassword }],
    ['POST', '/api/auth/refresh', { refreshToken: 'x' }],
  ];

  test.each(bodies)('is refused by %s %s and changes nothing', async (method, path, body) => {
    const { email, token } = await register(api);
    const before = await rowOf(email);
    for (const [field, value] of Object.entries(stolen)) {
      const response = await api.call(method, path, { token, body: { ...body, [field]: value } });
      expect(response.status).toBe(400);
      expect(response.error?.param).toBe(field);
    }
    expect(await rowOf(email)).toEqual(before);
    // The rest of the body had no effect either.
    expect((await api.call<Profile>('GET', '/api/profile', { token })).body.displayName).toBeNull();
    expect((await api.call<KeyList>('GET', '/api/proxy-keys', { token })).body.keys).toEqual([]);
  });

  test("cannot be used to create, take over or see another account's key", async () => {
    const [mine, theirs] = [await register(api), await register(api)];
    const { body: created } = await api.call<CreatedKey>('POST', '/api/proxy-keys', {
      token: theirs.token,
      body: { name: 'x' },
    });
    for (const body of [{ account_id: 1 }, { hash: 'x' }, { prefix: 'x' }, { kind: 'billing' }, { version: 99 }]) {
      const response = await api.call('PUT', `/api/proxy-keys/${created.id}`, { token: mine.token, body });
      expect(response.status).toBe(404);
    }
    const renamed = { token: mine.token, body: { name: 'mine' } };
    expect((await api.call('PUT', `/api/proxy-keys/${created.id}`, renamed)).status).toBe(404);
    expect((await api.call<KeyList>('GET', '/api/proxy-keys', { token: mine.token })).body.keys).toEqual([]);
  });
});
