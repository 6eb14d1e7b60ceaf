/** /metrics of both programs, as anyone who can reach the port sees it. */
import { afterAll, expect, test } from 'bun:test';
import { join } from 'node:path';
import { guardTimeoutMs, waitFor } from '../../harness/account-view.ts';
import { startPrograms } from '../../harness/gateway.ts';
import type { Program } from '../../harness/programs.ts';

const token = 'a-token-of-the-monitoring';
const { harness, proxy: openProxy, admin: openAdmin, stop } = await startPrograms();
const tokenFile = join(harness.directory, 'metrics-token');
await Bun.write(tokenFile, `${token}\n`);
const guarded = { METRICS_TOKEN_FILE: tokenFile, HOST: '0.0.0.0' };

afterAll(stop);

const metricsOf = ({ url }: Program, authorization?: string) =>
  fetch(`${url}/metrics`, { headers: authorization === undefined ? {} : { authorization } });
const logOf = (program: Program) => Bun.file(program.logFile).text();

test.each([
  ['proxy', () => harness.startProxy(guarded)],
  ['admin', () => harness.startAdmin(guarded)],
] as const)('the metrics of the %s need the token', async (_, start) => {
  const program = await start();
  for (const authorization of [undefined, 'Bearer wrong', `Bearer ${token}x`, `Basic ${btoa(`x:${token}`)}`]) {
    const refused = await metricsOf(program, authorization);
    expect([authorization, refused.status]).toEqual([authorization, 401]);
    expect(refused.headers.get('www-authenticate')).toBe('Bearer');
    const text = await refused.text();
    expect(JSON.parse(text)).toMatchObject({ error: { code: 'invalid_token', type: 'authentication_error' } });
    expect(text).not.toContain('process_cpu');
  }
  const shown = await metricsOf(program, `Bearer ${token}`);
  expect(shown.status).toBe(200);
  expect(await shown.text()).toContain('process_cpu');
  // Orchestrators have no token for the probes.
  for (const path of ['/healthz', '/readyz']) expect((await fetch(`${program.url}${path}`)).status).toBe(200);
  expect(await logOf(program)).not.toContain('Set METRICS_TOKEN');
});

test('without a token both programs show their metrics, and warn if they listen beyond loopback', async () => {
  for (const program of [openProxy, openAdmin]) {
    expect((await metricsOf(program)).status).toBe(200);
    expect(await logOf(program)).not.toContain('Set METRICS_TOKEN');
  }
  for (const program of await Promise.all([
    harness.startProxy({ HOST: '0.0.0.0' }),
    harness.startAdmin({ HOST: '0.0.0.0' }),
  ])) {
    const warned = async () => (await logOf(program)).includes('Set METRICS_TOKEN');
    expect(await waitFor('the warning', guardTimeoutMs, warned)).toBe(true);
  }
});
