/** A new password ends all access gained with the old one, whatever is in progress while it is set. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { setPassword } from '../../../../admin/auth/passwords/set-password.ts';
import { issueRefreshToken, rotateRefreshToken } from '../../../../admin/auth/sessions/refresh-tokens.ts';
import { untilWaitingForLock } from '../../../harness/wait-for-lock.ts';
import { type Harness, startHarness } from '../../../harness.ts';
import { newUser } from '../new-user.ts';

const secret = 'the secret of the gateway';

let harness: Harness;
beforeAll(async () => {
  harness = await startHarness();
});
afterAll(() => harness.stop());

/** Sets a new password, with an operation that runs just before the commit. */
function setPasswordWhile(user: Awaited<ReturnType<typeof newUser>>, meanwhile: () => Promise<void>): Promise<void> {
  return harness.database.db.transaction(async (transaction) => {
    await setPassword(transaction, { user, passwordHash: 'another hash', language: 'en' });
    await meanwhile();
  });
}

test('a log-in that checked the old password before the change begins no session after it', async () => {
  const user = await newUser(harness);
  await setPasswordWhile(user, async () => {});
  const late = issueRefreshToken(harness.database.db, { user });
  await expect(late).rejects.toMatchObject({ code: 'invalid_credentials' });
});

test('a log-in that begins its session while the change is being committed gets no session', async () => {
  const user = await newUser(harness);
  let login: Promise<unknown> = Promise.resolve();
  await setPasswordWhile(user, async () => {
    login = issueRefreshToken(harness.database.db, { user }).catch((error: unknown) => error);
    await untilWaitingForLock(harness.database.sql);
  });
  expect(await login).toMatchObject({ code: 'invalid_credentials' });
});

test('a refresh in progress during the change gets no session', async () => {
  const user = await newUser(harness);
  const { refreshToken } = await issueRefreshToken(harness.database.db, { user });
  let refresh: Promise<unknown> = Promise.resolve();
  await setPasswordWhile(user, async () => {
    refresh = rotateRefreshToken(harness.database, { token: refreshToken, secrets: [secret] }).catch(
      (error: unknown) => error,
    );
    await untilWaitingForLock(harness.database.sql);
  });
  expect(await refresh).toMatchObject({ code: 'invalid_token' });
});

test('the session that changes the password continues, and all others end', async () => {
  const user = await newUser(harness);
  const { db } = harness.database;
  const [own, other] = [await issueRefreshToken(db, { user }), await issueRefreshToken(db, { user })];
  const stranger = await newUser(harness);
  const foreign = await issueRefreshToken(db, { user: stranger });
  const change = { user, passwordHash: 'another hash', language: 'en', exceptSessionId: own.sessionId } as const;
  await db.transaction((transaction) => setPassword(transaction, change));
  expect((await rotateRefreshToken(harness.database, { token: own.refreshToken, secrets: [secret] })).sessionId).toBe(
    own.sessionId,
  );
  await expect(
    rotateRefreshToken(harness.database, { token: other.refreshToken, secrets: [secret] }),
  ).rejects.toMatchObject({
    code: 'invalid_token',
  });
  expect((await rotateRefreshToken(harness.database, { token: foreign.refreshToken, secrets: [secret] })).userId).toBe(
    stranger.id,
  );
});
