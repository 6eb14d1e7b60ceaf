/** The proxy's configuration: whether it shares its port. */
import { expect, test } from 'bun:test';
import { loadProxyConfig } from '../../../shared/config/proxy.ts';

const required = { REDIS_URL: 'redis://localhost:6379', KEY_PEPPER: 'p'.repeat(32) };

test('a proxy does not share its port unless PROXY_REUSE_PORT is true', () => {
  expect(loadProxyConfig(required).reusePort).toBe(false);
  expect(loadProxyConfig({ ...required, PROXY_REUSE_PORT: 'true' }).reusePort).toBe(true);
  expect(() => loadProxyConfig({ ...required, PROXY_REUSE_PORT: 'yes' })).toThrow('PROXY_REUSE_PORT');
});
