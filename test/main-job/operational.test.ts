/** The operational endpoints of both programs have one shape, and a request id in each response. */
import { afterAll, describe, expect, test } from 'bun:test';
import { guardTimeoutMs, waitFor } from '../harness/account-view.ts';
import { startGateway } from '../harness/gateway.ts';

const gateway = await startGateway();

afterAll(gateway.stop);

const uuidV7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

describe.each(['proxy', 'admin'] as const)('%s', (name) => {
  const ask = (path: string) => fetch(`${gateway[name].url}${path}`);

  test.each(['/healthz', '/readyz', '/metrics'])('returns a request id of its own at %s', async (path) => {
    const ids = (await Promise.all([ask(path), ask(path)])).map(({ headers }) => headers.get('x-request-id'));
    for (const id of ids) expect(id).toMatch(uuidV7);
    expect(ids[0]).not.toBe(ids[1] as string);
  });

  test('returns that all is well at /healthz and /readyz', async () => {
    expect(await (await ask('/healthz')).json()).toEqual({ status: 'ok' });
    expect(await (await ask('/readyz')).json()).toEqual({ status: 'ready', missing: [] });
  });
});

test('both programs report what is missing in the same form, with a request id', async () => {
  await gateway.harness.restartRedis(async () => {
    for (const name of ['proxy', 'admin'] as const) {
      const response = await waitFor(`${name} to notice`, guardTimeoutMs, async () => {
        const readiness = await fetch(`${gateway[name].url}/readyz`);
        return readiness.status === 503 && readiness;
      });
      expect(response.headers.get('x-request-id')).toMatch(uuidV7);
      const { status, missing, ...rest } = (await response.json()) as { status: string; missing: string[] };
      expect({ status, rest }).toEqual({ status: 'not_ready', rest: {} });
      expect(missing).toContain('redis');
    }
  });
});
