/** Expired tokens of mailed links are deleted, and no valid one is lost. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { issueMailToken, useMailToken } from '../../../admin/auth/mail-links/mail-tokens.ts';
import { purgeMailTokens } from '../../../admin/workers/purge-expired.ts';
import { type Harness, startHarness } from '../../harness.ts';

let harness: Harness;
beforeAll(async () => {
  harness = await startHarness();
});
afterAll(() => harness.stop());

test('only expired tokens of mailed links are deleted', async () => {
  const { db, sql } = harness.database;
  const { userId, email } = await harness.createCustomer({ usd: '0' });
  const input = { userId, email, purpose: 'verify_email' } as const;
  await issueMailToken(db, input);
  await sql`UPDATE mail_tokens SET expires_at = now() - interval '1 second'`;
  const { token } = await issueMailToken(db, input);
  expect(await purgeMailTokens(sql)).toBe(1);
  expect(await useMailToken(db, 'verify_email', token)).toMatchObject({ userId, email });
});
