/** What holds for every response of admin. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { type Harness, startHarness } from '../../../harness.ts';
import { type Api, register, startApi } from '../start-api.ts';

let harness: Harness;
let api: Api;
/** For all callers except operators, who may send more. */
const bodyMaxBytes = 256 * 1024;
beforeAll(async () => {
  harness = await startHarness();
  api = await startApi(harness);
});
afterAll(async () => {
  await api.stop();
  await harness.stop();
});

const uuidV7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

test.each([
  ['GET', '/healthz', 200],
  ['GET', '/metrics', 200],
  ['GET', '/api/docs', 200],
  ['GET', '/nowhere.txt', 404],
  ['GET', '/api/nowhere', 404],
  ['GET', '/api/balance', 401],
  ['PATCH', '/api/balance', 405],
  ['POST', '/api/auth/login', 400],
  ['GET', '/%', 404],
  ['GET', '/%E0%A4%A', 404],
])('%s %s returns %i with its own request id', async (method, path, status) => {
  const responses = await Promise.all([api.call(method, path), api.call(method, path)]);
  const ids = responses.map(({ headers }) => headers.get('x-request-id') ?? '');
  expect(responses.map((response) => response.status)).toEqual([status, status]);
  for (const id of ids) expect(id).toMatch(uuidV7);
  expect(ids[0]).not.toBe(ids[1]);
});

test('a caller cannot choose the request id', async () => {
  const { headers } = await api.call('GET', '/healthz', { headers: { 'x-request-id': 'mine' } });
  expect(headers.get('x-request-id')).toMatch(uuidV7);
});

test("only the API's documentation may be cached", async () => {
  for (const path of ['/api/balance', '/healthz', '/nowhere.txt']) {
    expect((await api.call('GET', path)).headers.get('cache-control')).toBe('no-store');
  }
  expect((await api.call('GET', '/api/docs')).headers.get('cache-control')).toBe('public, no-cache');
});

test('a 404 has the usual shape of errors', async () => {
  const { body, headers } = await api.call('GET', '/api/nowhere');
  expect(headers.get('content-type')).toStartWith('application/json');
  expect(body).toEqual({
    error: {
      message: 'There is no GET /api/nowhere.',
      type: 'invalid_request_error',
      code: 'not_found',
      param: null,
    },
  });
});

test('a 405 lists the allowed methods', async () => {
  const { status, error, headers } = await api.call('PATCH', '/api/keys/5');
  expect(status).toBe(405);
  expect(error?.code).toBe('method_not_allowed');
  expect(headers.get('allow')).toBe('PUT, DELETE');
});

test('a short Host header does not break routes', async () => {
  const { status } = await api.call('GET', '/api/balance', { headers: { host: 'gw' } });
  expect(status).toBe(401);
});

describe('a request body', () => {
  const logIn = (body: string) => api.call('POST', '/api/auth/login', { body });

  test.each(['{', '{"email": }', '[]', 'null', '"text"', '5', 'email=a', '\u0000'])(
    'is refused with 400 invalid_json: %j',
    async (text) => {
      const { status, error } = await logIn(text);
      expect(status).toBe(400);
      expect(error).toMatchObject({ code: 'invalid_json', param: null });
    },
  );

  test('is read as JSON whatever its content type', async () => {
    const headers = { 'content-type': 'text/plain' };
    const { error } = await api.call('POST', '/api/auth/login', { body: '{"email": 5}', headers });
    expect(error).toMatchObject({ code: 'missing_parameter', param: 'password' });
  });

  test('a request body over the limit is refused with 413, with an announced length', async () => {
    const { status, error } = await logIn(`{"email":"${'x'.repeat(bodyMaxBytes)}"}`);
    expect(status).toBe(413);
    expect(error?.code).toBe('body_too_large');
  });

  test('a request body over the limit is refused with 413, in chunks without a length', async () => {
    const chunk = new TextEncoder().encode('x'.repeat(1_000));
    const body = new ReadableStream({
      start: (controller) => {
        for (let sent = 0; sent <= bodyMaxBytes; sent += chunk.length) controller.enqueue(chunk);
        controller.close();
      },
    });
    const response = await fetch(`${api.url}/api/auth/login`, { method: 'POST', body });
    expect(response.status).toBe(413);
    expect(await response.json()).toMatchObject({ error: { code: 'body_too_large' } });
  });

  test('a request body over the limit is refused with 413, with any kind of credentials', async () => {
    const { billingKey } = await harness.createCustomer({ usd: '0' });
    for (const token of [billingKey, 'no-token', (await register(api)).token]) {
      const options = { token, body: { name: 'x'.repeat(bodyMaxBytes) } };
      expect((await api.call('POST', '/api/keys', options)).error?.code).toBe('body_too_large');
    }
  });

  test('is ignored where none is expected', async () => {
    const { token } = await register(api);
    for (const body of ['{', '5', 'x'.repeat(bodyMaxBytes + 1)]) {
      expect((await api.call('DELETE', '/api/proxy-keys/5', { token, body })).error?.code).toBe('not_found');
      expect((await api.call('POST', '/api/auth/resend-verification', { body })).error?.code).toBe('invalid_token');
    }
  });

  test('a request body of exactly the limit is read', async () => {
    const text = `{"email":"${'x'.repeat(bodyMaxBytes - 12)}"}`;
    expect(text.length).toBe(bodyMaxBytes);
    expect((await logIn(text)).status).toBe(400);
  });
});

test('a 500 reveals only the request id', async () => {
  const { token } = await register(api);
  await harness.database.sql`ALTER VIEW compact_lines RENAME TO hidden_lines`;
  const { status, error, headers } = await api.call('GET', '/api/transactions', { token });
  await harness.database.sql`ALTER VIEW hidden_lines RENAME TO compact_lines`;
  expect(status).toBe(500);
  const requestId = headers.get('x-request-id');
  expect(error).toEqual({
    message: `An internal error occurred. Contact support with this request id: ${requestId}`,
    type: 'server_error',
    code: 'internal_error',
    param: null,
  });
});

describe('GET /readyz', () => {
  test('returns 200 if everything is available', async () => {
    const { status, body } = await api.call('GET', '/readyz');
    expect(status).toBe(200);
    expect(body).toEqual({ status: 'ready', missing: [] });
  });

  test.each([
    ['redis', { environment: { REDIS_URL: 'redis://127.0.0.1:1' } }],
    ['postgres', { environment: { DATABASE_URL: 'postgres://127.0.0.1:1/none' } }],
    ['workers', { lifecycle: { workersReady: () => false, shuttingDown: () => false } }],
    ['leaving', { lifecycle: { workersReady: () => true, shuttingDown: () => true } }],
  ])('returns 503 and names what is missing: %s', async (missing, options) => {
    const other = await startApi(harness, options);
    const { status, body } = await other.call('GET', '/readyz');
    const alive = await other.call('GET', '/healthz');
    await other.stop();
    expect(status).toBe(503);
    expect(body).toEqual({ status: 'not_ready', missing: [missing] });
    expect(alive.status).toBe(200);
  });
});

test('metrics count requests by route, never by path', async () => {
  await api.call('DELETE', '/api/keys/123456');
  await api.call('GET', '/nowhere/123456.txt');
  const { body, headers } = await api.call('GET', '/metrics');
  expect(headers.get('content-type')).toStartWith('text/plain');
  expect(body).toContain('route="/api/keys/:id",status="401"');
  expect(body).toContain('route="unknown",status="404"');
  expect(body).not.toContain('123456');
});
