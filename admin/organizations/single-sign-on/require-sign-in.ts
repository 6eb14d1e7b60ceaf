/** What an organization requires its members to sign in with. */
import { eq } from 'drizzle-orm';
import { GatewayError } from '../../../shared/errors.ts';
import type { Caller } from '../../auth/authorize.ts';
import { secondFactorMissing } from '../../auth/second-factor/factors.ts';
import type { SignInRule } from '../../auth/sign-in-rule.ts';
import type { Db } from '../../database/connect.ts';
import { organizationSettings } from '../../database/tables/accounts.ts';
import { oidcProviders } from '../../database/tables/sign-in.ts';
import { type Actor, recordAction } from '../../operations/audit/record-action.ts';
import { lockAsManager } from '../manager.ts';

/**
 * Holds for the next request of every session. The caller must be able to satisfy it: an owner gets in with a second factor, whatever
 * the rule. Throws GatewayError `second_factor_missing` or `identity_provider_untested`.
 */
export function changeSignInRule(
  db: Db,
  actor: Actor,
  { caller, rule }: { caller: Caller; rule: SignInRule },
): Promise<void> {
  const { accountId } = caller;
  return db.transaction(async (transaction) => {
    await lockAsManager(transaction, caller, 'organization:manage');
    if (rule !== 'none' && caller.secondFactorAt === null) throw secondFactorMissing();
    const [provider] = await transaction.select().from(oidcProviders).where(eq(oidcProviders.accountId, accountId));
    if (rule === 'oidc' && !provider?.testedAt) throw providerUntested();
    const own = eq(organizationSettings.accountId, accountId);
    const [before] = await transaction.select().from(organizationSettings).where(own);
    const signInRule = { signInRule: rule };
    await transaction
      .insert(organizationSettings)
      .values({ accountId, ...signInRule })
      .onConflictDoUpdate({ target: organizationSettings.accountId, set: signInRule });
    await recordAction(transaction, actor, {
      action: 'sign_in.update',
      subject: `account ${accountId}`,
      accountId,
      before: { require: before?.signInRule ?? 'none' },
      after: { require: rule },
    });
  });
}

export const providerUntested = () =>
  new GatewayError(
    'identity_provider_untested',
    'Set up an identity provider, and sign in with it once, to require it.',
  );
