/** Passkeys: as a second factor, as the only one, and everything that an authenticator can get wrong. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { PublicKeyCredentialCreationOptionsJSON } from '@simplewebauthn/server';
import { Authenticator } from '../../../harness/sign-in/authenticator.ts';
import { type Harness, startHarness } from '../../../harness.ts';
import { mailsTo } from '../mailbox.ts';
import { type Api, goodPassword, logIn, randomAddress, startApi } from '../start-api.ts';
import { codeOf, FactorClient, type Factors, type Someone } from './factor-client.ts';

let harness: Harness;
let api: Api;
let client: FactorClient;
beforeAll(async () => {
  harness = await startHarness();
  api = await startApi(harness);
  client = new FactorClient(harness, api);
});
afterAll(async () => {
  await api.stop();
  await harness.stop();
});

async function withPasskey() {
  const someone = await client.someone();
  await client.confirm(someone);
  return { someone, ...(await client.addPasskey(someone)) };
}

async function beginAdding(someone: Someone) {
  return client.ok<{ challenge: string; options: PublicKeyCredentialCreationOptionsJSON }>(
    'POST',
    '/api/profile/passkeys/options',
    someone,
  );
}

const add = (someone: Someone, body: object) => client.refusal('POST', '/api/profile/passkeys', someone, body);

describe('a passkey', () => {
  test('is a second factor, and logs in alone', async () => {
    const { someone, authenticator, recoveryCodes } = await withPasskey();
    expect(recoveryCodes).toHaveLength(10);
    const { challenge, methods } = await client.begin(someone);
    expect(methods).toEqual(['passkey', 'recovery_code']);
    const second = await client.passkeyChallenge(challenge);
    expect(second.options.allowCredentials).toMatchObject([{ transports: ['internal'] }]);
    const { origin } = client;
    const passkey = authenticator.get(second.options, { origin, verifiesUser: false });
    expect((await client.answer(challenge, { passkey })).status).toBe(200);

    const alone = await client.passkeyChallenge();
    expect(alone.options).toMatchObject({ allowCredentials: [], userVerification: 'required' });
    const answered = await client.answer(alone.challenge, { passkey: authenticator.get(alone.options, { origin }) });
    expect(answered.body.user).toMatchObject({ id: someone.id, email: someone.email });
    const [used] = (await client.ok<Factors>('GET', '/api/profile/second-factor', someone)).passkeys;
    expect(used).toMatchObject({ name: 'Laptop', lastUsedAt: expect.any(String) });
    const changes = (await mailsTo(harness, someone.email)).map(({ data }) => Object(data).change);
    expect(changes).toContain('passkey_added');
  });

  test('alone does not log in without having verified its user', async () => {
    const { authenticator } = await withPasskey();
    const { challenge, options } = await client.passkeyChallenge();
    const passkey = authenticator.get(options, { origin: client.origin, verifiesUser: false });
    expect((await client.answer(challenge, { passkey })).error?.code).toBe('invalid_second_factor');
  });

  test('is refused for another site, another challenge, by another key, for another user, and twice', async () => {
    const { someone, authenticator } = await withPasskey();
    const other = await withPasskey();
    const { origin } = client;
    const wrong = async (make: (options: Awaited<ReturnType<typeof client.passkeyChallenge>>['options']) => object) => {
      const { challenge } = await client.begin(someone);
      const { options } = await client.passkeyChallenge(challenge);
      return (await client.answer(challenge, { passkey: make(options) })).error?.code;
    };
    const forged = new Authenticator();
    forged.credentialId.set(authenticator.credentialId);
    const refused = [
      await wrong((options) => authenticator.get(options, { origin: 'https://gateway.evil.example' })),
      await wrong((options) => authenticator.get(options, { origin, rpId: 'evil.example' })),
      await wrong((options) => authenticator.get({ ...options, challenge: 'AAAA' }, { origin })),
      await wrong((options) => forged.get(options, { origin })),
      await wrong((options) => new Authenticator().get(options, { origin })),
      await wrong((options) => other.authenticator.get(options, { origin })),
    ];
    expect(new Set(refused)).toEqual(new Set(['invalid_second_factor']));

    const { challenge } = await client.begin(someone);
    const { options } = await client.passkeyChallenge(challenge);
    const passkey = authenticator.get(options, { origin });
    expect((await client.answer(challenge, { passkey })).status).toBe(200);
    expect((await client.answer(challenge, { passkey })).error?.code).toBe('challenge_expired');
  });

  test('whose counter has gone back was copied, and is refused', async () => {
    const { someone, authenticator } = await withPasskey();
    const logInWith = async () => {
      const { challenge } = await client.begin(someone);
      const { options } = await client.passkeyChallenge(challenge);
      return client.answer(challenge, { passkey: authenticator.get(options, { origin: client.origin }) });
    };
    for (let times = 0; times < 3; times += 1) expect((await logInWith()).status).toBe(200);
    authenticator.counter = 1;
    expect((await logInWith()).error?.code).toBe('invalid_second_factor');
  });

  test('is not added without confirming, for another site, to another challenge, twice, or with a bad name', async () => {
    const someone = await client.someone();
    const options = '/api/profile/passkeys/options';
    expect(await client.refusal('POST', options, someone)).toEqual([403, 'confirmation_required']);
    await client.confirm(someone);
    const { origin } = client;
    const name = 'Laptop';
    const first = await beginAdding(someone);
    const authenticator = new Authenticator();
    const foreign = authenticator.create(first.options, { origin: 'https://evil.example' });
    const { challenge } = first;
    expect(await add(someone, { challenge, name, passkey: foreign })).toEqual([401, 'invalid_second_factor']);
    const stale = authenticator.create({ ...first.options, challenge: 'AAAA' }, { origin });
    expect(await add(someone, { challenge, name, passkey: stale })).toEqual([401, 'invalid_second_factor']);
    const passkey = authenticator.create(first.options, { origin });
    expect(await add(someone, { challenge, name: '', passkey })).toEqual([400, 'invalid_parameter']);
    expect(await add(someone, { challenge, name, passkey: { id: 'x' } })).toEqual([400, 'invalid_parameter']);
    await client.ok('POST', '/api/profile/passkeys', someone, { challenge, name, passkey });
    expect(await add(someone, { challenge, name, passkey })).toEqual([400, 'challenge_expired']);
    const again = await beginAdding(someone);
    expect(again.options.excludeCredentials).toHaveLength(1);
    const same = authenticator.create(again.options, { origin });
    expect(await add(someone, { challenge: again.challenge, name, passkey: same })).toEqual([409, 'passkey_exists']);
  });

  test('is not added with the challenge of someone else', async () => {
    const [one, other] = await Promise.all([client.someone(), client.someone()]);
    await Promise.all([client.confirm(one), client.confirm(other)]);
    const { challenge, options } = await beginAdding(other);
    const passkey = new Authenticator().create(options, { origin: client.origin });
    expect(await add(one, { challenge, name: 'Laptop', passkey })).toEqual([400, 'challenge_expired']);
  });

  test('is renamed and removed, and after the last factor the password is enough again', async () => {
    const { someone, id } = await withPasskey();
    const path = `/api/profile/passkeys/${id}`;
    expect(await client.ok<object>('PUT', path, someone, { name: 'Phone' })).toMatchObject({ id, name: 'Phone' });
    await client.addApp(someone);
    await client.ok('DELETE', path, someone);
    expect((await client.begin(someone)).methods).toEqual(['app', 'recovery_code']);
    expect(await client.refusal('DELETE', path, someone)).toEqual([404, 'not_found']);
    await client.ok('DELETE', '/api/profile/second-factor/app', someone);
    expect(await logIn(api, someone.email, goodPassword)).toBeString();
  });

  test('confirms who someone is', async () => {
    const { someone, authenticator, id } = await withPasskey();
    await harness.database.sql`DELETE FROM factor_challenges WHERE user_id = ${someone.id}`;
    const asked = await client.ok<Awaited<ReturnType<typeof client.passkeyChallenge>>>(
      'POST',
      '/api/profile/confirm/passkey',
      someone,
    );
    const passkey = authenticator.get(asked.options, { origin: client.origin });
    const confirm = (body: object) => client.refusal('POST', '/api/profile/confirm', someone, body);
    expect(await confirm({ passkey })).toEqual([400, 'missing_parameter']);
    expect(await confirm({ passkey, challenge: 'another' })).toEqual([400, 'challenge_expired']);
    await client.ok('POST', '/api/profile/confirm', someone, { passkey, challenge: asked.challenge });
    await client.ok('DELETE', `/api/profile/passkeys/${id}`, someone);
  });

  test('is one of at most twenty', async () => {
    const { someone } = await withPasskey();
    for (let count = 1; count < 20; count += 1) await client.addPasskey(someone, `Key ${count}`);
    const { challenge, options } = await beginAdding(someone);
    const passkey = new Authenticator().create(options, { origin: client.origin });
    expect(await add(someone, { challenge, name: 'One more', passkey })).toEqual([422, 'too_many_passkeys']);
  });

  test('goes with other factors: codes of an app are accepted beside it', async () => {
    const { someone } = await withPasskey();
    const { secret, recoveryCodes } = await client.addApp(someone);
    expect(recoveryCodes).toBeNull();
    const { challenge, methods } = await client.begin(someone);
    expect(methods).toEqual(['app', 'passkey', 'recovery_code']);
    expect((await client.answer(challenge, { code: codeOf(secret) })).status).toBe(200);
  });
});

test('a code alone is no answer to a log-in with a passkey alone', async () => {
  const { challenge } = await client.passkeyChallenge();
  expect((await client.answer(challenge, { code: '123456' })).error?.code).toBe('challenge_expired');
});

test('challenges for passkeys are limited for a client address', async () => {
  const address = { 'x-forwarded-for': randomAddress() };
  const begin = () => api.call('POST', '/api/auth/login/passkey', { body: {}, headers: address });
  const statuses: number[] = [];
  for (let times = 0; times < 30; times += 1) {
    const answers = await Promise.all(Array.from({ length: 11 }, begin));
    statuses.push(...answers.map(({ status }) => status));
  }
  expect(statuses.filter((status) => status === 200)).toHaveLength(300);
  expect(statuses.filter((status) => status === 429)).toHaveLength(30);
});
