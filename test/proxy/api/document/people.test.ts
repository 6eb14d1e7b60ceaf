/** People who open the proxy in a browser are led to the documentation; clients of the API are not. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { testCatalogue } from '../../../harness/providers/test-catalogue.ts';
import { type Harness, startHarness } from '../../../harness.ts';

let harness: Harness;
beforeAll(async () => {
  harness = await startHarness();
  await harness.applyCatalogue(testCatalogue('http://127.0.0.1:9/v1'));
  await harness.openAdmin();
});
afterAll(() => harness.stop());

const browser = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' };
const open = (url: string, path: string, headers: Record<string, string>) =>
  fetch(`${url}${path}`, { headers, redirect: 'manual' });

test('only a browser is redirected to the documentation, with or without a slash', async () => {
  const { url } = await harness.openProxy({ PUBLIC_URL: 'https://gateway.example.com/console/' });
  for (const path of ['/', '/v1', '/v1/']) {
    const response = await open(url, path, browser);
    expect({ path, status: response.status }).toEqual({ path, status: 302 });
    expect(response.headers.get('location')).toBe('https://gateway.example.com/console/api/docs');
    expect(response.headers.get('vary')).toContain('accept');
    for (const headers of [{ accept: 'application/json' }, { accept: '*/*' }]) {
      const plain = await open(url, path, headers);
      expect({ path, status: plain.status, type: plain.headers.get('content-type') }).toEqual({
        path,
        status: 200,
        type: expect.stringContaining('application/json'),
      });
    }
  }
});

test("the proxy's page without the address of the documentation says what it is, without scripts", async () => {
  const { url } = await harness.openProxy({ PUBLIC_URL: '' });
  const response = await open(url, '/v1', browser);
  expect(response.status).toBe(200);
  expect(response.headers.get('content-security-policy')).toContain("default-src 'none'");
  const page = await response.text();
  expect(page).toContain('href="/v1/models"');
  expect(page).not.toMatch(/<script|https?:\/\//);
});
