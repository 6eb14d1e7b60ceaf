/**
 * What is known of an account and its user besides the ledger, as an export shows it. Secrets and hashes are never read;
 * of operators there is only that one has acted.
 */
import { asc, eq, sql } from 'drizzle-orm';
import { rateLimitsOf } from '../../../../shared/limits/rate-limits.ts';
import { spendLimits } from '../../../../shared/limits/spend-limits.ts';
import { recordOf } from '../../../../shared/members.ts';
import { formatRubKopecks, formatUsd, nanoUsd } from '../../../../shared/money.ts';
import { fieldsOf } from '../../../accounts/profile/company-fields.ts';
import { readCompany } from '../../../accounts/profile/company-store.ts';
import type { User } from '../../../auth/create-user.ts';
import { readFactors } from '../../../auth/second-factor/factors.ts';
import type { DbOrTransaction } from '../../../database/connect.ts';
import { readSettings } from '../../../database/rows/notification-settings.ts';
import { accounts, organizationSettings, refreshTokens } from '../../../database/tables/accounts.ts';
import { apiKeys } from '../../../database/tables/api-keys.ts';
import { budgets } from '../../../database/tables/budgets.ts';
import { dimensionValues } from '../../../database/tables/dimensions.ts';
import { balanceAlerts } from '../../../database/tables/notifications.ts';
import { projects } from '../../../database/tables/projects.ts';
import type { Key } from '../../../keys/find-key.ts';
import { listDimensions, otherValue } from '../../../ledger/queries/charged-dimensions.ts';
import { listAddresses, statusOf } from '../../../notifications/addresses/alert-address.ts';
import { readSignIn } from '../../../organizations/single-sign-on/provider-settings.ts';
import { listEndpoints } from '../../../webhooks/endpoints/endpoints.ts';

type Bigint = bigint | null;

const decimalOf = (amount: Bigint) => (amount === null ? null : formatUsd(nanoUsd(amount)));

export async function describeProfile(db: DbOrTransaction, user: User) {
  const { appSince, passkeys, recoveryCodesLeft } = await readFactors(db, user.id);
  const { id, homeAccountId, email, pendingEmail, displayName, avatarUrl, emailVerifiedAt, role, createdAt } = user;
  return {
    id,
    accountId: homeAccountId,
    email,
    pendingEmail,
    displayName,
    avatarUrl,
    emailVerifiedAt,
    role,
    createdAt,
    secondFactors: {
      authenticatorAppSince: appSince,
      passkeys: passkeys.map(({ name, createdAt: addedAt, lastUsedAt }) => ({ name, createdAt: addedAt, lastUsedAt })),
      recoveryCodesLeft,
    },
  };
}

export async function describeCompany(db: DbOrTransaction, accountId: number) {
  const { accountType, values } = await readCompany(db, accountId);
  return { accountType, ...Object.fromEntries(fieldsOf[accountType].map((field) => [field, values[field]])) };
}

export async function describeBalance(db: DbOrTransaction, accountId: number, at: Date) {
  const [account] = await db.select().from(accounts).where(eq(accounts.id, accountId));
  if (account === undefined) throw new Error(`there is no account ${accountId}`);
  const { balanceNano, creditedNano, spentNano, createdAt, blockedAt } = account;
  return {
    at,
    balanceUsd: decimalOf(balanceNano),
    creditedUsd: decimalOf(creditedNano),
    spentUsd: decimalOf(spentNano),
    limits: rateLimitsOf(account),
    accountCreatedAt: createdAt,
    blockedAt,
  };
}

export async function describeNotifications(db: DbOrTransaction, accountId: number) {
  const settings = await readSettings(db, accountId);
  const [alerts] = await db.select().from(balanceAlerts).where(eq(balanceAlerts.accountId, accountId));
  const addresses = await listAddresses(db, accountId);
  return {
    emailNotificationsEnabled: settings.emailEnabled,
    lowBalanceThresholdRub: formatRubKopecks(settings.thresholdKopecks),
    notificationIntervalHours: settings.intervalHours,
    language: settings.language,
    documentEmailsEnabled: settings.documentEmails,
    lastAlertAt: alerts?.alertedAt ?? null,
    addresses: addresses.map((address) => {
      const { email, createdAt, confirmedAt, stoppedAt } = address;
      return { email, status: statusOf(address), createdAt, confirmedAt, stoppedAt };
    }),
  };
}

export async function describeOrganization(db: DbOrTransaction, accountId: number) {
  const [chosen] = await db.select().from(organizationSettings).where(eq(organizationSettings.accountId, accountId));
  const { rule, provider, domains } = await readSignIn(db, accountId);
  return {
    name: chosen?.name ?? null,
    timeZone: chosen?.timeZone ?? 'UTC',
    allowedIps: chosen?.allowedIps ?? null,
    dataPolicy: chosen?.dataPolicy ?? null,
    signIn: {
      require: rule,
      oidc: provider && { issuer: provider.issuer, clientId: provider.clientId, testedAt: provider.testedAt },
      domains: domains.map(({ domain, provenAt }) => ({ domain, provenAt })),
    },
    webhooks: (await listEndpoints(db, accountId)).map(({ id, url, events, active, createdAt }) => {
      return { id, url, events, active, createdAt };
    }),
  };
}

/** Deleted ones as well: requests name them. */
export async function describeKeys(db: DbOrTransaction, accountId: number) {
  const keys = await db.select().from(apiKeys).where(eq(apiKeys.accountId, accountId)).orderBy(asc(apiKeys.id));
  return keys.map(describeKey);
}

function describeKey(key: Key) {
  const { id, kind, name, prefix, active, projectId, createdAt, expiresAt, deletedAt } = key;
  const { allowedModels, allowedIps, dataPolicy, cacheSeconds } = key;
  return {
    ...{ id, kind, name, prefix, active, projectId, createdAt, expiresAt, deletedAt },
    ...{ allowedModels, allowedIps, dataPolicy, cacheSeconds },
    limits: rateLimitsOf(key),
    spendLimits: recordOf(spendLimits, ({ name, property }) => [`${name}Usd`, decimalOf(key[property])]),
  };
}

export async function describeBudgets(db: DbOrTransaction, accountId: number) {
  const found = await db.select().from(budgets).where(eq(budgets.accountId, accountId)).orderBy(asc(budgets.id));
  return found.map(({ level, scopeId, period, amountNano, alertsAt, createdAt }) => ({
    ...{ scope: level, scopeId, period, amountUsd: decimalOf(amountNano), alertsAt, createdAt },
  }));
}

export async function describeProjects(db: DbOrTransaction, accountId: number) {
  const found = await db.select().from(projects).where(eq(projects.accountId, accountId)).orderBy(asc(projects.id));
  return found.map(({ accountId: _, ...project }) => project);
}

/** What usage is, or was, attributed to, and all values that it has. */
export async function describeDimensions(db: DbOrTransaction, accountId: number) {
  const found = await listDimensions(db, accountId);
  return Promise.all(
    found.map(async ({ id, name, active }) => {
      const rows = await db
        .select({ value: dimensionValues.value })
        .from(dimensionValues)
        .where(eq(dimensionValues.dimensionId, id))
        .groupBy(dimensionValues.value)
        .orderBy(asc(dimensionValues.value));
      return { name, active, values: rows.map(({ value }) => value ?? otherValue) };
    }),
  );
}

/** A session is a family of refresh tokens; each use of one makes the next. Expired ones are deleted. */
export async function describeSessions(db: DbOrTransaction, userId: number, currentSessionId: string | undefined) {
  const { id, family, createdAt, beganAt, expiresAt, revokedAt, address, userAgent } = refreshTokens;
  const newest = (column: typeof address | typeof userAgent) =>
    sql<string | null>`(array_agg(${column} ORDER BY ${id} DESC))[1]`;
  const sessions = await db
    .select({
      family,
      startedAt: sql`min(coalesce(${beganAt}, ${createdAt}))`.mapWith(createdAt),
      lastRefreshedAt: sql`max(${createdAt})`.mapWith(createdAt),
      expiresAt: sql`max(${expiresAt})`.mapWith(expiresAt),
      endedAt: sql<Date | null>`max(${revokedAt})`.mapWith(revokedAt),
      address: newest(address),
      userAgent: newest(userAgent),
    })
    .from(refreshTokens)
    .where(eq(refreshTokens.userId, userId))
    .groupBy(family)
    .orderBy(sql`min(${createdAt})`);
  return sessions.map(({ family, ...session }) => ({ ...session, isThisOne: family === currentSessionId }));
}
