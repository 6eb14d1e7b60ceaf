/** Expired refresh tokens are deleted, and no other is lost. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { findUserById } from '../../../admin/auth/find-user.ts';
import { issueRefreshToken, rotateRefreshToken } from '../../../admin/auth/sessions/refresh-tokens.ts';
import { purgeRefreshTokens } from '../../../admin/workers/purge-expired.ts';
import { type Harness, startHarness } from '../../harness.ts';

const secret = 'the secret of the gateway';

let harness: Harness;
beforeAll(async () => {
  harness = await startHarness();
});
afterAll(() => harness.stop());

test('only refresh tokens that expired a week ago are deleted', async () => {
  const { sql } = harness.database;
  const { userId } = await harness.createCustomer({ usd: '0' });
  const user = await findUserById(harness.database.db, userId);
  if (user === undefined) throw new Error('no user');
  await issueRefreshToken(harness.database.db, { user });
  await sql`UPDATE refresh_tokens SET expires_at = now() - interval '8 days' WHERE user_id = ${userId}`;
  const { refreshToken: used } = await issueRefreshToken(harness.database.db, { user });
  const { refreshToken } = await rotateRefreshToken(harness.database, { token: used, secrets: [secret] });
  expect(await purgeRefreshTokens(sql)).toBe(1);
  await rotateRefreshToken(harness.database, { token: refreshToken, secrets: [secret] });
  // The used one is still known as used: reusing it, once the grace is over, ends the family.
  await sql`UPDATE refresh_tokens SET used_at = used_at - interval '1 minute' WHERE used_at IS NOT NULL`;
  await expect(rotateRefreshToken(harness.database, { token: used, secrets: [secret] })).rejects.toMatchObject({
    code: 'invalid_token',
  });
});
