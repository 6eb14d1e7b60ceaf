/** The proxy's configuration: whether it shares its port, whose `X-Forwarded-For` it trusts, and what sends requests to providers. */
import { expect, test } from 'bun:test';
import { loadProxyConfig } from '../../../shared/config/proxy.ts';

const required = { REDIS_URL: 'redis://localhost:6379', KEY_PEPPER: 'p'.repeat(32) };

test('a proxy does not share its port unless PROXY_REUSE_PORT is true', () => {
  expect(loadProxyConfig(required).reusePort).toBe(false);
  expect(loadProxyConfig({ ...required, PROXY_REUSE_PORT: 'true' }).reusePort).toBe(true);
  expect(() => loadProxyConfig({ ...required, PROXY_REUSE_PORT: 'yes' })).toThrow('PROXY_REUSE_PORT');
});

test('no load balancer is trusted unless TRUSTED_PROXY_HOPS says how many', () => {
  expect(loadProxyConfig(required).trustedProxyHops).toBe(0);
  expect(loadProxyConfig({ ...required, TRUSTED_PROXY_HOPS: '2' }).trustedProxyHops).toBe(2);
  expect(() => loadProxyConfig({ ...required, TRUSTED_PROXY_HOPS: '-1' })).toThrow('TRUSTED_PROXY_HOPS');
});

test('requests go to providers over connections of our own, or by fetch where that is set or needed', () => {
  const clientOf = (more = {}) => loadProxyConfig({ ...required, ...more }).providerClient;
  expect(clientOf()).toBe('own');
  expect(clientOf({ HTTPS_PROXY: '' })).toBe('own');
  expect(clientOf({ PROVIDER_CLIENT: 'fetch' })).toBe('fetch');
  for (const name of ['HTTPS_PROXY', 'https_proxy', 'HTTP_PROXY', 'http_proxy'])
    expect(clientOf({ PROVIDER_CLIENT: 'own', [name]: 'http://proxy:3128' })).toBe('fetch');
  expect(() => clientOf({ PROVIDER_CLIENT: 'curl' })).toThrow('PROVIDER_CLIENT');
});
