/**
 * An attacker signs up with another person's address and prepares the account, then the owner of the address takes it
 * over and pays. Nothing that the attacker prepared can spend that money.
 */
import { afterAll, describe, expect, test } from 'bun:test';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Session } from '../../../admin/api/auth/session.ts';
import { issueMailToken, type MailTokenPurpose } from '../../../admin/auth/mail-links/mail-tokens.ts';
import { announceKeysOf } from '../../../admin/keys/announce-key.ts';
import { deliverOutbox } from '../../../admin/wallets/deliver-outbox.ts';
import { guardTimeoutMs, waitFor } from '../../harness/account-view.ts';
import { hasHead, rawConnection, requestHead, statusOf } from '../../harness/clients/raw-exchange.ts';
import { testPassword } from '../../harness/customers.ts';
import { startGateway } from '../../harness/gateway.ts';
import { catalogueOfEachKind } from '../../harness/providers/each-kind.ts';
import { wholeResponse } from '../../harness/providers/scripted-provider.ts';

const { harness, provider, admin, proxy, stop } = await startGateway({ catalogue: catalogueOfEachKind });
provider.on('upstream-chat', wholeResponse({ usage: { promptTokens: 1, completionTokens: 1 } }));

afterAll(stop);

const ownersPassword = 'seven-calm-herons-fish';
const messages = [{ role: 'user', content: 'Hello?' }];
const bodies: Readonly<Record<string, object>> = {
  '/v1/chat/completions': { model: 'test/chat', messages },
  '/v1/completions': { model: 'test/completion', prompt: 'Hello?' },
  '/v1/embeddings': { model: 'test/embedding', input: 'Hello?' },
  '/v1/images/generations': { model: 'test/image', prompt: 'Hello?' },
  '/v1/messages': { model: 'test/chat', max_tokens: 10, messages },
  '/v1/responses': { model: 'test/chat', input: 'Hello?' },
  '/v1/quote': { model: 'test/chat', messages },
  '/v1/messages/count_tokens': { model: 'test/chat', messages },
};

/** The status and, for an error, its code. */
async function ask(path: string, key: string): Promise<string> {
  const response = await fetch(`${proxy.url}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}` },
    body: JSON.stringify(bodies[path]),
  });
  return outcomeOf(response);
}

const chatWith = (key: string) => ask('/v1/chat/completions', key);

async function outcomeOf(response: Response): Promise<string> {
  const text = await response.text();
  const { error }: { error?: { code: string } } = text === '' ? {} : JSON.parse(text);
  return error === undefined ? String(response.status) : `${response.status} ${error.code}`;
}

function call(method: string, path: string, { token, body }: { token?: string; body?: object } = {}) {
  return fetch(`${admin.url}/api${path}`, {
    method,
    ...(token !== undefined && { headers: { authorization: `Bearer ${token}` } }),
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
}

async function read<Body>(pending: Promise<Response>): Promise<Body> {
  const response = await pending;
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
  return (await response.json()) as Body;
}

interface Person {
  readonly email: string;
  readonly userId: number;
  readonly accountId: number;
  readonly token: string;
}

async function signUp(): Promise<Person> {
  const email = `${crypto.randomUUID()}@example.com`;
  const session = await read<Session>(call('POST', '/auth/register', { body: { email, password: testPassword } }));
  const [row] = await harness.database.sql`SELECT account_id FROM users WHERE id = ${session.user.id}`;
  return { email, userId: session.user.id, accountId: Number(row?.account_id), token: session.accessToken };
}

async function logIn(email: string, password = testPassword): Promise<string> {
  const session = await read<Session>(call('POST', '/auth/login', { body: { email, password } }));
  return session.accessToken;
}

const createKey = async (token: string, place = '/proxy-keys') =>
  read<{ id: number; key: string }>(call('POST', place, { token, body: { name: 'key' } }));

/** The token of a link, as it is mailed. */
async function linkTo(email: string, person: Person, purpose: MailTokenPurpose): Promise<string> {
  const { token } = await issueMailToken(harness.database.db, { userId: person.userId, email, purpose });
  return token;
}

const verify = async (person: Person, { email = person.email, token }: { email?: string; token?: string } = {}) =>
  read<{ keysDeactivated: number }>(
    call('POST', '/auth/verify-email', {
      body: { token: await linkTo(email, person, 'verify_email') },
      ...(token !== undefined && { token }),
    }),
  );

async function resetPassword(person: Person): Promise<void> {
  const body = { token: await linkTo(person.email, person, 'reset_password'), new_password: ownersPassword };
  expect(await outcomeOf(await call('POST', '/auth/reset-password', { body }))).toBe('204');
}

describe('before the address is verified,', () => {
  test.each(Object.keys(bodies))('%s refuses the key without reading the body, even with a balance', async (path) => {
    const person = await signUp();
    await harness.credit(person.accountId, '1');
    const { key } = await createKey(person.token);
    expect(await ask(path, key)).toBe('403 email_not_verified');
    const connection = rawConnection(proxy.url);
    connection.send(requestHead(`POST ${path}`, { authorization: `Bearer ${key}`, 'content-length': 1_000_000 }));
    const pending = await connection.until((text) => hasHead(text) && text.includes('}'));
    connection.close();
    expect(statusOf(pending)).toBe(403);
    expect(pending).toContain('resend-verification');
  });

  test.each(Object.keys(bodies))('%s refuses a key that this process accepted earlier', async (path) => {
    const { accountId, proxyKey } = await harness.createCustomer({ usd: '1' });
    expect(await chatWith(proxyKey)).toBe('200');
    await harness.database.db.transaction(async (transaction) => {
      await transaction.execute(`UPDATE accounts SET ownership = 'unproven' WHERE id = ${accountId}`);
      await announceKeysOf(transaction, { accountId });
    });
    await deliverOutbox({ sql: harness.database.sql, keeper: harness.keeper }, accountId);
    expect(await ask(path, proxyKey)).toBe('403 email_not_verified');
  });

  test('keys of an account that an operator created work', async () => {
    const { proxyKey } = await harness.createCustomer({ usd: '1' });
    expect(await chatWith(proxyKey)).toBe('200');
  });
});

describe('the access that an attacker prepared', () => {
  test('ends when the owner resets the password: keys of both kinds, and sessions', async () => {
    const stranger = await signUp();
    const { key } = await createKey(stranger.token);
    const billing = await createKey(stranger.token, '/billing-keys');
    await resetPassword(stranger);
    await harness.credit(stranger.accountId, '1');
    expect(await chatWith(key)).toBe('403 key_deactivated');
    expect(await outcomeOf(await call('GET', '/keys', { token: billing.key }))).toBe('403 key_deactivated');
    expect(await outcomeOf(await call('GET', '/proxy-keys', { token: stranger.token }))).toBe('401 invalid_token');
    const owner = await logIn(stranger.email, ownersPassword);
    expect(await chatWith((await createKey(owner)).key)).toBe('200');
  });

  test('ends when the owner follows the link of the sign-up', async () => {
    const stranger = await signUp();
    const { key } = await createKey(stranger.token);
    await createKey(stranger.token, '/billing-keys');
    expect((await verify(stranger)).keysDeactivated).toBe(2);
    await harness.credit(stranger.accountId, '1');
    expect(await chatWith(key)).toBe('403 key_deactivated');
    expect(await outcomeOf(await call('GET', '/proxy-keys', { token: stranger.token }))).toBe('401 invalid_token');
  });

  test('ends when the owner resets the password, even if the attacker logged in after that link', async () => {
    const stranger = await signUp();
    await verify(stranger);
    const { key } = await createKey(await logIn(stranger.email));
    await resetPassword(stranger);
    await harness.credit(stranger.accountId, '1');
    expect(await chatWith(key)).toBe('403 key_deactivated');
  });

  test('ends when the owner follows the link of a change of address', async () => {
    const stranger = await signUp();
    await verify(stranger, { token: stranger.token });
    const { key } = await createKey(stranger.token);
    const email = `${crypto.randomUUID()}@example.com`;
    await read(call('PUT', '/profile', { token: stranger.token, body: { email, current_password: testPassword } }));
    expect((await verify(stranger, { email })).keysDeactivated).toBe(1);
    await harness.credit(stranger.accountId, '1');
    expect(await chatWith(key)).toBe('403 key_deactivated');
    expect(await outcomeOf(await call('GET', '/profile', { token: stranger.token }))).toBe('401 invalid_token');
  });

  test.each(['verify', 'reset'] as const)('does not take the account from its user after a %s', async (proof) => {
    const stranger = await signUp();
    const email = `${crypto.randomUUID()}@example.com`;
    await read(call('PUT', '/profile', { token: stranger.token, body: { email, current_password: testPassword } }));
    const link = await linkTo(email, stranger, 'verify_email');
    await (proof === 'verify' ? verify(stranger) : resetPassword(stranger));
    const response = await call('POST', '/auth/verify-email', { body: { token: link } });
    expect(await outcomeOf(response)).toBe('400 invalid_link');
  });
});

describe('a person who signed up with their own address', () => {
  test('stays logged in after following the link, and can activate the key created before', async () => {
    const person = await signUp();
    await harness.credit(person.accountId, '1');
    const { id, key } = await createKey(person.token);
    expect((await verify(person, { token: person.token })).keysDeactivated).toBe(1);
    expect(await chatWith(key)).toBe('403 key_deactivated');
    await read(call('PUT', `/proxy-keys/${id}`, { token: person.token, body: { active: true } }));
    expect(await chatWith(key)).toBe('200');
  });

  test('keeps keys and sessions through a later change of address and later resets', async () => {
    const person = await signUp();
    await harness.credit(person.accountId, '1');
    await verify(person, { token: person.token });
    const { key } = await createKey(person.token);
    const email = `${crypto.randomUUID()}@example.com`;
    await read(call('PUT', '/profile', { token: person.token, body: { email, current_password: testPassword } }));
    expect((await verify(person, { email, token: person.token })).keysDeactivated).toBe(0);
    expect(await outcomeOf(await call('GET', '/proxy-keys', { token: person.token }))).toBe('200');
    await resetPassword({ ...person, email });
    expect(await chatWith(key)).toBe('200');
  });

  test('keeps their session when following another person’s link, which works as without a session', async () => {
    const [stranger, owner] = [await signUp(), await signUp()];
    const { key } = await createKey(stranger.token);
    expect((await verify(stranger, { token: owner.token })).keysDeactivated).toBe(1);
    expect(await chatWith(key)).toBe('403 key_deactivated');
    expect(await outcomeOf(await call('GET', '/profile', { token: owner.token }))).toBe('200');
  });
});

test('an emptied Redis refuses the same keys as before', async () => {
  const [stranger, owner] = [await signUp(), await signUp()];
  const unproven = await createKey(stranger.token);
  const deactivated = await createKey(owner.token);
  await verify(owner, { token: owner.token });
  const { proxyKey } = await harness.createCustomer({ usd: '1' });
  await harness.restartRedis(() => rm(join(harness.redisDirectory, 'appendonlydir'), { recursive: true }));
  await waitFor('the proxy to serve again', guardTimeoutMs, async () => (await chatWith(proxyKey)) === '200');
  const settled = (key: string) =>
    waitFor('the shard', guardTimeoutMs, async () => {
      const outcome = await chatWith(key);
      return outcome !== '503 wallet_unavailable' && outcome;
    });
  expect(await settled(unproven.key)).toBe('403 email_not_verified');
  expect(await settled(deactivated.key)).toBe('403 key_deactivated');
});
