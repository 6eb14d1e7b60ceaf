/**
 * A page of another origin cannot make a browser log its user in or out. Programs other than browsers are not
 * restricted.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { issueRefreshToken } from '../../../../admin/auth/sessions/refresh-tokens.ts';
import { inCampaign } from '../../../harness/campaigns.ts';
import { testPassword } from '../../../harness/customers.ts';
import { type Harness, startHarness } from '../../../harness.ts';
import { newUser } from '../../auth/new-user.ts';
import { type Api, goodPassword, randomEmail, startApi } from '../start-api.ts';

const publicUrl = 'https://gateway.example.com';

let harness: Harness;
let api: Api;
let user: Awaited<ReturnType<typeof newUser>>;
beforeAll(async () => {
  harness = await startHarness();
  user = await newUser(harness);
  api = await startApi(harness, { environment: { PUBLIC_URL: publicUrl } });
});
afterAll(async () => {
  await api.stop();
  await harness.stop();
});

const places = ['register', 'login', 'refresh', 'logout'] as const;
type Place = (typeof places)[number];
const accepted = { register: 201, login: 200, refresh: 200, logout: 204 };

/** Creates a session without the work of hashing a password. */
async function begin(): Promise<string> {
  const { refreshToken } = await issueRefreshToken(harness.database.db, { user });
  return refreshToken;
}

function send(place: Place, refreshToken: string, headers: Readonly<Record<string, string>>) {
  const bodies = {
    register: { email: randomEmail(), password: goodPassword },
    login: { email: user.email, password: testPassword },
    refresh: { refreshToken },
    logout: { refreshToken },
  };
  return api.call('POST', `/api/auth/${place}`, { body: JSON.stringify(bodies[place]), headers });
}

const place = fc.constantFrom(...places);
/** The headers of a browser's request: a page can choose the content type, and whether there is a body. */
const formType = fc.constantFrom(
  'text/plain',
  'text/plain;charset=UTF-8',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  'text/plain; application/json',
  'application/jsonp',
);
const type = fc.oneof(formType, fc.constantFrom('application/json', 'application/json; charset=utf-8'));
const foreignOrigin = fc.oneof(
  fc.constantFrom(
    'null',
    'https://gateway.example.com.attacker.example',
    'https://attacker.example',
    'https://gateway.example.com:8443',
    'https://www.gateway.example.com',
    'http://127.0.0.1:1',
    'https://gateway.example.com@attacker.example',
    'chrome-extension://gateway.example.com.x',
    'file://',
    '',
  ),
  fc.webUrl().map((url) => new URL(url).origin),
);
const foreignSite = fc.constantFrom('cross-site', 'same-site', 'none', 'nonsense');

/** With `Sec-Fetch-Site` or, over plain HTTP, without it. */
const foreign = fc.oneof(
  fc.record({ 'sec-fetch-site': foreignSite, origin: foreignOrigin, 'content-type': type }),
  fc.record({ 'sec-fetch-site': foreignSite, 'content-type': type }),
  fc.record({ origin: foreignOrigin, 'content-type': type }),
);

describe('the error 403 cross_origin', () => {
  test('is returned for every request another page can make a browser send, and no session changes', async () => {
    const session = await begin();
    await fc.assert(
      fc.asyncProperty(place, foreign, async (where, headers) => {
        const { status, error, headers: received } = await send(where, session, headers);
        expect({ where, headers, status, code: error?.code }).toEqual({
          where,
          headers,
          status: 403,
          code: 'cross_origin',
        });
        expect(received.get('set-cookie')).toBeNull();
      }),
    );
    expect((await send('refresh', session, {})).status).toBe(200);
  });

  test('is returned if a page of the gateway itself sends a form (campaign)', async () => {
    const session = await begin();
    await fc.assert(
      fc.asyncProperty(place, formType, async (where, contentType) => {
        const headers = { 'sec-fetch-site': 'same-origin', origin: api.url, 'content-type': contentType };
        expect((await send(where, session, headers)).error?.code).toBe('cross_origin');
      }),
      { numRuns: inCampaign(10, 30) },
    );
    expect((await send('refresh', session, {})).status).toBe(200);
  });
});

describe('a browser at the dashboard', () => {
  test.each(places)('can call %s, at PUBLIC_URL and at the address that it actually uses', async (where) => {
    const statuses: number[] = [];
    const senders: Record<string, string>[] = [
      { 'sec-fetch-site': 'same-origin', origin: api.url },
      { 'sec-fetch-site': 'same-origin', origin: publicUrl },
      // Over plain HTTP, browsers do not send `Sec-Fetch-Site`.
      { origin: api.url },
      // Behind a reverse proxy that rewrites `Host`.
      { origin: publicUrl },
      // TLS ends at the reverse proxy.
      { origin: 'https://other.example.com', host: 'other.example.com' },
    ];
    for (const headers of senders) {
      statuses.push((await send(where, await begin(), { 'content-type': 'application/json', ...headers })).status);
    }
    expect(statuses).toEqual(senders.map(() => accepted[where]));
  });

  test('needs no content type for a request without a body', async () => {
    const headers = { 'sec-fetch-site': 'same-origin', cookie: `gateway_refresh=${await begin()}` };
    expect((await api.call('POST', '/api/auth/refresh', { headers })).status).toBe(200);
  });
});

test.each(places)('a program other than a browser can call %s without any header', async (where) => {
  for (const headers of [{}, { 'content-type': 'text/plain' }, { 'content-type': 'application/json' }]) {
    expect((await send(where, await begin(), headers as Record<string, string>)).status).toBe(accepted[where]);
  }
});
