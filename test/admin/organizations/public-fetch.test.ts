/** What a customer can have admin fetch: public https addresses, once, and little. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { publicFetch } from '../../../admin/organizations/single-sign-on/public-fetch.ts';

const endless = () =>
  new ReadableStream({ pull: (controller) => controller.enqueue(new TextEncoder().encode('x'.repeat(64 * 1024))) });
const paths: Readonly<Record<string, () => Response>> = {
  '/json': () => Response.json({ issuer: 'here' }),
  '/redirect': () => new Response(null, { status: 302, headers: { location: '/json' } }),
  '/large': () => new Response('x'.repeat(256 * 1024 + 1)),
  '/endless': () => new Response(endless()),
};
let server: ReturnType<typeof Bun.serve>;
beforeAll(() => {
  server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: ({ url }) => paths[new URL(url).pathname]?.() ?? new Response('none', { status: 404 }),
  });
});
afterAll(() => server.stop(true));

const get = (address: string, oidcIssuers: 'public' | 'any') =>
  publicFetch({ oidcIssuers })(address, { method: 'GET', headers: {} });
const here = (path: string) => `http://127.0.0.1:${server.port}${path}`;

test.each([
  'http://login.example.com/',
  'https://127.0.0.1/',
  'https://10.1.2.3/',
  'https://169.254.169.254/latest/meta-data',
  'https://[::1]/',
  'https://[::ffff:10.0.0.1]/',
  'https://localhost/',
  'https://redis/',
  'https://0x7f000001/',
  'https://user@10.0.0.1/',
  'ftp://example.com/',
  'file:///etc/passwd',
])('%s is refused without being resolved', async (address) => {
  await expect(get(address, 'public')).rejects.toThrow('is not a public https address');
});

describe('an address that operators allow', () => {
  test('is read, and its redirects are not followed', async () => {
    expect(await (await get(here('/json'), 'any')).json()).toEqual({ issuer: 'here' });
    expect((await get(here('/redirect'), 'any')).status).toBe(302);
  });

  test.each(['/large', '/endless'])('is given up if it answers too much: %s', async (path) => {
    await expect(get(here(path), 'any')).rejects.toThrow('larger than');
  });
});
