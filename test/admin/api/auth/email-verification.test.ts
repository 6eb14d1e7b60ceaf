/** How users learn which keys and sessions an e-mail verification ends: in lists, in responses and by mail. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { renderMail } from '../../../../admin/mail/rendering/render-mail.ts';
import { type Harness, startHarness } from '../../../harness.ts';
import { mailsTo, newestToken } from '../mailbox.ts';
import type { CreatedKey, KeyList } from '../response-types.ts';
import { type Api, register, startApi } from '../start-api.ts';

let harness: Harness;
let api: Api;
beforeAll(async () => {
  harness = await startHarness();
  api = await startApi(harness);
});
afterAll(async () => {
  await api.stop();
  await harness.stop();
});

type User = Awaited<ReturnType<typeof register>>;
interface Verified {
  readonly keysDeactivated: number;
}

const createKey = async (token: string, kind = 'proxy') =>
  (await api.call<CreatedKey>('POST', `/api/${kind}-keys`, { token, body: { name: 'first' } })).body;
const keysOf = async (token: string) => (await api.call<KeyList>('GET', '/api/proxy-keys', { token })).body.keys;

async function verify({ email }: User, { token, through = api }: { token?: string; through?: Api } = {}) {
  const body = { token: await newestToken(harness, email, 'verify_email') };
  return through.call<Verified>('POST', '/api/auth/verify-email', { body, ...(token !== undefined && { token }) });
}

async function reset({ email }: User, password: string): Promise<void> {
  await api.call('POST', '/api/auth/forgot-password', { body: { email } });
  const body = { token: await newestToken(harness, email, 'reset_password'), new_password: password };
  expect((await api.call('POST', '/api/auth/reset-password', { body })).status).toBe(204);
}

/** The newest mail as its reader sees it, each paragraph on one line. */
async function newestText({ email }: User): Promise<string> {
  const mail = (await mailsTo(harness, email)).at(-1);
  if (mail === undefined) throw new Error('no mail');
  const { text } = renderMail(mail, { to: email, language: mail.language, config: api.config });
  return text.replaceAll(/(?<!\n)\n(?!\n)/g, ' ');
}

test('an account with an unverified address can create a key, and lists show that it waits', async () => {
  const user = await register(api);
  const { id } = await createKey(user.token);
  const waiting = { id, active: true, awaitsVerification: true };
  expect(await keysOf(user.token)).toEqual([expect.objectContaining(waiting)]);
  const renamed = await api.call('PUT', `/api/proxy-keys/${id}`, { token: user.token, body: { name: 'second' } });
  expect(renamed.body).toMatchObject(waiting);
  expect((await verify(user, { token: user.token })).body.keysDeactivated).toBe(1);
  expect(await keysOf(user.token)).toEqual([expect.objectContaining({ id, active: false, awaitsVerification: false })]);
  const activated = await api.call('PUT', `/api/proxy-keys/${id}`, { token: user.token, body: { active: true } });
  expect(activated.body).toMatchObject({ id, active: true, awaitsVerification: false });
});

test('the mail after a verification says how many keys were deactivated, and what to do', async () => {
  const user = await register(api);
  await createKey(user.token);
  await createKey(user.token, 'billing');
  expect((await verify(user)).body.keysDeactivated).toBe(2);
  const text = await newestText(user);
  expect(text).toContain('YOUR EMAIL ADDRESS IS CONFIRMED');
  expect(text).toContain('we deactivated all API keys created earlier and ended all other sessions.');
  expect(text).toContain('API keys deactivated: 2');
  expect(text).toContain(
    'If you didn’t sign up yourself, someone else knows the password: before you use the account, reset it',
  );
});

test('no mail follows if the user was logged in and had no keys', async () => {
  const user = await register(api);
  await verify(user, { token: user.token });
  expect((await mailsTo(harness, user.email)).map(({ kind }) => kind)).toEqual(['verify_email']);
});

test('the mail after a password reset says how many keys were deactivated, if any were', async () => {
  const user = await register(api);
  await createKey(user.token);
  await reset(user, 'seven-calm-herons-fish');
  const text = await newestText(user);
  expect(text).toContain('YOUR PASSWORD WAS CHANGED');
  expect(text).toContain('we deactivated all API keys created earlier. Activate the keys that are yours');
  expect(text).toContain('API keys deactivated: 1');
  await reset(user, 'nine-brave-foxes-jump');
  expect(await newestText(user)).not.toContain('deactivated');
});

test('the mail with the verification link describes in advance the effect of following it', async () => {
  expect(await newestText(await register(api))).toContain(
    'When an account’s address is confirmed for the first time, or while you are signed out, API keys created earlier are deactivated and other sessions end',
  );
});

test('an invalid access token is refused with 401 and leaves the verification link valid', async () => {
  const user = await register(api);
  expect((await verify(user, { token: 'nonsense' })).error?.code).toBe('invalid_token');
  const { billingKey } = await harness.createCustomer({ usd: '0' });
  expect((await verify(user, { token: billingKey })).error?.code).toBe('wrong_key_type');
  expect((await verify(user, { token: user.token })).status).toBe(200);
});

test('a new link can be requested if an older version verified the address but left the keys refused', async () => {
  const user = await register(api);
  await harness.database.sql`UPDATE users SET email_verified_at = now() WHERE id = ${user.id}`;
  const resent = await api.call('POST', '/api/auth/resend-verification', { token: user.token });
  expect(resent.body).toEqual({ sentTo: user.email });
  expect((await verify(user, { token: user.token })).status).toBe(200);
  const again = await api.call('POST', '/api/auth/resend-verification', { token: user.token });
  expect(again.body).toEqual({ sentTo: null });
});

test('verification without Redis uses the link up, and the keys are deactivated once Redis is back', async () => {
  const user = await register(api);
  const { id } = await createKey(user.token);
  const withoutRedis = await startApi(harness, { environment: { REDIS_URL: 'redis://127.0.0.1:1' } });
  try {
    const { status, body } = await verify(user, { through: withoutRedis });
    expect({ status, keysDeactivated: body.keysDeactivated }).toEqual({ status: 200, keysDeactivated: 1 });
  } finally {
    await withoutRedis.stop();
  }
  const owed = await harness.database.sql`
    SELECT key_id FROM outbox WHERE delivered_at IS NULL AND key_id = ${id}`;
  expect(owed).toHaveLength(1);
});
