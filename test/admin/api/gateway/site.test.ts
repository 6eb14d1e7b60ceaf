/** GET /api/site: what a page may know without a log-in. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { type Harness, startHarness } from '../../../harness.ts';
import type { Site } from '../response-types.ts';
import { startApi } from '../start-api.ts';

let harness: Harness;
beforeAll(async () => {
  harness = await startHarness();
});
afterAll(() => harness.stop());

async function readSite(environment: Readonly<Record<string, string>>) {
  const api = await startApi(harness, { environment });
  try {
    return await api.call<Site>('GET', '/api/site');
  } finally {
    await api.stop();
  }
}

test('anyone can read the proxy’s address, the rate, and that sign-up is open', async () => {
  const { status, body } = await readSite({ PROXY_PUBLIC_URL: 'https://llm.example.com/gateway/', CBR_URL: 'off' });
  expect(status).toBe(200);
  expect(body).toEqual({
    registration: 'open',
    proxyUrl: 'https://llm.example.com/gateway',
    rubRate: { perUsd: '90', date: null, source: 'configured' },
  });
});

test('GET /api/site has the information that sign-up is closed', async () => {
  expect((await readSite({ REGISTRATION: 'closed' })).body.registration).toBe('closed');
});
