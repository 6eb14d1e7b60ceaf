/** GET /api/first-steps: which steps to a first request a new account has completed. */
import { Type } from '@sinclair/typebox';
import { sql } from 'drizzle-orm';
import { Elysia } from 'elysia';
import { authorized } from '../../auth/authorize.ts';
import type { DbOrTransaction } from '../../database/connect.ts';
import type { AdminServices } from '../../services.ts';
import { describe } from '../docs/describe.ts';
import { flag } from '../fields/schemas.ts';

export const firstStepsSchema = Type.Object(
  {
    emailVerified: flag(
      'Whether the e-mail address is verified, or need not be, because an operator created the account. Until then, the ' +
        'proxy refuses the keys of the account.',
      true,
    ),
    hasKey: flag('Whether the account has a proxy key, or had one. Keys of playgrounds do not count.', true),
    hasCredit: flag('Whether the account was ever topped up.', true),
    hasRequest: flag('Whether the account was ever charged for a request.'),
  },
  { title: 'FirstSteps' },
);

const docs = describe({
  id: 'getFirstSteps',
  permission: 'balance:read',
  summary: 'First steps',
  description: 'The steps to a first request, and which of them a new account has completed.',
  tag: 'Account',
  response: { description: 'The steps.', schema: firstStepsSchema },
});

export const firstStepsRoute = (services: AdminServices) =>
  new Elysia()
    .use(authorized(services))
    .get('/api/first-steps', ({ caller }) => readSteps(services.database.db, caller.accountId), docs);

async function readSteps(db: DbOrTransaction, accountId: number) {
  const [row] = await db.execute<typeof firstStepsSchema.static>(sql`
    SELECT ownership <> 'unproven' AS "emailVerified", credited_nano > 0 AS "hasCredit",
      EXISTS (
        SELECT FROM api_keys WHERE account_id = accounts.id AND kind = 'proxy' AND session_id IS NULL
      ) AS "hasKey",
      EXISTS (SELECT FROM usage_totals WHERE account_id = accounts.id)
        OR EXISTS (SELECT FROM archived_totals WHERE account_id = accounts.id) AS "hasRequest"
    FROM accounts WHERE id = ${accountId}`);
  if (row === undefined) throw new Error(`user without an account ${accountId}`);
  return row;
}
