/** Who may connect to whom in a cluster. */
import { describe, expect, test } from 'bun:test';
import { isAllowed, type Place, type Port } from './network.ts';
import { canRender, type Manifest, overlays, renderOverlay } from './rendered.ts';

const own = (component: string, address: string): Place => ({
  address,
  pod: { namespace: 'gateway', labels: { 'app.kubernetes.io/component': component } },
});
const other = (namespace: string, address: string): Place => ({ address, pod: { namespace, labels: {} } });

const proxy = own('proxy', '10.42.0.11');
const admin = own('admin', '10.42.0.12');
const migrate = own('migrate', '10.42.0.13');
const outside = (address: string): Place => ({ address });
const provider = outside('203.0.113.7');
const http = (number: number): Port => ({ number, name: 'http' });
const port = (number: number): Port => ({ number });

/** Postgres and Redis, as the overlay has them. */
const stores = {
  'one-machine': { postgres: own('postgres', '10.42.0.14'), redis: own('redis', '10.42.0.15') },
  'several-zones': { postgres: outside('10.20.2.5'), redis: outside('10.20.1.5') },
};

const rendered = new Map<string, readonly Manifest[]>();
if (canRender) for (const overlay of overlays) rendered.set(overlay, await renderOverlay(overlay));

describe.skipIf(!canRender).each(overlays)('the overlay %s', (overlay) => {
  const manifests = rendered.get(overlay) ?? [];
  const { postgres, redis } = stores[overlay];

  test('lets the proxy reach Redis and providers, and Postgres on no port', () => {
    expect(isAllowed(manifests, proxy, redis, port(6379))).toBe(true);
    expect(isAllowed(manifests, proxy, provider, port(443))).toBe(true);
    // Those of every rule, and two that only a rule for all ports allows.
    const ports = new Set([...JSON.stringify(manifests).matchAll(/"port":(\d+)/g)].map(([, number]) => Number(number)));
    expect(ports).toContain(5432);
    const open = [1, 65_535, ...ports].filter((number) => isAllowed(manifests, proxy, postgres, port(number)));
    expect(open).toEqual([]);
  });

  test.each([
    ['another port of a provider', provider, 5432],
    ['the metadata of the machine', outside('169.254.169.254'), 80],
    ['the metadata of the machine over HTTPS', outside('169.254.169.254'), 443],
    ['the API of the cluster', outside('10.43.0.1'), 443],
    ['a private IPv6 address', outside('fd00::7'), 443],
    ['an admin', admin, 8081],
    ['another namespace', other('shop', '10.42.0.20'), 443],
  ] as const)('does not let the proxy reach %s', (_, place, number) => {
    expect(isAllowed(manifests, proxy, place, http(number))).toBe(false);
  });

  test('lets admin reach Postgres, Redis, payment services and mail servers', () => {
    expect(isAllowed(manifests, admin, postgres, port(5432))).toBe(true);
    expect(isAllowed(manifests, admin, redis, port(6379))).toBe(true);
    for (const number of [443, 465, 587]) expect(isAllowed(manifests, admin, provider, port(number))).toBe(true);
    expect(isAllowed(manifests, admin, outside('10.43.0.1'), port(443))).toBe(false);
  });

  test('lets migrations reach only Postgres', () => {
    expect(isAllowed(manifests, migrate, postgres, port(5432))).toBe(true);
    expect(isAllowed(manifests, migrate, redis, port(6379))).toBe(false);
    expect(isAllowed(manifests, migrate, provider, port(443))).toBe(false);
  });

  test('lets only the Ingress controller and Prometheus reach the programs', () => {
    for (const [program, number] of [
      [proxy, 8080],
      [admin, 8081],
    ] as const) {
      expect(isAllowed(manifests, other('haproxy-controller', '10.42.0.30'), program, http(number))).toBe(true);
      expect(isAllowed(manifests, other('monitoring', '10.42.0.31'), program, http(number))).toBe(true);
      expect(isAllowed(manifests, other('shop', '10.42.0.20'), program, http(number))).toBe(false);
      expect(isAllowed(manifests, provider, program, http(number))).toBe(false);
    }
  });
});

test.skipIf(!canRender)('Postgres and Redis on one machine are reachable only by the programs', () => {
  const manifests = rendered.get('one-machine') ?? [];
  const { postgres, redis } = stores['one-machine'];
  expect(isAllowed(manifests, other('shop', '10.42.0.20'), redis, port(6379))).toBe(false);
  expect(isAllowed(manifests, other('haproxy-controller', '10.42.0.30'), redis, port(6379))).toBe(false);
  expect(isAllowed(manifests, other('shop', '10.42.0.20'), postgres, port(5432))).toBe(false);
  expect(isAllowed(manifests, redis, provider, port(443))).toBe(false);
});
