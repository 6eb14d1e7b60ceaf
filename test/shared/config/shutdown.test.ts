/** The shutdown budget is one number for all programs, and a kill comes only after it. */
import { expect, test } from 'bun:test';
import { loadAdminConfig } from '../../../admin/config/admin.ts';
import { readLocalConfiguration } from '../../../local/configuration.ts';
import { loadProxyConfig } from '../../../shared/config/proxy.ts';
import { killAfterMs } from '../../../shared/config/shutdown.ts';

const required = {
  DATABASE_URL: 'postgres://localhost/gateway',
  REDIS_URL: 'redis://localhost',
  JWT_SECRET: 'j'.repeat(32),
  KEY_PEPPER: 'p'.repeat(32),
};

function gracesOf(given: Record<string, string>): number[] {
  const variables = { ...required, ...given };
  const configurations = [
    loadProxyConfig(variables),
    loadAdminConfig(variables),
    readLocalConfiguration(variables).configuration,
  ];
  return configurations.map(({ shutdown }) => shutdown.graceMs);
}

test('SHUTDOWN_GRACE_SECONDS is the grace period of the proxy, of admin and of npm start', () => {
  expect(gracesOf({})).toEqual([20_000, 20_000, 20_000]);
  expect(gracesOf({ SHUTDOWN_GRACE_SECONDS: '300' })).toEqual([300_000, 300_000, 300_000]);
  expect(gracesOf({ SHUTDOWN_GRACE_SECONDS: '0' })).toEqual([0, 0, 0]);
});

test('SHUTDOWN_ANNOUNCE_SECONDS is 3 for programs behind a load balancer and 0 under npm start', () => {
  const announced = (given: Record<string, string>) => {
    const variables = { ...required, ...given };
    return [
      loadProxyConfig(variables),
      loadAdminConfig(variables),
      readLocalConfiguration(variables).configuration,
    ].map(({ shutdown }) => shutdown.announceMs);
  };
  expect(announced({})).toEqual([3_000, 3_000, 0]);
  expect(announced({ SHUTDOWN_ANNOUNCE_SECONDS: '15' })).toEqual([15_000, 15_000, 15_000]);
});

test('a program is killed after its budget, by default before an orchestrator’s 30 s', () => {
  const { shutdown } = loadProxyConfig(required);
  expect(killAfterMs(shutdown)).toBeGreaterThan(shutdown.announceMs + shutdown.graceMs);
  expect(killAfterMs(shutdown)).toBeLessThan(30_000);
});

test.each(['-1', '3601', '1.5', 'soon'])('a grace period of %s seconds is refused', (SHUTDOWN_GRACE_SECONDS) => {
  const message = `SHUTDOWN_GRACE_SECONDS must be a whole number from 0 to 3600, not "${SHUTDOWN_GRACE_SECONDS}"`;
  expect(() => loadProxyConfig({ ...required, SHUTDOWN_GRACE_SECONDS })).toThrow(message);
  expect(readLocalConfiguration({ ...required, SHUTDOWN_GRACE_SECONDS }).problems).toEqual([message]);
});
