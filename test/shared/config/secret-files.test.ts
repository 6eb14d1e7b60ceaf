/**
 * Secret files: several secrets in one file, files that are read again at run time, and secrets that are kept while a
 * file is missing.
 */
import { afterAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadAdminConfig } from '../../../admin/config/admin.ts';
import { loadProxyConfig } from '../../../shared/config/proxy.ts';
import { SecretFiles } from '../../../shared/config/secret-files.ts';

const directory = mkdtempSync(join(tmpdir(), 'secret-files-'));
const path = join(directory, 'secret');
const [old, fresh] = ['o'.repeat(32), 'f'.repeat(32)];
const proxy = { REDIS_URL: 'redis://127.0.0.1:6379', KEY_PEPPER: 'p'.repeat(32) };
const admin = { ...proxy, DATABASE_URL: 'postgres://127.0.0.1', JWT_SECRET: 'j'.repeat(32) };

afterAll(() => rmSync(directory, { recursive: true }));

test('a file that is read again replaces the secrets and is reported once', () => {
  const files = new SecretFiles();
  writeFileSync(path, 'sk-1\n');
  const file = files.open('A_FILE', path);
  expect(file.secrets).toEqual(['sk-1']);
  writeFileSync(path, 'sk-2\r\n\n  sk-1  \n');
  expect(file.secrets).toEqual(['sk-1']);
  expect(files.refresh()).toEqual([{ variable: 'A_FILE', problem: undefined, secrets: 2 }]);
  expect(file.secrets).toEqual(['sk-2', 'sk-1']);
  expect(files.refresh()).toEqual([]);
});

test('secrets stay in use while their file is missing, empty or malformed', () => {
  const files = new SecretFiles();
  writeFileSync(path, 'sk-1');
  const file = files.open('A_FILE', path, ([first]) => (first === 'bad' ? 'A is bad' : undefined));
  const problemOf = () => files.refresh().map(({ problem }) => problem);
  rmSync(path);
  expect(problemOf()).toEqual([expect.stringContaining('A_FILE names a file that cannot be read')]);
  expect(problemOf()).toEqual([]);
  writeFileSync(path, ' \n');
  expect(problemOf()).toEqual(['A_FILE names an empty file']);
  writeFileSync(path, 'bad');
  expect(problemOf()).toEqual(['A is bad']);
  expect(file.key).toEqual({ ok: true, key: 'sk-1' });
  writeFileSync(path, 'sk-1');
  expect(problemOf()).toEqual([undefined]);
  expect(file.problem).toBeUndefined();
});

test('a provider key that was never readable is a problem that a later file solves', () => {
  const files = new SecretFiles();
  const file = files.open('A_FILE', join(directory, 'later'));
  expect(file.key).toEqual({ ok: false, problem: expect.stringContaining('A_FILE names a file that cannot be read') });
  writeFileSync(join(directory, 'later'), 'sk-1');
  files.refresh();
  expect(file.key).toEqual({ ok: true, key: 'sk-1' });
});

test('the proxy reads a provider key from its variable or from the file that NAME_FILE names', () => {
  writeFileSync(path, 'sk-in-file');
  const { providerKey, secretFiles } = loadProxyConfig({ ...proxy, A_API_KEY_FILE: path, B_API_KEY: 'sk-in-variable' });
  expect(providerKey('A_API_KEY')).toEqual({ ok: true, key: 'sk-in-file' });
  expect(providerKey('B_API_KEY')).toEqual({ ok: true, key: 'sk-in-variable' });
  expect(providerKey('A_API_KEY_FILE')).toMatchObject({ ok: false });
  writeFileSync(path, 'sk-rotated');
  secretFiles.refresh();
  expect(providerKey('A_API_KEY')).toEqual({ ok: true, key: 'sk-rotated' });
});

test.each([
  ['KEY_PEPPER', (config: ReturnType<typeof loadAdminConfig>) => config.keyPeppers],
  ['JWT_SECRET', (config: ReturnType<typeof loadAdminConfig>) => config.jwtSecrets],
  ['METRICS_TOKEN', (config: ReturnType<typeof loadAdminConfig>) => config.metricsTokens],
  ['STRIPE_WEBHOOK_SECRET', (config: ReturnType<typeof loadAdminConfig>) => config.payments.stripe?.webhookSecrets],
  ['STRIPE_SECRET_KEY', (config: ReturnType<typeof loadAdminConfig>) => config.payments.stripe?.secretKey],
  ['YOOKASSA_SECRET_KEY', (config: ReturnType<typeof loadAdminConfig>) => config.payments.yookassa?.secretKey],
])('the value of %s follows its file', (name, secretsOf) => {
  writeFileSync(path, old);
  const paid = { YOOKASSA_SHOP_ID: '1', YOOKASSA_SECRET_KEY: 'y', STRIPE_SECRET_KEY: 's', STRIPE_WEBHOOK_SECRET: 'w' };
  const config = loadAdminConfig({ ...admin, ...paid, [`${name}_FILE`]: path });
  const one = typeof secretsOf(config) === 'string';
  expect(secretsOf(config)).toEqual(one ? old : [old]);
  writeFileSync(path, `${fresh}\n${old}`);
  config.secretFiles.refresh();
  expect(secretsOf(config)).toEqual(one ? fresh : [fresh, old]);
});

test("the mail transport follows the file that holds the mail server's address", () => {
  writeFileSync(path, 'smtp://one.example.com');
  const config = loadAdminConfig({ ...admin, SMTP_URL_FILE: path, MAIL_FROM: 'a@example.com' });
  expect(config.mail.smtpUrl).toBe('smtp://one.example.com');
  writeFileSync(path, 'smtps://two.example.com');
  config.secretFiles.refresh();
  expect(config.mail.smtpUrl).toBe('smtps://two.example.com');
  writeFileSync(path, 'https://three.example.com');
  expect(config.secretFiles.refresh()).toHaveLength(1);
  expect(config.mail.smtpUrl).toBe('smtps://two.example.com');
});

test('every secret in a variable has a minimum length', () => {
  expect(() => loadProxyConfig({ ...proxy, KEY_PEPPER: `${fresh}\nshort` })).toThrow(
    'KEY_PEPPER must have at least 32',
  );
  expect(loadProxyConfig({ ...proxy, KEY_PEPPER: `${fresh}\n${old}` }).keyPeppers).toEqual([fresh, old]);
});
