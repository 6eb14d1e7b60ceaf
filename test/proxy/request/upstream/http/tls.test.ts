/** The client for providers over TLS: whom it trusts, and that nothing is sent to anyone else. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { readFileSync, rmSync } from 'node:fs';
import { readText } from '../../../../../proxy/nouns/read-text.ts';
import { HttpClient } from '../../../../../proxy/request/upstream/http/http-client.ts';
import { makeOwnRoot, type OwnRoot, opensslMissing } from '../../../../harness/own-root.ts';
import { RawServer } from './raw-server.ts';

const { signal } = new AbortController();

describe.skipIf(opensslMissing)('a server', () => {
  const roots: OwnRoot[] = [];
  const servers: RawServer[] = [];
  const client = new HttpClient();
  let other: OwnRoot;

  const serve = async (options?: { names?: string; days?: number }) => {
    const root = makeOwnRoot(options);
    const server = await RawServer.start({ tls: root.tls });
    roots.push(root);
    servers.push(server);
    return { server, ca: readFileSync(root.caFile, 'utf8') };
  };
  const post = (url: string, ca?: string) => client.post({ url, headers: {}, body: 'secret' }, { ca, signal });

  beforeAll(() => {
    other = makeOwnRoot();
    roots.push(other);
  });

  afterAll(async () => {
    client.close();
    for (const server of servers) await server.stop();
    for (const { directory } of roots) rmSync(directory, { recursive: true });
  });

  test('with a certificate of the given root is used, on one connection', async () => {
    const { server, ca } = await serve();
    for (let count = 0; count < 3; count += 1) {
      const response = await post(server.url(), ca);
      expect(await readText(response, { maxBytes: 10 })).toBe('ok');
    }
    expect(server.connections).toBe(1);
    // Connections of others are not shared.
    await expect(post(server.url(), readFileSync(other.caFile, 'utf8'))).rejects.toThrow();
    expect(server.requests).toHaveLength(3);
  });

  test('is told which name is meant, and has to have it', async () => {
    const { server, ca } = await serve({ names: 'DNS:localhost' });
    expect((await post(server.url('localhost'), ca)).status).toBe(200);
    expect(server.serverNames).toEqual(['localhost']);
    await expect(post(server.url('127.0.0.1'), ca)).rejects.toThrow();
    expect(server.requests).toHaveLength(1);
  });

  test.each([
    ['of an unknown root', {}, false],
    ['for another name', { names: 'DNS:other.example' }, true],
    ['for another address', { names: 'IP:127.0.0.2' }, true],
    ['for its name as a part of another one', { names: 'DNS:127.0.0.1.example' }, true],
    ['that has expired', { days: -1 }, true],
  ] as const)('with a certificate %s gets no request', async (_which, options, isKnown) => {
    const { server, ca } = await serve(options);
    await expect(post(server.url(), isKnown ? ca : undefined)).rejects.toThrow();
    expect(server.requests).toEqual([]);
  });

  test('that speaks no TLS gets no request', async () => {
    const server = await RawServer.start();
    servers.push(server);
    server.answer = (_request, socket) => socket.write('HTTP/1.1 200 OK\r\n\r\n');
    const responding = post(server.url().replace('http:', 'https:'));
    const timer = setInterval(() => {
      for (const socket of server.open) socket.write('HTTP/1.1 400 Bad Request\r\n\r\n');
    }, 10);
    await expect(responding).rejects.toThrow();
    clearInterval(timer);
    expect(server.requests).toEqual([]);
  });
});
