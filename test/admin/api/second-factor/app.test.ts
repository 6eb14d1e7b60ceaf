/** Log-ins with an authenticator app and recovery codes. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { PublicKeyCredentialCreationOptionsJSON } from '@simplewebauthn/server';
import type { Resent } from '../../../../admin/api/auth/mail-link-schemas.ts';
import { purgeChallenges } from '../../../../admin/workers/purge-expired.ts';
import { Authenticator } from '../../../harness/sign-in/authenticator.ts';
import { type Harness, startHarness } from '../../../harness.ts';
import { mailsTo, newestToken } from '../mailbox.ts';
import { type Api, goodPassword, logIn, register, startApi } from '../start-api.ts';
import { type App, codeOf, FactorClient, type Factors, type Someone, wrongCodeOf } from './factor-client.ts';

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

async function withApp(): Promise<{ someone: Someone; app: App }> {
  const someone = await client.someone();
  await client.confirm(someone);
  return { someone, app: await client.addApp(someone) };
}

const factorsOf = (someone: Someone) => client.ok<Factors>('GET', '/api/profile/second-factor', someone);
const codesOf = (app: App) => app.recoveryCodes ?? [];

test.each([
  // It would end with the verification.
  'unproven',
  // A stranger may know the password, and the owner of the address would not get rid of the factor.
  'uncertain',
])('no factor is added by someone whose address is %s', async (ownership) => {
  const someone = await register(api);
  await client.confirm(someone);
  await client.setOwnership(someone, 'proven');
  const begun = await client.ok<{ challenge: string; options: PublicKeyCredentialCreationOptionsJSON }>(
    'POST',
    '/api/profile/passkeys/options',
    someone,
  );
  const passkey = new Authenticator().create(begun.options, { origin: client.origin });
  const code = codeOf('JBSWY3DPEHPK3PXP');
  await client.setOwnership(someone, ownership);
  expect(await factorsOf(someone)).toMatchObject({ canAdd: false });
  for (const [path, body] of [
    ['/api/profile/second-factor/app', undefined],
    ['/api/profile/second-factor/app/confirm', { code }],
    ['/api/profile/passkeys/options', undefined],
    ['/api/profile/passkeys', { challenge: begun.challenge, name: 'Laptop', passkey }],
  ] as const)
    expect(await client.refusal('POST', path, someone, body)).toEqual([403, 'email_not_verified']);
});

test('after a verification without a log-in, a link that is opened with one lets factors be added', async () => {
  const someone = await register(api);
  const follow = async (token?: string) => {
    const body = { token: await newestToken(harness, someone.email, 'verify_email') };
    expect((await api.call('POST', '/api/auth/verify-email', { body, ...(token && { token }) })).status).toBe(200);
  };
  await follow();
  const again = { ...someone, token: await logIn(api, someone.email, goodPassword) };
  await client.confirm(again);
  expect(await client.refusal('POST', '/api/profile/second-factor/app', again)).toEqual([403, 'email_not_verified']);
  expect(await client.ok<Resent>('POST', '/api/auth/resend-verification', again)).toEqual({ sentTo: someone.email });
  await follow(again.token);
  await client.addApp(again);
  expect(await client.ok<Resent>('POST', '/api/auth/resend-verification', again)).toEqual({ sentTo: null });
});

describe('an authenticator app', () => {
  test('is set up with a code, and then each log-in needs one', async () => {
    const someone = await client.someone();
    expect(await factorsOf(someone)).toEqual({ appSince: null, passkeys: [], recoveryCodesLeft: 0, canAdd: true });
    await client.confirm(someone);
    const app = await client.addApp(someone);
    expect(app.recoveryCodes).toHaveLength(10);
    expect(await factorsOf(someone)).toMatchObject({
      appSince: expect.any(String),
      passkeys: [],
      recoveryCodesLeft: 10,
    });

    const { challenge, methods } = await client.begin(someone);
    expect(methods).toEqual(['app', 'recovery_code']);
    const { status, body, headers } = await client.answer(challenge, { code: codeOf(app.secret) });
    expect(status).toBe(200);
    expect(headers.get('set-cookie')).toStartWith('gateway_refresh=');
    expect((await client.call('GET', '/api/balance', { token: body.accessToken })).status).toBe(200);
    expect((await mailsTo(harness, someone.email)).map(({ data }) => Object(data).change)).toContain('app_added');
  });

  test('ends the other sessions, whose tokens are refused from then on', async () => {
    const someone = await client.someone();
    const elsewhere = await logIn(api, someone.email, goodPassword);
    await client.confirm(someone);
    await client.addApp(someone);
    expect(await client.refusal('GET', '/api/balance', { token: elsewhere })).toEqual([401, 'invalid_token']);
    expect((await client.call('GET', '/api/balance', someone)).status).toBe(200);
  });

  test('is not set up without confirming first, by a code that is wrong, or twice', async () => {
    const someone = await client.someone();
    const [begin, finish] = ['/api/profile/second-factor/app', '/api/profile/second-factor/app/confirm'];
    expect(await client.refusal('POST', begin, someone)).toEqual([403, 'confirmation_required']);
    await client.confirm(someone);
    expect(await client.refusal('POST', finish, someone, { code: '123456' })).toEqual([404, 'not_found']);
    const { secret } = await client.ok<App>('POST', begin, someone);
    const wrong = { code: wrongCodeOf(secret) };
    expect(await client.refusal('POST', finish, someone, wrong)).toEqual([401, 'invalid_second_factor']);
    expect((await logIn(api, someone.email, goodPassword)).length).toBeGreaterThan(0);
    await client.ok('POST', finish, someone, { code: codeOf(secret) });
    expect(await client.refusal('POST', begin, someone)).toEqual([409, 'authenticator_exists']);
  });

  test('accepts each code once, in any log-in, and none from before it', async () => {
    const { someone, app } = await withApp();
    const code = codeOf(app.secret);
    const first = await client.begin(someone);
    expect((await client.answer(first.challenge, { code })).status).toBe(200);
    for (const used of [code, codeOf(app.secret, -1)]) {
      const { challenge } = await client.begin(someone);
      expect((await client.answer(challenge, { code: used })).error?.code).toBe('invalid_second_factor');
    }
  });

  test('of simultaneous log-ins with one code, one succeeds', async () => {
    const { someone, app } = await withApp();
    const challenges = await Promise.all(Array.from({ length: 6 }, () => client.begin(someone)));
    const code = codeOf(app.secret);
    const answers = await Promise.all(challenges.map(({ challenge }) => client.answer(challenge, { code })));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 401, 401, 401, 401, 401]);
  });

  test('a challenge ends with ten wrong codes, and a user’s codes pause after fifty in a day', async () => {
    const { someone, app } = await withApp();
    const wrong = { code: wrongCodeOf(app.secret) };
    const codes: (string | null | undefined)[] = [];
    for (let challenges = 0; challenges < 5; challenges += 1) {
      const { challenge } = await client.begin(someone);
      for (let tries = 0; tries < 10; tries += 1) codes.push((await client.answer(challenge, wrong)).error?.code);
      codes.push((await client.answer(challenge, { code: codeOf(app.secret) })).error?.code);
    }
    const ten = [...Array.from({ length: 10 }, () => 'invalid_second_factor'), 'challenge_expired'];
    expect(codes).toEqual(Array.from({ length: 5 }, () => ten).flat());
    const { challenge } = await client.begin(someone);
    const paused = await client.answer(challenge, { code: codeOf(app.secret) });
    expect([paused.status, paused.error?.code]).toEqual([429, 'too_many_attempts']);
    expect(paused.headers.get('retry-after')).toBe('3600');
    // Who has a recovery code gets in.
    expect((await client.answer(challenge, { code: codesOf(app)[0] })).status).toBe(200);
  });

  test('guesses of ten at once count, too', async () => {
    const { someone, app } = await withApp();
    const { challenge } = await client.begin(someone);
    const wrong = { code: wrongCodeOf(app.secret) };
    const answers = await Promise.all(Array.from({ length: 30 }, () => client.answer(challenge, wrong)));
    const codes = answers.map(({ error }) => error?.code);
    expect(codes.filter((code) => code === 'invalid_second_factor')).toHaveLength(10);
    expect(codes.filter((code) => code === 'challenge_expired')).toHaveLength(20);
  });

  test('a challenge is of no use once it was answered, has expired, or the password was changed', async () => {
    const { someone, app } = await withApp();
    const [answered, expired, outdated] = await Promise.all([1, 2, 3].map(() => client.begin(someone)));
    const [one, two, three] = codesOf(app);
    expect((await client.answer(answered?.challenge ?? '', { code: one })).status).toBe(200);
    expect((await client.answer(answered?.challenge ?? '', { code: two })).error?.code).toBe('challenge_expired');
    await harness.database.sql`
      UPDATE factor_challenges SET expires_at = now() - interval '1 second' WHERE user_id = ${someone.id} AND used_at IS NULL
        AND id = (SELECT min(id) FROM factor_challenges WHERE user_id = ${someone.id} AND used_at IS NULL AND purpose = 'log_in')`;
    const passwords = { current_password: goodPassword, new_password: 'nine-brave-foxes-jump' };
    await client.ok('POST', '/api/profile/password', someone, passwords);
    const codes = [
      (await client.answer(expired?.challenge ?? '', { code: two })).error?.code,
      (await client.answer(outdated?.challenge ?? '', { code: three })).error?.code,
    ];
    expect(codes.sort()).toEqual(['challenge_expired', 'invalid_credentials']);
  });

  test.each([
    [{}, 'missing_parameter'],
    [{ code: '123456', passkey: {} }, 'invalid_parameter'],
    [{ code: '' }, 'invalid_parameter'],
    [{ code: 'x'.repeat(41) }, 'invalid_parameter'],
    [{ code: 123456 }, 'invalid_parameter'],
    [{ code: null }, 'invalid_parameter'],
    [{ code: '123456', more: 1 }, 'invalid_parameter'],
  ])('refuses the answer %j', async (answer, code) => {
    const refused = await client.answer('a-challenge-that-never-was', answer);
    expect([refused.status, refused.error?.code]).toEqual([400, code]);
  });

  test('a challenge that never was is refused like one that has ended', async () => {
    const { status, error } = await client.answer('a-challenge-that-never-was', { code: '123456' });
    expect([status, error?.code]).toEqual([400, 'challenge_expired']);
  });

  test('when it is removed, the password is enough again', async () => {
    const { someone, app } = await withApp();
    await client.ok('DELETE', '/api/profile/second-factor/app', someone);
    expect(await factorsOf(someone)).toMatchObject({ appSince: null, passkeys: [], recoveryCodesLeft: 0 });
    const token = await logIn(api, someone.email, goodPassword);
    expect(await client.refusal('DELETE', '/api/profile/second-factor/app', someone)).toEqual([404, 'not_found']);
    const renew = '/api/profile/second-factor/recovery-codes';
    expect(await client.refusal('POST', renew, someone)).toEqual([409, 'second_factor_missing']);
    expect(codesOf(app)).toHaveLength(10);
    expect((await client.call('GET', '/api/balance', { token })).status).toBe(200);
  });

  test('its secret is in no response but the first, and in the database only sealed', async () => {
    const { someone, app } = await withApp();
    expect(JSON.stringify(await factorsOf(someone))).not.toContain(app.secret);
    const rows = await harness.database.sql`SELECT * FROM totp_factors WHERE user_id = ${someone.id}`;
    expect(JSON.stringify(rows)).not.toContain(app.secret);
    const codes = await harness.database.sql`SELECT * FROM recovery_codes WHERE user_id = ${someone.id}`;
    for (const code of codesOf(app)) expect(JSON.stringify(codes)).not.toContain(code);
  });
});

describe('recovery codes', () => {
  test('work once each, however they are typed, and each use is mailed', async () => {
    const { someone, app } = await withApp();
    const typed = [(code: string) => code, (code: string) => code.toLowerCase().replaceAll('-', ' ')];
    for (const [place, type] of typed.entries()) {
      const code = type(codesOf(app)[place] ?? '');
      const { challenge } = await client.begin(someone);
      expect((await client.answer(challenge, { code })).status).toBe(200);
      const again = await client.begin(someone);
      expect((await client.answer(again.challenge, { code })).error?.code).toBe('invalid_second_factor');
    }
    const mails = (await mailsTo(harness, someone.email)).filter(({ data }) => Object(data).change === 'code_used');
    expect(mails.map(({ data }) => Object(data).recoveryCodesLeft).sort()).toEqual([8, 9]);
  });

  test('are void once there are new ones', async () => {
    const { someone, app } = await withApp();
    const { recoveryCodes } = await client.ok<App>('POST', '/api/profile/second-factor/recovery-codes', someone);
    const { challenge } = await client.begin(someone);
    expect((await client.answer(challenge, { code: codesOf(app)[0] })).error?.code).toBe('invalid_second_factor');
    expect((await client.answer(challenge, { code: recoveryCodes?.[0] })).status).toBe(200);
  });

  test('of someone else are of no use', async () => {
    const [one, other] = await Promise.all([withApp(), withApp()]);
    const { challenge } = await client.begin(one.someone);
    const { error } = await client.answer(challenge, { code: codesOf(other.app)[0] });
    expect(error?.code).toBe('invalid_second_factor');
  });
});

describe('a confirmation', () => {
  test('is for one session and ten minutes', async () => {
    const someone = await client.someone();
    const other = { ...someone, token: await logIn(api, someone.email, goodPassword) };
    await client.confirm(other);
    const begin = '/api/profile/second-factor/app';
    expect(await client.refusal('POST', begin, someone)).toEqual([403, 'confirmation_required']);
    await client.ok('POST', begin, other);
    await harness.database.sql`
      UPDATE factor_challenges SET used_at = now() - interval '10 minutes' WHERE user_id = ${someone.id}`;
    expect(await client.refusal('POST', begin, other)).toEqual([403, 'confirmation_required']);
  });

  test('of someone with a second factor takes it, and not the password', async () => {
    const { someone, app } = await withApp();
    await harness.database.sql`DELETE FROM factor_challenges WHERE user_id = ${someone.id}`;
    const confirm = '/api/profile/confirm';
    const remove = () => client.refusal('DELETE', '/api/profile/second-factor/app', someone);
    const byPassword = { current_password: goodPassword };
    expect(await client.refusal('POST', confirm, someone, byPassword)).toEqual([401, 'second_factor_required']);
    const wrong = { code: wrongCodeOf(app.secret) };
    expect(await client.refusal('POST', confirm, someone, wrong)).toEqual([401, 'invalid_second_factor']);
    expect(await remove()).toEqual([403, 'confirmation_required']);
    await client.ok('POST', confirm, someone, { code: codeOf(app.secret) });
    await client.ok('DELETE', '/api/profile/second-factor/app', someone);
  });

  test('by wrong codes is limited like log-ins', async () => {
    const { someone, app } = await withApp();
    const wrong = { code: wrongCodeOf(app.secret) };
    for (let tries = 0; tries < 50; tries += 1) await client.refusal('POST', '/api/profile/confirm', someone, wrong);
    const paused = await client.refusal('POST', '/api/profile/confirm', someone, { code: codeOf(app.secret) });
    expect(paused).toEqual([429, 'too_many_attempts']);
  });

  test('by a wrong password is refused', async () => {
    const someone = await client.someone();
    const body = { current_password: 'not-the-password' };
    expect(await client.refusal('POST', '/api/profile/confirm', someone, body)).toEqual([403, 'wrong_password']);
    expect(await client.refusal('POST', '/api/profile/confirm', someone, {})).toEqual([400, 'missing_parameter']);
  });
});

test('an admin of version 0.1.0 begins no session with a password alone, and continues others', async () => {
  const { someone } = await withApp();
  const { sql } = harness.database;
  const insert = (family: string) => sql`
    INSERT INTO refresh_tokens (user_id, family, token_hash, expires_at)
    VALUES (${someone.id}, ${family}, ${crypto.randomUUID()}, now() + interval '1 day')`;
  await expect(Promise.resolve(insert(crypto.randomUUID()))).rejects.toThrow('has a second factor');
  const [session] = await sql<{ family: string }[]>`
    SELECT family FROM refresh_tokens WHERE user_id = ${someone.id} AND revoked_at IS NULL LIMIT 1`;
  await insert(session?.family ?? '');
  const plain = await client.someone();
  await sql`
    INSERT INTO refresh_tokens (user_id, family, token_hash, expires_at)
    VALUES (${plain.id}, ${crypto.randomUUID()}, ${crypto.randomUUID()}, now() + interval '1 day')`;
});

test('challenges are purged after two days, and their wrong codes count until then', async () => {
  const { someone } = await withApp();
  await client.begin(someone);
  const { sql } = harness.database;
  const left = async () =>
    Number((await sql`SELECT count(*) AS count FROM factor_challenges WHERE user_id = ${someone.id}`)[0]?.count);
  const before = await left();
  await sql`UPDATE factor_challenges SET expires_at = now() - interval '47 hours' WHERE user_id = ${someone.id}`;
  await purgeChallenges(sql);
  expect(await left()).toBe(before);
  await sql`UPDATE factor_challenges SET expires_at = now() - interval '49 hours' WHERE user_id = ${someone.id}`;
  await purgeChallenges(sql);
  expect(await left()).toBe(0);
});
