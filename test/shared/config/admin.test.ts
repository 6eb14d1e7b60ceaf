/** Admin's configuration: complete defaults, every mistake at once, and no more than a command needs. */
import { expect, test } from 'bun:test';
import { loadAdminConfig, loadCommandConfig } from '../../../shared/config/admin.ts';
import { ConfigurationError } from '../../../shared/config/environment.ts';

const required = {
  DATABASE_URL: 'postgres://localhost/gateway',
  REDIS_URL: 'redis://one:6379, redis://two:6379',
  JWT_SECRET: 'j'.repeat(32),
  KEY_PEPPER: 'p'.repeat(32),
};

function problemsOf(load: () => unknown): readonly string[] {
  try {
    load();
    return [];
  } catch (error) {
    if (error instanceof ConfigurationError) return error.problems;
    throw error;
  }
}

test('everything but services and secrets has a default', () => {
  expect(loadAdminConfig(required)).toMatchObject({
    host: '0.0.0.0',
    port: 8081,
    redisAddress: {
      kind: 'cluster',
      nodes: [
        { host: 'one', port: 6379 },
        { host: 'two', port: 6379 },
      ],
    },
    dataDirectory: '.data',
    publicUrl: 'http://localhost:8081',
    registrationOpen: true,
    rubPerUsd: 900_000n as never,
    bodyMaxBytes: 20 * 1024 * 1024,
    trustedProxyHops: 0,
    logLevel: 'info',
  });
});

test('all mistakes are told at once', () => {
  const problems = problemsOf(() =>
    loadAdminConfig({
      ...required,
      DATABASE_URL: 'mysql://localhost',
      REDIS_URL: '',
      JWT_SECRET: 'short',
      KEY_PEPPER: 'short',
      ADMIN_PORT: '99999',
      PUBLIC_URL: 'gateway',
      REGISTRATION: 'maybe',
      USD_RUB_RATE: '0',
      MAX_BODY_BYTES: '1',
      TRUSTED_PROXY_HOPS: '-1',
      LOG_LEVEL: 'loud',
    }),
  );
  const names = problems.map((problem) => problem.split(' ')[0]);
  expect(names.sort()).toEqual([
    'ADMIN_PORT',
    'DATABASE_URL',
    'JWT_SECRET',
    'KEY_PEPPER',
    'LOG_LEVEL',
    'MAX_BODY_BYTES',
    'PUBLIC_URL',
    'REDIS_URL',
    'REGISTRATION',
    'TRUSTED_PROXY_HOPS',
    'USD_RUB_RATE',
  ]);
});

test.each(['90,5', '-1', 'abc', '1e2', '90.12345'])('a rate of exchange of %s is refused', (USD_RUB_RATE) => {
  expect(problemsOf(() => loadAdminConfig({ ...required, USD_RUB_RATE })).length).toBe(1);
});

test('a command asks only for what it needs', () => {
  expect(loadCommandConfig(['databaseUrl'], { DATABASE_URL: required.DATABASE_URL })).toEqual({
    databaseUrl: required.DATABASE_URL,
  });
  expect(loadCommandConfig(['redisAddress'], {})).toEqual({ redisAddress: undefined });
  expect(problemsOf(() => loadCommandConfig(['databaseUrl', 'keyPepper'], {})).length).toBe(2);
});
