/** How admin serves the dashboard's build: pages, assets, encodings, headers, and what it never serves. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Elysia } from 'elysia';
import { serveDashboard } from '../../../admin/dashboard/dashboard-routes.ts';
import { type Harness, startHarness } from '../../harness.ts';
import { type Api, startApi } from '../api/start-api.ts';

const proxyUrl = 'https://proxy.example.com/somewhere';
const html = '<!doctype html><title>The page</title>';
const script = 'console.log("the script")';

let folder: string;
let server: ReturnType<typeof serve>;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gateway-dashboard-'));
  await mkdir(join(folder, 'assets'));
  await Bun.write(join(folder, 'index.html'), html);
  await Bun.write(join(folder, 'index.html.gz'), Bun.gzipSync(new TextEncoder().encode(html)));
  await Bun.write(join(folder, 'assets/main-abc.js'), script);
  await Bun.write(join(folder, 'assets/main-abc.js.gz'), Bun.gzipSync(new TextEncoder().encode(script)));
  await Bun.write(join(folder, 'assets/main-abc.js.br'), 'brotli');
  await Bun.write(join(folder, 'secret.txt'), 'secret');
  server = serve({ publicUrl: 'https://admin.example.com', folder });
});
afterAll(() => rm(folder, { recursive: true, force: true }));

function serve(options: { publicUrl: string; folder: string }) {
  const { pages, routes } = serveDashboard({ proxyUrl, ...options });
  return new Elysia().use(pages).use(routes);
}

const get = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
  server.handle(new Request(`http://admin.test${path}`, { headers, method }));

describe('a page', () => {
  test.each(['/', '/keys', '/operator/accounts/7', '/verify-email?token=x'])('is served at %s', async (path) => {
    const response = await get(path);
    expect(response.status).toBe(200);
    expect(await response.text()).toBe(html);
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(response.headers.get('cache-control')).toBe('no-cache');
  });

  test('runs no inline script, reaches no origin but admin and the proxy, and cannot be framed', async () => {
    const { headers } = await get('/');
    const policy = headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("script-src 'self';");
    expect(policy).toContain("connect-src 'self' https://proxy.example.com;");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(headers.get('referrer-policy')).toBe('no-referrer');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('strict-transport-security')).toStartWith('max-age=');
  });

  test('is not sent again while it is unchanged', async () => {
    const etag = (await get('/')).headers.get('etag') ?? '';
    const again = await get('/keys', { 'if-none-match': etag });
    expect(again.status).toBe(304);
    expect(await again.text()).toBe('');
  });

  test('says how to build the dashboard if there is no build', async () => {
    const unbuilt = serve({ publicUrl: 'http://admin.test', folder: join(folder, 'nowhere') });
    const response = await unbuilt.handle(new Request('http://admin.test/'));
    expect(response.status).toBe(503);
    expect(await response.text()).toContain('bun run dashboard:build');
  });
});

describe('an asset', () => {
  test('never changes under its name', async () => {
    const response = await get('/assets/main-abc.js');
    expect(await response.text()).toBe(script);
    expect(response.headers.get('content-type')).toBe('text/javascript; charset=utf-8');
    expect(response.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
  });

  test.each([
    ['br, gzip', 'br'],
    ['gzip, deflate', 'gzip'],
    ['gzip;q=1.0, br;q=0', 'gzip'],
    ['identity', null],
    ['', null],
  ])('an asset for a client that accepts "%s" has the encoding %s', async (accepted, encoding) => {
    const { headers } = await get('/assets/main-abc.js', { 'accept-encoding': accepted });
    expect(headers.get('content-encoding')).toBe(encoding);
    expect(headers.get('vary')).toBe('accept-encoding');
  });

  test.each([
    '/assets/main-abd.js',
    '/assets/main-abc.js.gz',
    '/assets/..%2Fsecret.txt',
    '/assets/%2e%2e%2findex.html',
    '/assets/..%5Csecret.txt',
    '/assets/',
    '/assets/a/b.js',
    '/secret.txt',
    '/%2e%2e/secret.txt',
  ])('outside of the build is not found: %s', async (path) => {
    expect((await get(path)).status).toBe(404);
  });
});

describe('the dashboard beside all routes of admin', () => {
  let harness: Harness;
  let api: Api;
  beforeAll(async () => {
    harness = await startHarness();
    api = await startApi(harness);
  });
  afterAll(async () => {
    await api?.stop();
    await harness.stop();
  });

  test.each(['/api', '/api/nowhere', '/api/docs/nowhere', '/v1/chat/completions', '/assets/nowhere.js', '/robots.txt'])(
    'returns a JSON error for a wrong address of a program: %s',
    async (path) => {
      const response = await fetch(api.url + path, { headers: { accept: 'text/html' } });
      expect(response.status).toBe(404);
      expect(await response.json()).toMatchObject({ error: { code: 'not_found' } });
    },
  );

  test('serves pages only for GET and HEAD', async () => {
    expect((await fetch(`${api.url}/keys`, { method: 'POST' })).status).toBe(404);
    const head = await fetch(`${api.url}/keys`, { method: 'HEAD' });
    expect(head.headers.get('content-type')).toStartWith('text/html');
  });

  test('sends a request id with every page', async () => {
    const response = await fetch(`${api.url}/keys`);
    expect(response.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
    expect(response.headers.getSetCookie()).toEqual([]);
  });
});
