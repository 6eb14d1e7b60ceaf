/** Expired refresh tokens do not pile up, and no other is lost. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { findUserById } from '../../../admin/auth/find-user.ts';
import { issueRefreshToken, rotateRefreshToken } from '../../../admin/auth/sessions/refresh-tokens.ts';
import { purgeRefreshTokens } from '../../../admin/workers/purge-expired.ts';
import { type Harness, startHarness } from '../../harness.ts';

let harness: Harness;
beforeAll(async () => {
  harness = await startHarness();
});
afterAll(() => harness.stop());

test('only tokens that expired a week ago are deleted', async () => {
  const { sql } = harness.database;
  const { userId } = await harness.createCustomer({ usd: '0' });
  const user = await findUserById(harness.database.db, userId);
  if (user === undefined) throw new Error('no user');
  await issueRefreshToken(sql, user);
  await sql`UPDATE refresh_tokens SET expires_at = now() - interval '8 days' WHERE user_id = ${userId}`;
  const { refreshToken: used } = await issueRefreshToken(sql, user);
  const { refreshToken } = await rotateRefreshToken(sql, used);
  expect(await purgeRefreshTokens(sql)).toBe(1);
  await rotateRefreshToken(sql, refreshToken);
  // The used one is still known as used: reusing it ends the family.
  await expect(rotateRefreshToken(sql, used)).rejects.toMatchObject({ code: 'invalid_token' });
});
