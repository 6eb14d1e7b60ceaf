/** Who may read /metrics, and when the programs warn that everyone can. */
import { expect, test } from 'bun:test';
import { ConfigurationError } from '../../../shared/config/environment.ts';
import { loadProxyConfig } from '../../../shared/config/proxy.ts';
import { describeOpenMetrics, refuseMetrics } from '../../../shared/http/operational.ts';

const token = 'metrics-token';
const required = { REDIS_URL: 'redis://localhost', KEY_PEPPER: 'p'.repeat(32) };

test('only the exact bearer token is accepted for /metrics', () => {
  expect(refuseMetrics(`Bearer ${token}`, [token])).toBeUndefined();
  expect(refuseMetrics(`bearer ${token}`, ['another', token])).toBeUndefined();
  for (const shown of [null, '', token, `Basic ${token}`, 'Bearer ', 'Bearer metrics', `Bearer ${token}x`, 'Bearer x'])
    expect([shown, refuseMetrics(shown, [token])?.code]).toEqual([shown, 'invalid_token']);
});

test('without a configured token everyone may read /metrics', () => {
  expect(refuseMetrics(null, [])).toBeUndefined();
});

test.each(['127.0.0.1', '127.1.2.3', 'localhost', '::1', '[::1]', '::ffff:127.0.0.1'])(
  'the address %s counts as loopback',
  (host) => {
    expect(describeOpenMetrics({ host, metricsTokens: [] })).toBeUndefined();
  },
);

test.each(['0.0.0.0', '::', '10.0.0.1', '127.0.0.1.example.com', 'gateway.example.com'])(
  'listening on %s without a metrics token causes a warning',
  (host) => {
    expect(describeOpenMetrics({ host, metricsTokens: [] })).toContain('METRICS_TOKEN');
    expect(describeOpenMetrics({ host, metricsTokens: [token] })).toBeUndefined();
  },
);

test('a token that no header can carry is a configuration error', () => {
  const load = (METRICS_TOKEN: string) => loadProxyConfig({ ...required, METRICS_TOKEN }).metricsTokens;
  expect(load(token)).toEqual([token]);
  expect(load('a\nb')).toEqual(['a', 'b']);
  expect(load('')).toEqual([]);
  for (const bad of ['two words', 'schlüssel', 'a\nb c']) expect(() => load(bad)).toThrow(ConfigurationError);
  expect(() => loadProxyConfig({ ...required, METRICS_TOKEN_FILE: '/dev/null' })).toThrow('names an empty file');
  expect(() => loadProxyConfig({ ...required, METRICS_TOKEN_FILE: '/nowhere' })).toThrow('METRICS_TOKEN_FILE');
});
