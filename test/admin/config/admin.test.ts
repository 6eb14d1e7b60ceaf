/** Admin's configuration: complete defaults, all mistakes in one error, and only what a command needs. */
import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { loadAdminConfig, loadCommandConfig } from '../../../admin/config/admin.ts';
import { ConfigurationError } from '../../../shared/config/environment.ts';
import { temporaryDirectories } from '../../local/temporary-directory.ts';

const newDirectory = temporaryDirectories();
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

test('every setting except services and secrets has a default', () => {
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
    proxyPublicUrl: 'http://localhost:8080',
    registrationOpen: true,
    rubPerUsd: 900_000n as never,
    cbrUrl: 'https://www.cbr.ru/scripts/XML_daily.asp',
    mail: {
      smtpUrl: undefined,
      from: { name: 'Model Gateway', address: 'gateway@localhost' },
      brand: { name: 'Model Gateway' },
    },
    bodyMaxBytes: 20 * 1024 * 1024,
    trustedProxyHops: 0,
    logLevel: 'info',
  });
});

test('all mistakes are reported in one error', () => {
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
      CBR_URL: 'on',
      SMTP_URL: 'http://mail.example.com',
      MAIL_BRAND_NAME: 'two\nlines',
      MAIL_LOGO_URL: 'javascript:alert(1)',
      MAIL_SUPPORT_ADDRESS: 'help',
      MAIL_LEGAL_LINE: 'x'.repeat(501),
      MAX_BODY_BYTES: '1',
      METRICS_TOKEN: 'two words',
      PROVIDER_KEYS: 'JWT_SECRET',
      TRUSTED_PROXY_HOPS: '-1',
      LOG_LEVEL: 'loud',
    }),
  );
  const names = problems.map((problem) => problem.split(' ')[0]);
  expect(names.sort()).toEqual([
    'ADMIN_PORT',
    'CBR_URL',
    'DATABASE_URL',
    'JWT_SECRET',
    'KEY_PEPPER',
    'LOG_LEVEL',
    'MAIL_BRAND_NAME',
    'MAIL_FROM',
    'MAIL_LEGAL_LINE',
    'MAIL_LOGO_URL',
    'MAIL_SUPPORT_ADDRESS',
    'MAX_BODY_BYTES',
    'METRICS_TOKEN',
    'PROVIDER_KEYS',
    'PUBLIC_URL',
    'REDIS_URL',
    'REGISTRATION',
    'SMTP_URL',
    'TRUSTED_PROXY_HOPS',
    'USD_RUB_RATE',
  ]);
});

test('the addresses of Postgres and Redis can be in files, because they contain passwords', async () => {
  const folder = newDirectory();
  const write = async (name: string, text: string) => {
    await Bun.write(join(folder, name), `${text}\n`);
    return join(folder, name);
  };
  const { DATABASE_URL, REDIS_URL, ...secrets } = required;
  const files = {
    DATABASE_URL_FILE: await write('database', DATABASE_URL),
    REDIS_URL_FILE: await write('redis', REDIS_URL),
  };
  expect(loadAdminConfig({ ...secrets, ...files })).toEqual(loadAdminConfig(required));
  expect(
    problemsOf(() => loadAdminConfig({ ...secrets, ...files, REDIS_URL_FILE: join(folder, 'none') }))[0],
  ).toStartWith('REDIS_URL_FILE names a file that cannot be read');
});

test.each(['90,5', '-1', 'abc', '1e2', '90.12345'])('an exchange rate of %s is refused', (USD_RUB_RATE) => {
  expect(problemsOf(() => loadAdminConfig({ ...required, USD_RUB_RATE })).length).toBe(1);
});

test.each(['', 'off', ' off '])('CBR_URL "%s" disables fetching rates', (CBR_URL) => {
  expect(loadAdminConfig({ ...required, CBR_URL }).cbrUrl).toBeUndefined();
});

test.each([
  ['gateway@example.com', '', 'gateway@example.com'],
  ['Model Gateway <gateway@example.com>', 'Model Gateway', 'gateway@example.com'],
  ['"Gateway, the" <g@example.com>', 'Gateway, the', 'g@example.com'],
  ['<g@example.com>', '', 'g@example.com'],
  ['Шлюз <g@example.com>', 'Шлюз', 'g@example.com'],
])('MAIL_FROM %s is a name and an address', (MAIL_FROM, name, address) => {
  expect(loadAdminConfig({ ...required, MAIL_FROM }).mail.from).toEqual({ name, address });
});

test.each(['gateway', 'a@b@c', 'a <b>', 'a@example.com, b@example.com', 'A <a@example.com> B', 'a\nb <a@example.com>'])(
  'MAIL_FROM %p is refused',
  (MAIL_FROM) => {
    expect(problemsOf(() => loadAdminConfig({ ...required, MAIL_FROM })).length).toBe(1);
  },
);

test('the brand of mails is configurable, and names the sender if MAIL_FROM does not', () => {
  const brand = {
    MAIL_BRAND_NAME: 'Acme AI',
    MAIL_LOGO_URL: 'https://acme.example.com/logo.png',
    MAIL_SUPPORT_ADDRESS: 'help@acme.example.com',
    MAIL_LEGAL_LINE: 'Acme LLC, 1 Main Street',
  };
  const mailOf = (variables: Record<string, string>) => loadAdminConfig({ ...required, ...variables }).mail;
  expect(mailOf({ ...brand, MAIL_FROM: 'no-reply@acme.example.com' })).toMatchObject({
    from: { name: 'Acme AI', address: 'no-reply@acme.example.com' },
    brand: {
      name: 'Acme AI',
      logoUrl: 'https://acme.example.com/logo.png',
      supportAddress: 'help@acme.example.com',
      legalLine: 'Acme LLC, 1 Main Street',
    },
  });
  expect(mailOf(brand).from).toEqual({ name: 'Acme AI', address: 'gateway@localhost' });
  expect(mailOf({ ...brand, MAIL_FROM: 'Billing <b@example.com>' }).from.name).toBe('Billing');
  expect(mailOf({ MAIL_FROM: 'Billing <b@example.com>' }).brand.name).toBe('Billing');
});

test('the password of a mail server is never repeated', () => {
  const problems = problemsOf(() => loadAdminConfig({ ...required, SMTP_URL: 'ftp://user:secret@mail.example.com' }));
  expect(problems.join()).not.toContain('secret');
});

test('a command requires only what it needs', () => {
  expect(loadCommandConfig(['databaseUrl'], { DATABASE_URL: required.DATABASE_URL })).toEqual({
    databaseUrl: required.DATABASE_URL,
  });
  expect(loadCommandConfig(['redisAddress'], {})).toEqual({ redisAddress: undefined });
  expect(problemsOf(() => loadCommandConfig(['databaseUrl', 'keyPeppers'], {})).length).toBe(2);
});
