/** Hand-written requests that no ordinary client sends: malformed hosts, uploads that stop, pipelined requests. */
import { afterAll, beforeEach, describe, expect, test } from 'bun:test';
import { guardTimeoutMs, waitFor } from '../../harness/account-view.ts';
import { rawConnection, requestHead, statusOf } from '../../harness/clients/raw-exchange.ts';
import { startGateway } from '../../harness/gateway.ts';
import type { Opened } from '../../harness/programs.ts';
import { hang, wholeResponse } from '../../harness/providers/scripted-provider.ts';

const { harness, provider, admin, proxy, stop } = await startGateway({
  proxyEnvironment: { LOG_LEVEL: 'info' },
  adminEnvironment: { LOG_LEVEL: 'info' },
});
const customer = await harness.createCustomer({ usd: '10' });
const authorization = `Bearer ${customer.proxyKey}`;
const chatBody = JSON.stringify({ model: 'test/chat', messages: [{ role: 'user', content: 'Hello?' }] });
const usage = { promptTokens: 10, completionTokens: 1 };

afterAll(stop);
beforeEach(() => provider.on('upstream-chat', wholeResponse({ usage })));

const errorsOf = ({ logged }: Opened) => logged.filter((line) => /"level":"(?:error|fatal)"/.test(line));

/** Sends the text on a new connection, and returns what was received when `isEnough` is true or the connection ends. */
async function exchange({ url }: Opened, text: string, isEnough: (text: string) => boolean): Promise<string> {
  const connection = rawConnection(url);
  connection.send(text);
  const response = await connection.until(isEnough);
  connection.close();
  return response;
}

/** A page of the dashboard announces its length; JSON may come in chunks. */
function isWhole(text: string): boolean {
  const [head = '', body] = text.split('\r\n\r\n', 2);
  const [, length] = /^content-length: (\d+)/im.exec(head) ?? [];
  if (length === undefined) return body !== undefined && text.trimEnd().endsWith('}');
  return body !== undefined && body.length >= Number(length);
}

const programs = [
  { name: 'proxy', program: proxy, paths: ['/v1/models', '/v1/models/test/chat', '/healthz', '/nowhere'] },
  { name: 'admin', program: admin, paths: ['/api/profile', '/api/keys', '/healthz', '/nowhere'] },
];

describe.each(programs)('the $name', ({ program, paths }) => {
  const malformed = [
    'a b',
    '[::1',
    'a:99999',
    'a:b',
    ':',
    'a/b',
    'a?b',
    'a#b',
    'user@a',
    '%zz',
    'a\\b',
    'http://a',
    '256.256.256.256',
    'xn--',
    'ü',
    '',
  ];

  test.each(malformed)('returns 400 for the host %j, with a request id that is logged', async (host) => {
    for (const path of paths) {
      const response = await exchange(program, `GET ${path} HTTP/1.1\r\nHost: ${host}\r\n\r\n`, isWhole);
      expect([path, statusOf(response)]).toEqual([path, 400]);
      expect(response).toContain('"code":"invalid_parameter","param":"Host"');
      const [, requestId = 'none'] = /x-request-id: (\S+)/i.exec(response) ?? [];
      await waitFor('the line', guardTimeoutMs, async () => program.logged.some((line) => line.includes(requestId)));
    }
  });

  test.each(['a\r\nHost: b', 'a\r\nHost: a', 'a, a'])('returns 400 for two hosts: %j', async (hosts) => {
    for (const path of paths) {
      const response = await exchange(program, `GET ${path} HTTP/1.1\r\nHost: ${hosts}\r\n\r\n`, isWhole);
      expect([path, statusOf(response)]).toEqual([path, 400]);
    }
  });

  test.each(['a', 'abc', 'a.test:8080', '127.0.0.1', '[::1]:8080', 'a_b.test', 'A.Test.'])(
    'accepts the host %s',
    async (host) => {
      for (const path of paths) {
        const response = await exchange(program, `GET ${path} HTTP/1.1\r\nHost: ${host}\r\n\r\n`, isWhole);
        expect(statusOf(response)).toBeOneOf([200, 401, 403, 404]);
      }
    },
  );

  test('accepts HTTP/1.0 without a host, as health checks send it', async () => {
    for (const path of ['/healthz', '/readyz', '/v1/models', '/nowhere']) {
      expect(statusOf(await exchange(program, `GET ${path} HTTP/1.0\r\n\r\n`, isWhole))).toBeOneOf([200, 401, 404]);
    }
  });

  test('logs no error for malformed hosts', () => {
    expect(errorsOf(program)).toEqual([]);
  });
});

test('a chat completion with an Idempotency-Key gets a response over HTTP/1.0 without a host', async () => {
  const head = `POST /v1/chat/completions HTTP/1.0\r\nAuthorization: ${authorization}\r\nIdempotency-Key: once\r\n`;
  const text = `${head}Content-Length: ${chatBody.length}\r\n\r\n${chatBody}`;
  expect(statusOf(await exchange(proxy, text, isWhole))).toBe(200);
});

describe('an aborted upload is not logged as an error if it is', () => {
  const uploads = [
    { name: 'small', headers: { 'content-length': 1_000 }, sent: '{"model":' },
    { name: 'large', headers: { 'content-length': 200_000 }, sent: `{"model":"${'a'.repeat(100_000)}` },
    { name: 'chunked', headers: { 'transfer-encoding': 'chunked' }, sent: '9\r\n{"model":\r\n' },
    { name: 'badly chunked', headers: { 'transfer-encoding': 'chunked' }, sent: '9\r\n{"model":xx\r\nzz' },
  ];
  const targets = [
    { program: proxy, path: '/v1/chat/completions' },
    { program: proxy, path: '/v1/quote' },
    { program: proxy, path: '/v1/messages/count_tokens' },
    { program: admin, path: '/api/auth/login' },
    { program: admin, path: '/api/keys' },
  ];

  test.each(uploads)('$name', async ({ headers, sent }) => {
    for (const { program, path } of targets) {
      const connection = rawConnection(program.url);
      connection.send(requestHead(`POST ${path}`, { authorization, ...headers }) + sent);
      // When another request has its response, this one is being read.
      expect((await fetch(`${program.url}/healthz`)).status).toBe(200);
      connection.close();
      await connection.closed;
      expect((await fetch(`${program.url}/healthz`)).status).toBe(200);
    }
    for (const program of [proxy, admin]) expect(errorsOf(program)).toEqual([]);
  });
});

test('a client that leaves before the response is not logged as an error', async () => {
  provider.on('upstream-chat', hang);
  const requestsBefore = provider.requests.length;
  const connection = rawConnection(proxy.url);
  // A whole response would be awaited.
  const streamBody = JSON.stringify({ ...JSON.parse(chatBody), stream: true });
  connection.send(requestHead('POST /v1/chat/completions', { authorization, 'content-length': streamBody.length }));
  connection.send(streamBody);
  await waitFor('the request upstream', guardTimeoutMs, async () => provider.requests.length > requestsBefore);
  connection.close();
  await waitFor('its end', guardTimeoutMs, async () => provider.requests.at(-1)?.aborted === true);
  await waitFor('the settle', guardTimeoutMs, async () => (await walletOf())?.heldNano === 0n);
  expect(errorsOf(proxy)).toEqual([]);
});

const walletOf = () => harness.keeper.readWallet(customer.accountId);

/**
 * Bun serves a pipelined request if the response to the first one is synchronous. Otherwise it closes the connection
 * before either has a response, which the gateway cannot change.
 */
describe('requests in one packet', () => {
  const get = (path: string) => requestHead(`GET ${path}`, {});
  const post = (path: string, body: string, headers: Readonly<Record<string, string>> = {}) =>
    requestHead(`POST ${path}`, { 'content-length': body.length, ...headers }) + body;
  const statusesIn = (text: string) => [...text.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => Number(status));

  test.each([
    { name: 'two probes of the proxy', program: proxy, requests: [get('/healthz'), get('/nowhere')], want: [200, 404] },
    { name: 'two probes of admin', program: admin, requests: [get('/healthz'), get('/nowhere.txt')], want: [200, 404] },
    {
      name: 'two refused chats',
      program: proxy,
      requests: [post('/v1/chat/completions', chatBody), get('/v1/models')],
      want: [401, 200],
    },
    {
      name: 'two refused log-ins',
      program: admin,
      requests: [post('/api/auth/login', '{}'), post('/api/keys', '{}')],
      want: [400, 401],
    },
  ])('get their responses in order for $name', async ({ program, requests, want }) => {
    const isEnough = (text: string) => statusesIn(text).length === requests.length;
    expect(statusesIn(await exchange(program, requests.join(''), isEnough))).toEqual([...want]);
  });

  test.each([
    { name: 'another chat', behind: post('/v1/chat/completions', chatBody, { authorization }) },
    { name: 'a probe', behind: get('/healthz') },
  ])(
    'close the connection and hold nothing if they are a chat and $name, of which at most one ran',
    async ({ behind }) => {
      provider.on('upstream-chat', wholeResponse({ usage, delayMs: 100 }));
      const requestsBefore = provider.requests.length;
      const connection = rawConnection(proxy.url);
      connection.send(post('/v1/chat/completions', chatBody, { authorization }) + behind);
      expect(statusesIn(await connection.closed)).toEqual([]);
      await waitFor('the settle', guardTimeoutMs, async () => (await walletOf())?.heldNano === 0n);
      expect(provider.requests.length - requestsBefore).toBeLessThanOrEqual(1);
      expect(errorsOf(proxy)).toEqual([]);
    },
  );
});
