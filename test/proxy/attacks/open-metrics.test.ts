/** /metrics of both programs, as anyone who can reach the port sees it. */
import { afterAll, expect, test } from 'bun:test';
import { join } from 'node:path';
import { describeOpenMetrics } from '../../../shared/http/operational.ts';
import { guardTimeoutMs, waitFor } from '../../harness/account-view.ts';
import { startGateway } from '../../harness/gateway.ts';
import type { Served } from '../../harness/programs.ts';

const token = 'a-token-of-the-monitoring';
const { harness, stop } = await startGateway();
const tokenFile = join(harness.directory, 'metrics-token');
await Bun.write(tokenFile, `${token}\n`);
const guarded = { METRICS_TOKEN_FILE: tokenFile, HOST: '0.0.0.0' };

afterAll(stop);

const metricsOf = ({ url }: Served, authorization?: string) =>
  fetch(`${url}/metrics`, { headers: authorization === undefined ? {} : { authorization } });

test.each([
  ['proxy', () => harness.openProxy(guarded)],
  ['admin', () => harness.openAdmin(guarded)],
] as const)('the metrics of the %s need the token', async (_, open) => {
  const program = await open();
  for (const authorization of [undefined, 'Bearer wrong', `Bearer ${token}x`, `Basic ${btoa(`x:${token}`)}`]) {
    const refused = await metricsOf(program, authorization);
    expect([authorization, refused.status]).toEqual([authorization, 401]);
    expect(refused.headers.get('www-authenticate')).toBe('Bearer');
    const text = await refused.text();
    expect(JSON.parse(text)).toMatchObject({ error: { code: 'invalid_token', type: 'authentication_error' } });
    expect(text).not.toContain('gateway_');
  }
  const shown = await metricsOf(program, `Bearer ${token}`);
  expect(shown.status).toBe(200);
  expect(await shown.text()).toContain('gateway_');
  // Orchestrators have no token for the probes.
  for (const path of ['/healthz', '/readyz']) expect((await fetch(`${program.url}${path}`)).status).toBe(200);
});

test('without a token both programs show their metrics, and warn if they listen beyond loopback', async () => {
  for (const program of await Promise.all([
    harness.startProxy({ HOST: '0.0.0.0' }),
    harness.startAdmin({ HOST: '0.0.0.0' }),
  ])) {
    const shown = await metricsOf(program);
    expect(shown.status).toBe(200);
    expect(await shown.text()).toContain('process_cpu');
    const warned = async () => (await Bun.file(program.logFile).text()).includes('Set METRICS_TOKEN');
    expect(await waitFor('the warning', guardTimeoutMs, warned)).toBe(true);
  }
});

test('nothing is warned of on loopback, nor where a token is set', () => {
  const warningOf = (host: string, ...metricsTokens: string[]) => describeOpenMetrics({ host, metricsTokens });
  expect(warningOf('0.0.0.0')).toContain('Set METRICS_TOKEN');
  expect([warningOf('127.0.0.1'), warningOf('0.0.0.0', token)]).toEqual([undefined, undefined]);
});
