/** The identity provider that an organization has set up, and its domains. Only owners see and change them. */
import { eq, inArray, or, sql } from 'drizzle-orm';
import { GatewayError } from '../../../shared/errors.ts';
import type { Caller } from '../../auth/authorize.ts';
import { openSecret, sealSecret } from '../../auth/sealed-secret.ts';
import type { SignInRule } from '../../auth/sign-in-rule.ts';
import type { AdminConfig } from '../../config/admin.ts';
import type { Db, DbOrTransaction, Transaction } from '../../database/connect.ts';
import { organizationSettings } from '../../database/tables/accounts.ts';
import { oidcIdentities, oidcProviders, oidcSignIns, organizationDomains } from '../../database/tables/sign-in.ts';
import { type Actor, recordAction } from '../../operations/audit/record-action.ts';
import { lockAsManager } from '../manager.ts';
import { type Domain, listDomains, parseDomains, replaceDomains } from './domains.ts';
import { connectProvider, type ProviderSettings } from './identity-provider.ts';

type Config = Pick<AdminConfig, 'keyPeppers' | 'oidcIssuers'>;

export interface SignInSettings {
  readonly rule: SignInRule;
  readonly provider: { readonly issuer: string; readonly clientId: string; readonly testedAt: Date | null } | null;
  readonly domains: readonly Domain[];
}

export interface ProviderChange {
  readonly issuer: string;
  readonly clientId: string;
  /** Undefined to keep that of the same issuer and client. */
  readonly clientSecret: string | undefined;
  readonly domains: readonly string[];
}

const purposeOf = (accountId: number) => `client secret of account ${accountId}`;

export async function readSignIn(db: DbOrTransaction, accountId: number): Promise<SignInSettings> {
  const [settings] = await db
    .select({ rule: organizationSettings.signInRule })
    .from(organizationSettings)
    .where(eq(organizationSettings.accountId, accountId));
  const [provider] = await db.select().from(oidcProviders).where(eq(oidcProviders.accountId, accountId));
  return {
    rule: settings?.rule ?? 'none',
    provider: provider ?? null,
    domains: await listDomains(db, accountId),
  };
}

/** Undefined without one. */
export async function readProvider(
  db: DbOrTransaction,
  { keyPeppers }: Config,
  accountId: number,
): Promise<ProviderSettings | undefined> {
  const [found] = await db.select().from(oidcProviders).where(eq(oidcProviders.accountId, accountId));
  if (found === undefined) return undefined;
  const { issuer, clientId, sealedSecret } = found;
  const { text: clientSecret, isFormer } = openSecret({ keyPeppers }, purposeOf(accountId), sealedSecret);
  if (isFormer) {
    const again = sealSecret({ keyPeppers }, purposeOf(accountId), clientSecret);
    await db.update(oidcProviders).set({ sealedSecret: again }).where(eq(oidcProviders.sealedSecret, sealedSecret));
  }
  return { issuer, clientId, clientSecret };
}

/**
 * Reads the provider's configuration first. Another issuer, client or secret has to be tested again. Throws GatewayError
 * `invalid_parameter`, `missing_parameter` or `identity_provider_unavailable`.
 */
export async function changeProvider(
  { db, config }: { db: Db; config: Config },
  actor: Actor,
  { caller, change }: { caller: Caller; change: ProviderChange },
): Promise<void> {
  const { accountId } = caller;
  const { issuer, clientId } = change;
  const domains = parseDomains(change.domains);
  const former = await readProvider(db, config, accountId);
  // A secret is only sent to whom it was entered for.
  const isSameClient = former?.issuer === issuer && former.clientId === clientId;
  const clientSecret = change.clientSecret ?? (isSameClient ? former.clientSecret : undefined);
  if (clientSecret === undefined) throw secretMissing();
  await connectProvider(config, { issuer, clientId, clientSecret });
  const isSame = isSameClient && former.clientSecret === clientSecret;
  const sealedSecret = sealSecret(config, purposeOf(accountId), clientSecret);
  await db.transaction(async (transaction) => {
    await lockAsManager(transaction, caller, 'organization:manage');
    const settings = { issuer, clientId, sealedSecret, ...(!isSame && { testedAt: null }) };
    await transaction
      .insert(oidcProviders)
      .values({ accountId, ...settings })
      .onConflictDoUpdate({ target: oidcProviders.accountId, set: settings });
    const before = (await listDomains(transaction, accountId)).map(({ domain }) => domain);
    await replaceDomains(transaction, accountId, domains);
    await recordAction(transaction, actor, {
      action: 'sign_in.update',
      subject: `account ${accountId}`,
      accountId,
      before: { issuer: former?.issuer ?? null, clientId: former?.clientId ?? null, domains: before },
      after: { issuer, clientId, domains },
    });
  });
}

/** Who signed in with it keeps their membership. If it was required, nothing is any more. Throws GatewayError `not_found`. */
export function removeProvider(db: Db, actor: Actor, caller: Caller): Promise<void> {
  const { accountId } = caller;
  return db.transaction(async (transaction) => {
    await lockAsManager(transaction, caller, 'organization:manage');
    const [removed] = await transaction.delete(oidcProviders).where(eq(oidcProviders.accountId, accountId)).returning();
    if (removed === undefined) throw noProvider();
    await replaceDomains(transaction, accountId, []);
    await transaction.delete(oidcIdentities).where(eq(oidcIdentities.accountId, accountId));
    await transaction
      .update(organizationSettings)
      .set({ signInRule: sql`CASE sign_in_rule WHEN 'oidc' THEN 'none' ELSE sign_in_rule END` })
      .where(eq(organizationSettings.accountId, accountId));
    await recordAction(transaction, actor, {
      action: 'sign_in.update',
      subject: `account ${accountId}`,
      accountId,
      before: { issuer: removed.issuer, clientId: removed.clientId },
      after: { issuer: null, clientId: null },
    });
  });
}

/** Of an account that is deleted, and of people who are erased. */
export async function forgetSingleSignOn(
  transaction: Transaction,
  { accountId, userIds }: { accountId: number; userIds: readonly number[] },
): Promise<void> {
  const people = userIds.length === 0 ? undefined : [...userIds];
  const ofPeople = people && inArray(oidcIdentities.userId, people);
  await transaction.delete(oidcIdentities).where(or(eq(oidcIdentities.accountId, accountId), ofPeople));
  const byPeople = people && inArray(oidcSignIns.testedBy, people);
  await transaction.delete(oidcSignIns).where(or(eq(oidcSignIns.accountId, accountId), byPeople));
  await transaction.delete(organizationDomains).where(eq(organizationDomains.accountId, accountId));
  await transaction.delete(oidcProviders).where(eq(oidcProviders.accountId, accountId));
}

export const noProvider = () => new GatewayError('not_found', 'The organization has no identity provider.');

export const secretMissing = () =>
  new GatewayError('missing_parameter', "Missing required parameter: 'clientSecret'.", { param: 'clientSecret' });
