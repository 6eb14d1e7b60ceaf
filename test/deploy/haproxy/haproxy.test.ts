/** The real HAProxy with our configuration, in front of real programs. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { $ } from 'bun';
import { openEvents } from '../../admin/api/events/open-events.ts';
import { guardTimeoutMs, waitFor } from '../../harness/account-view.ts';
import { type Certificate, makeCertificate } from '../../harness/certificate.ts';
import { chat, errorCodeOf } from '../../harness/clients/chat.ts';
import { rawConnection } from '../../harness/clients/raw-exchange.ts';
import { type Customer, testPassword } from '../../harness/customers.ts';
import { type Gateway, startGateway } from '../../harness/gateway.ts';
import { haproxyPath, type LoadBalancer, startLoadBalancer } from '../../harness/load-balancer.ts';
import { logInAt } from '../../harness/log-in-at.ts';
import type { Program } from '../../harness/programs.ts';
import { hang, streamedResponse, wholeResponse } from '../../harness/providers/scripted-provider.ts';

const noticeTimeoutMs = 120_000;
const deadAddress = { url: 'http://127.0.0.1:1' };

describe.skipIf(haproxyPath === null)('HAProxy', () => {
  let gateway: Gateway;
  let balancer: LoadBalancer;
  let customer: Customer;
  let certificate: Certificate;
  const others: LoadBalancer[] = [];
  const imageOf = (bytes: number) => [
    { type: 'image_url', image_url: { url: `data:image/png;base64,${'A'.repeat(bytes)}` } },
  ];
  const asProxy = (url: string) => ({ url }) as Program;

  const startAnother = async (options: Partial<Parameters<typeof startLoadBalancer>[0]>) => {
    const another = await startLoadBalancer({
      directory: gateway.harness.directory,
      proxies: [gateway.proxy],
      admins: [gateway.admin],
      ...options,
    });
    others.push(another);
    return another;
  };

  beforeAll(async () => {
    gateway = await startGateway();
    certificate = await makeCertificate(gateway.harness.directory);
    balancer = await startAnother({});
    customer = await gateway.harness.createCustomer({ usd: '10' });
  });

  afterAll(async () => {
    await Promise.all(others.map((each) => each.stop()));
    await gateway?.stop();
  });

  test('sends /v1 to the proxies, and the API, the dashboard and its files to the admins', async () => {
    gateway.provider.on('upstream-chat', wholeResponse({ content: 'Hello' }));
    const response = await chat(asProxy(balancer.url), customer.proxyKey, { model: 'test/chat' });
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({ choices: [{ message: { content: 'Hello' } }] });
    expect((await fetch(`${balancer.url}/v1/models`)).status).toBe(200);
    expect((await fetch(`${balancer.url}/api/site`)).status).toBe(200);
    for (const page of ['/', '/billing']) {
      const shown = await fetch(`${balancer.url}${page}`);
      expect(shown.headers.get('content-security-policy')).toContain("default-src 'none'");
    }
    const missing = await fetch(`${balancer.url}/assets/none.js`);
    expect(await missing.json()).toMatchObject({ error: { message: 'There is no GET /assets/none.js.' } });
  });

  test.each([
    ...['/metrics', '/readyz', '/healthz', '/metrics/', '//metrics', '/%6Detrics', '/METRICS', '/metrics?x=1'],
    ...[
      '/api/../metrics',
      '/v1/../metrics',
      '/v1/%2e%2e/readyz',
      '/v1/./../healthz',
      '/metrics%2f',
      '/v1/..%2fmetrics',
    ],
  ])('does not expose %s', async (path) => {
    // By hand, because clients normalise addresses.
    const connection = rawConnection(balancer.url);
    connection.send(`GET ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`);
    const text = await connection.closed;
    expect(text).toStartWith('HTTP/1.1 404');
    expect(text).toContain('"code":"not_found"');
    expect(text).toMatch(/x-request-id: [0-9a-f-]{36}/i);
  });

  test("gives admin the client's address and nothing that the client made up", async () => {
    const admin = await gateway.harness.startAdmin({ TRUSTED_PROXY_HOPS: '1' });
    const { url } = await startAnother({ admins: [admin] });
    const body = JSON.stringify({ email: customer.email, password: testPassword });
    const forged = { 'x-forwarded-for': '203.0.113.7', forwarded: 'for=203.0.113.8', 'x-real-ip': '203.0.113.9' };
    const login = await fetch(`${url}/api/auth/login`, { method: 'POST', body, headers: forged });
    expect(login.status).toBe(200);
    const [session] = await gateway.harness.database.sql`
      SELECT address FROM refresh_tokens WHERE user_id = ${customer.userId}`;
    expect(session).toEqual({ address: '127.0.0.1' });
  });

  test("gives a proxy the client's address, so that a list of allowed ones cannot be evaded", async () => {
    const proxy = await gateway.harness.startProxy({ TRUSTED_PROXY_HOPS: '1' });
    const { url } = await startAnother({ proxies: [proxy] });
    const { billingKey, proxyKey, proxyKeyId } = await gateway.harness.createCustomer({ usd: '1' });
    const headers = { authorization: `Bearer ${billingKey}`, 'content-type': 'application/json' };
    const body = JSON.stringify({ allowedIps: ['203.0.113.7'] });
    const path = `/api/keys/${proxyKeyId}`;
    expect((await fetch(`${url}${path}`, { method: 'PUT', headers, body })).status).toBe(200);
    const forged = { authorization: `Bearer ${proxyKey}`, 'x-forwarded-for': '203.0.113.7' };
    const response = await fetch(`${url}/v1/key`, { headers: forged });
    expect(response.status).toBe(403);
    expect(await response.text()).toContain('The request comes from 127.0.0.1,');
  });

  test('passes on events of an account as they happen', async () => {
    const client = await openEvents(balancer.url, await logInAt(balancer.url, customer));
    await gateway.harness.credit(customer.accountId, '1');
    await client.next('balance');
    client.leave();
  });

  test('passes on each token of a stream before the next one is written', async () => {
    let goOn = () => {};
    const when = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    gateway.provider.on('upstream-chat', streamedResponse({ tokens: 5, after: { tokens: 1, ends: 'cut', when } }));
    const response = await chat(asProxy(balancer.url), customer.proxyKey, { model: 'test/chat', stream: true });
    let text = '';
    for await (const bytes of response.body ?? []) {
      text += new TextDecoder().decode(bytes);
      if (text.includes('"content":"000"')) goOn();
    }
    expect(text).toContain('"code":"upstream_error"');
  });

  test('lets a stream last longer than the longest silence', async () => {
    const { url } = await startAnother({ environment: { LB_SILENCE_MAX: '4s' } });
    gateway.provider.on('upstream-chat', streamedResponse({ tokens: 80, delayMs: 100 }));
    const response = await chat(asProxy(url), customer.proxyKey, { model: 'test/chat', stream: true });
    expect(await response.text()).toEndWith('data: [DONE]\n\n');
  });

  test('ends the request of a client that hangs up while the provider thinks', async () => {
    gateway.provider.on('upstream-chat', hang);
    const leaving = new AbortController();
    const before = gateway.provider.requests.length;
    const sent = chat(
      asProxy(balancer.url),
      customer.proxyKey,
      { model: 'test/chat' },
      { signal: leaving.signal },
    ).catch(() => 'left');
    const truth = await waitFor(
      'the provider to be asked',
      guardTimeoutMs,
      async () => gateway.provider.requests[before],
    );
    leaving.abort();
    expect(await sent).toBe('left');
    await waitFor('the provider to be left', guardTimeoutMs, async () => truth.aborted);
  });

  test('passes on a whole upload of several megabytes, and refuses one that is too large as JSON', async () => {
    gateway.provider.on('upstream-priced', wholeResponse({ usage: { promptTokens: 9, completionTokens: 1 } }));
    const upload = (bytes: number) =>
      chat(asProxy(balancer.url), customer.proxyKey, {
        model: 'test/priced-output',
        messages: [{ role: 'user', content: imageOf(bytes) }],
      });
    const response = await upload(8 * 1024 * 1024);
    expect([response.status, await response.json()]).toEqual([200, expect.anything()]);
    const content = imageOf(8 * 1024 * 1024);
    expect(gateway.provider.requests.at(-1)?.body.messages).toEqual([{ role: 'user', content }]);
    const tooLarge = await upload(21 * 1024 * 1024);
    expect(tooLarge.status).toBe(413);
    expect(await errorCodeOf(tooLarge)).toBe('body_too_large');
  });

  test('serves HTTP/2 with HSTS if it has a certificate, and redirects from HTTP', async () => {
    const { url, secureUrl } = await startAnother({ certificate: certificate.pem });
    gateway.provider.on('upstream-chat', streamedResponse({ tokens: 3, usage: true }));
    const body = JSON.stringify({ model: 'test/chat', stream: true, messages: [{ role: 'user', content: 'Hi' }] });
    const authorization = `authorization: Bearer ${customer.proxyKey}`;
    const { chain } = certificate;
    const shown =
      await $`curl -sS --cacert ${chain} --http2 -D - -H ${authorization} -H content-type:application/json -d ${body} ${secureUrl}/v1/chat/completions`.text();
    expect(shown).toStartWith('HTTP/2 200');
    expect(shown).toContain('strict-transport-security: max-age=31536000');
    expect(shown).toEndWith('data: [DONE]\n\n');
    gateway.provider.on('upstream-priced', wholeResponse({ usage: { promptTokens: 9, completionTokens: 1 } }));
    const upload = join(gateway.harness.directory, 'upload.json');
    const messages = [{ role: 'user', content: imageOf(8 * 1024 * 1024) }];
    await Bun.write(upload, JSON.stringify({ model: 'test/priced-output', messages }));
    const uploaded =
      await $`curl -sS --cacert ${chain} --http2 -H ${authorization} -H content-type:application/json --data-binary @${upload} ${secureUrl}/v1/chat/completions`.json();
    expect(uploaded).toMatchObject({ object: 'chat.completion' });
    expect(gateway.provider.requests.at(-1)?.body.messages).toEqual(messages);
    const redirected = await fetch(`${url}/v1/models?a=b`, { redirect: 'manual', method: 'POST' });
    expect(redirected.status).toBe(308);
    expect(redirected.headers.get('location')).toEndWith('/v1/models?a=b');
    expect(redirected.headers.get('location')).toStartWith('https://');
  });

  test('returns a JSON 503 with Retry-After if no replica can be reached', async () => {
    const { url } = await startAnother({ proxies: [deadAddress], admins: [deadAddress] });
    for (const path of ['/v1/models', '/api/site']) {
      const response = await fetch(`${url}${path}`);
      expect(response.status).toBe(503);
      expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
      expect(response.headers.get('x-request-id')).toHaveLength(36);
      expect(await errorCodeOf(response)).toBe('no_replica');
    }
  });

  test('reports as JSON a replica that crashes before it responds, or stays silent for too long', async () => {
    const doomed = await gateway.harness.startProxy();
    const { url } = await startAnother({ proxies: [doomed] });
    gateway.provider.on('upstream-chat', hang);
    const before = gateway.provider.requests.length;
    const sent = chat(asProxy(url), customer.proxyKey, { model: 'test/chat' });
    await waitFor('the provider to be asked', guardTimeoutMs, async () => gateway.provider.requests[before]);
    await doomed.kill();
    const lost = await sent;
    expect([lost.status, await errorCodeOf(lost)]).toEqual([502, 'replica_lost']);

    const impatient = await startAnother({ environment: { LB_SILENCE_MAX: '500ms' } });
    const late = await chat(asProxy(impatient.url), customer.proxyKey, { model: 'test/chat' });
    expect([late.status, await errorCodeOf(late)]).toEqual([504, 'replica_timeout']);
  });

  test('stops using a proxy that is not ready, and uses it again if no other one is ready', async () => {
    const leaving = await gateway.harness.startProxy({ SHUTDOWN_ANNOUNCE_SECONDS: '300' });
    const another = await startAnother({ proxies: [gateway.proxy, leaving] });
    await waitFor('both', noticeTimeoutMs, async () => (await another.readyServers('proxies')).length === 2);
    process.kill(leaving.pid, 'SIGTERM');
    await waitFor('one to be left', noticeTimeoutMs, async () => {
      return String(await another.readyServers('proxies')) === 'proxy-1';
    });
    const alone = await startAnother({ proxies: [leaving] });
    await waitFor('none', noticeTimeoutMs, async () => (await alone.readyServers('proxies')).length === 0);
    expect((await fetch(`${alone.url}/v1/models`)).status).toBe(200);
    process.kill(leaving.pid, 'SIGTERM');
    await leaving.exited;
  });

  test('logs the request id and no query, in which mailed links have their tokens', async () => {
    const response = await fetch(`${balancer.url}/verify-email?token=secret-of-the-link`);
    await response.text();
    const log = await waitFor('the log', guardTimeoutMs, async () => {
      const text = await Bun.file(balancer.logFile).text();
      return text.includes('/verify-email') && text;
    });
    expect(log).not.toContain('secret-of-the-link');
    expect((await fetch(`${balancer.url}/api/site`)).headers.get('x-request-id')).toHaveLength(36);
  });
});
