/** The client for providers, and a server whose bytes a test decides; both are new for each test. */
import { afterEach, beforeEach } from 'bun:test';
import type { HttpResponse } from '../../../../../proxy/nouns/http-response.ts';
import type { UpstreamRequest } from '../../../../../proxy/providers/adapter.ts';
import { HttpClient } from '../../../../../proxy/request/upstream/http/http-client.ts';
import { guardTimeoutMs, waitFor } from '../../../../harness/account-view.ts';
import { RawServer } from './raw-server.ts';

export let server: RawServer;
export let client: HttpClient;

/** Called once by each test file. */
export function startForEachTest(): void {
  beforeEach(async () => {
    server = await RawServer.start();
    client = new HttpClient();
  });
  afterEach(async () => {
    client.close();
    await server.stop();
  });
}

export const until = (isSo: () => boolean) => waitFor('the server', guardTimeoutMs, async () => isSo());
export const unaborted = () => new AbortController().signal;
export const headers = { authorization: 'Bearer key', 'content-type': 'application/json' };

export function post(
  body: UpstreamRequest['body'] = '{}',
  { signal = unaborted(), url = server.url() } = {},
): Promise<HttpResponse> {
  return client.post({ url, headers, body }, { signal });
}

export async function bytesOf(response: HttpResponse): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  await response.readWhile((piece) => pieces.push(piece) > 0);
  return Buffer.concat(pieces);
}
