/** Behind a load balancer that is not configured, all callers have one address: admin and the doctor report it. */
import { afterAll, expect, test } from 'bun:test';
import { guardTimeoutMs, waitFor } from '../../../harness/account-view.ts';
import { startHarness } from '../../../harness.ts';
import { gatewayOf } from '../../cli/run-gateway.ts';

const harness = await startHarness();

afterAll(() => harness.stop());

const note = 'admin:forwarded';
const ask = (url: string, headers: Record<string, string> = {}) => fetch(`${url}/healthz`, { headers });

interface Diagnosis {
  readonly checks: readonly { check: string; status: string }[];
}

async function doctorsWord(): Promise<string | undefined> {
  const { json } = await gatewayOf(harness)<Diagnosis>(['doctor', '--json']);
  return json.checks.find(({ check }) => check === 'addresses')?.status;
}

test('X-Forwarded-For is noticed only if no hop is trusted', async () => {
  const trusting = await harness.openAdmin({ TRUSTED_PROXY_HOPS: '1' });
  const direct = await harness.openAdmin();
  await ask(trusting.url, { 'x-forwarded-for': '192.0.2.1' });
  await ask(direct.url);
  // Each request has queried Redis after it would have made the note.
  for (const { url } of [trusting, direct]) expect((await fetch(`${url}/readyz`)).status).toBe(200);
  expect(await doctorsWord()).toBeUndefined();
  await ask(direct.url, { 'x-forwarded-for': '192.0.2.1' });
  await waitFor('the note', guardTimeoutMs, async () => (await harness.redis.exists(note)) === 1);
  expect(await doctorsWord()).toBe('warn');
  expect(await harness.redis.ttl(note)).toBeGreaterThan(0);
});
