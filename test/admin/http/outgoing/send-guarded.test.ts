/** One guarded request: what ends it, how much of a response is read, and whose certificate it accepts. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type AddressGuard, AddressRefused } from '../../../../admin/http/outgoing/address-guard.ts';
import { sendGuarded } from '../../../../admin/http/outgoing/send-guarded.ts';
import { makeCertificate } from '../../../harness/certificate.ts';

const endless = () =>
  new ReadableStream({ pull: (controller) => controller.enqueue(new TextEncoder().encode('x'.repeat(64 * 1024))) });
/** Its first bytes come at once, and nothing more ever does. */
const unfinished = () =>
  new ReadableStream({ start: (controller) => controller.enqueue(new TextEncoder().encode('begun')) });

let followed = 0;
const paths: Readonly<Record<string, (request: Request) => Response | Promise<Response>>> = {
  '/echo': async (request) => new Response(`${request.method} ${await request.text()}`),
  '/redirect': () => new Response('elsewhere', { status: 307, headers: { location: '/followed' } }),
  '/followed': () => {
    followed += 1;
    return new Response('followed');
  },
  '/endless': () => new Response(endless()),
  '/unfinished': () => new Response(unfinished()),
  '/silent': () => new Promise(() => {}),
};
let server: ReturnType<typeof Bun.serve>;
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'send-guarded-'));
  server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    idleTimeout: 0,
    fetch: (request) => paths[new URL(request.url).pathname]?.(request) ?? new Response('none', { status: 404 }),
  });
});
afterAll(async () => {
  await server.stop(true);
  await rm(folder, { recursive: true });
});

const anywhere: AddressGuard = { reach: 'any' };
const here = (path: string) => `http://127.0.0.1:${server.port}${path}`;
const post = (url: string, { signal = new AbortController().signal, guard = anywhere } = {}) =>
  sendGuarded(url, { method: 'POST', headers: {}, body: 'hello', bodyMaxBytes: 4_000, signal }, guard);

test('sends the body, and returns the status and the body of the response', async () => {
  const { status, body, isWhole } = await post(here('/echo'));
  expect([status, body.toString(), isWhole]).toEqual([200, 'POST hello', true]);
});

test('a redirect is returned and not followed', async () => {
  const { status, body } = await post(here('/redirect'));
  expect([status, body.toString(), followed]).toEqual([307, 'elsewhere', 0]);
});

test('no more of an endless response is read than was asked for', async () => {
  const { body, isWhole } = await post(here('/endless'));
  expect([body.length, isWhole]).toEqual([4_000, false]);
});

test.each(['/silent', '/unfinished'])('the signal ends a request whose response does not end: %s', async (path) => {
  const controller = new AbortController();
  const sent = post(here(path), { signal: controller.signal });
  setTimeout(() => controller.abort(new Error('long enough')), 50);
  await expect(sent).rejects.toThrow('long enough');
});

test('nothing is sent once the signal is aborted', async () => {
  await expect(post(here('/echo'), { signal: AbortSignal.abort(new Error('too late')) })).rejects.toThrow('too late');
});

test('the connection goes where the only resolution leads, and is refused if that is private', async () => {
  let asked = 0;
  const resolve = async () => {
    asked += 1;
    return [{ address: '127.0.0.1', family: 4 }];
  };
  const url = `http://hooks.example.com:${server.port}/echo`;
  const { body } = await post(url, { guard: { reach: 'any', resolve } });
  expect([body.toString(), asked]).toEqual(['POST hello', 1]);
  const refused = post(`https://hooks.example.com:${server.port}/echo`, { guard: { reach: 'public', resolve } });
  await expect(refused).rejects.toThrow(AddressRefused);
});

test('the certificate must be for the name of the URL, not for the address of the connection', async () => {
  const { key, chain } = await makeCertificate(folder);
  const secure = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    tls: { key: Bun.file(key), cert: Bun.file(chain) },
    fetch: () => new Response('secure'),
  });
  const script = `
    import { sendGuarded } from ${JSON.stringify(join(import.meta.dir, '../../../../admin/http/outgoing/send-guarded.ts'))};
    const resolve = async () => [{ address: '127.0.0.1', family: 4 }];
    for (const host of ['localhost', 'other.example.com']) {
      const outgoing = { method: 'POST', headers: {}, body: '', bodyMaxBytes: 100, signal: AbortSignal.timeout(20_000) };
      const sent = sendGuarded('https://' + host + ':${secure.port}/', outgoing, { reach: 'any', resolve });
      console.log(await sent.then(({ body }) => body.toString(), (error) => error.code));
    }`;
  const run = async (extra: Record<string, string>) => {
    const child = Bun.spawn([process.execPath, '-e', script], { env: { ...process.env, ...extra }, stdout: 'pipe' });
    return (await new Response(child.stdout).text()).trim().split('\n');
  };
  expect(await run({ NODE_EXTRA_CA_CERTS: chain })).toEqual(['secure', 'ERR_TLS_CERT_ALTNAME_INVALID']);
  expect(await run({})).not.toContain('secure');
  await secure.stop(true);
});
