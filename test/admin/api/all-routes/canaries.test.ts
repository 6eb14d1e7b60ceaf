/**
 * Secrets leave no trace: after every operation with passwords, keys and tokens, none of them is in a log line, in a
 * table, in Redis or in a response that was not meant to contain it.
 */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { findInFiles, findInRedis, findInTables, findSecrets } from '../../../harness/find-secrets.ts';
import type { Program } from '../../../harness/programs.ts';
import { type Harness, startHarness } from '../../../harness.ts';
import { newestToken } from '../mailbox.ts';
import { randomEmail } from '../start-api.ts';

let harness: Harness;
let admin: Program;
/** By name. */
const canaries = new Map<string, string>();
beforeAll(async () => {
  harness = await startHarness();
  // No mail is sent, so the links stay in the queue.
  admin = await harness.startAdmin({
    LOG_LEVEL: 'debug',
    SMTP_URL: 'smtp://127.0.0.1:1',
    MAIL_FROM: 'gateway@example.com',
  });
  await useEverySecret();
});
afterAll(() => harness.stop());

async function call(method: string, path: string, options: { token?: string; body?: unknown; key?: string } = {}) {
  const response = await fetch(`${admin.url}${path}`, {
    method,
    headers: {
      ...(options.token !== undefined && { authorization: `Bearer ${options.token}` }),
      ...(options.key !== undefined && { 'idempotency-key': options.key }),
    },
    ...(options.body !== undefined && { body: JSON.stringify(options.body) }),
  });
  const text = await response.text();
  return { status: response.status, text, body: text.startsWith('{') ? JSON.parse(text) : undefined };
}

async function useEverySecret(): Promise<void> {
  const email = randomEmail();
  const [first, second, third] = ['canary-otter-first', 'canary-heron-second', 'canary-fox-third'];
  canaries.set('first password', first).set('second password', second).set('third password', third);

  const session = await call('POST', '/api/auth/register', { body: { email, password: first } });
  const refreshed = await call('POST', '/api/auth/refresh', { body: { refreshToken: session.body.refreshToken } });
  const token = refreshed.body.accessToken;
  canaries.set('first refresh token', session.body.refreshToken).set('first access token', session.body.accessToken);
  canaries.set('second refresh token', refreshed.body.refreshToken).set('second access token', token);

  for (const path of ['/api/proxy-keys', '/api/billing-keys']) {
    const key = `canary-idempotency-${crypto.randomUUID()}`;
    const created = await call('POST', path, { token, key, body: { name: 'x' } });
    await call('POST', path, { token, key, body: { name: 'x' } });
    canaries.set(`key of ${path}`, created.body.key).set(`Idempotency-Key of ${path}`, key);
    await call('GET', '/api/keys', { token: created.body.key });
    await call('PUT', `${path}/${created.body.id}`, { token, body: { active: false } });
  }
  const change = { current_password: first, new_password: second };
  await call('POST', '/api/profile/password', { token, body: change });
  await call('POST', '/api/profile/password', { token, body: { ...change, new_password: 5 } });
  await call('PUT', '/api/profile', { token, body: { email: randomEmail(), current_password: second } });
  await call('POST', '/api/auth/login', { body: { email, password: `${first}-wrong` } });
  canaries.set('wrong password', `${first}-wrong`);

  await call('POST', '/api/auth/forgot-password', { body: { email } });
  const resetToken = await newestToken(harness, email, 'reset_password');
  const verifyToken = await newestToken(harness, email, 'verify_email');
  await call('POST', '/api/auth/reset-password', { body: { token: resetToken, new_password: third } });
  await call('POST', '/api/auth/verify-email', { body: { token: verifyToken } });
  canaries.set('reset token', resetToken).set('verify token', verifyToken);
  // A Postgres error in the middle of the operation: its message would contain the parameters.
  await harness.database.sql`ALTER TABLE refresh_tokens RENAME TO refresh_tokens_away`;
  const failed = await call('POST', '/api/auth/login', { body: { email, password: third } });
  await harness.database.sql`ALTER TABLE refresh_tokens_away RENAME TO refresh_tokens`;
  expect(failed.status).toBe(500);
  for (const secret of canaries.values()) expect(failed.text).not.toContain(secret);
}

test('the operations have used secrets of every kind', () => {
  expect(canaries.size).toBeGreaterThan(12);
  for (const secret of canaries.values()) expect(secret.length).toBeGreaterThan(12);
});

test('no log line contains a secret', async () => {
  // A program that has exited has written its whole log.
  await admin.stop();
  const log = await Bun.file(admin.logFile).text();
  expect(log).toContain('/api/profile/password');
  expect(log).toContain('request failed');
  expect(findSecrets(canaries, log)).toEqual([]);
});

test('no table contains a secret, except for links in queued mails', async () => {
  const tables = await findInTables(harness, canaries);
  expect(tables.size).toBeGreaterThan(15);
  // Finding them in queued mails shows that the search works.
  for (const [name, found] of tables) {
    expect({ name, found }).toEqual({ name, found: name === 'mails' ? ['reset token', 'verify token'] : [] });
  }
});

test('Redis contains no secret', async () => {
  expect(await findInRedis(harness, canaries)).toEqual([]);
});

test('no file of the data directory contains a secret', async () => {
  expect(await findInFiles(harness, canaries)).toEqual([]);
});
