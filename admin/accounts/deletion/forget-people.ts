/**
 * Takes everything personal about the people of an account out of the database. Their rows stay, without what says who
 * they are: the audit log and tokens name them.
 */
import { and, eq, inArray, or, sql } from 'drizzle-orm';
import type { User } from '../../auth/create-user.ts';
import { forgetFactors } from '../../auth/second-factor/factors.ts';
import { revokeSessions } from '../../auth/sessions/revoke-sessions.ts';
import type { Transaction } from '../../database/connect.ts';
import {
  invitations,
  memberships,
  organizationSettings,
  refreshTokens,
  users,
} from '../../database/tables/accounts.ts';
import { budgets } from '../../database/tables/budgets.ts';
import { mailTokens } from '../../database/tables/mail-tokens.ts';
import { mails } from '../../database/tables/mails.ts';
import {
  alertAddresses,
  balanceAlerts,
  notificationDefaults,
  notificationSettings,
} from '../../database/tables/notifications.ts';
import { projects } from '../../database/tables/projects.ts';
import { forgetDimensions } from '../../organizations/dimensions.ts';
import { forgetSingleSignOn } from '../../organizations/single-sign-on/provider-settings.ts';
import { forgetWebhooks } from '../../webhooks/endpoints/endpoints.ts';
import { forgetCompany } from './forget-company.ts';

interface Forgetting {
  readonly accountId: number;
  /** Locked, and so is the account. */
  readonly people: readonly User[];
  readonly deletedAt: Date;
}

export async function forgetPeople(transaction: Transaction, forgetting: Forgetting): Promise<void> {
  const { people, deletedAt } = forgetting;
  for (const { id } of people) {
    await revokeSessions(transaction, { userId: id });
    // Tokens stay until they expire: a session that has ended is known by them.
    await transaction.update(refreshTokens).set({ address: null, userAgent: null }).where(eq(refreshTokens.userId, id));
    await transaction
      .update(users)
      .set({
        email: placeholderAddress(id),
        pendingEmail: null,
        emailVerifiedAt: null,
        passwordHash: '',
        displayName: null,
        avatarUrl: null,
        role: 'customer',
        deletedAt,
      })
      .where(eq(users.id, id));
  }
  await forgetFactors(
    transaction,
    people.map(({ id }) => id),
  );
  await forgetMemberships(transaction, forgetting);
  await forgetMail(transaction, forgetting);
  await forgetSettings(transaction, forgetting.accountId);
  await forgetInLogs(transaction, forgetting);
}

/** No one can sign up with it, and no mail is sent to it: a domain has a dot, and this one never exists (RFC 6761). */
const placeholderAddress = (userId: number) => `deleted-${userId}@invalid`;

const addressesOf = (people: readonly User[]) =>
  people.flatMap(({ email, pendingEmail }) => [email, pendingEmail ?? []].flat()).map((email) => email.toLowerCase());

/** The others have left already. Invitations name people too, wherever they are to. */
async function forgetMemberships(transaction: Transaction, { accountId, people }: Forgetting): Promise<void> {
  await transaction.delete(memberships).where(eq(memberships.accountId, accountId));
  const invited = inArray(sql`lower(${invitations.email})`, addressesOf(people));
  await transaction.delete(invitations).where(or(eq(invitations.accountId, accountId), invited));
  await transaction.delete(organizationSettings).where(eq(organizationSettings.accountId, accountId));
  const userIds = people.map(({ id }) => id);
  await forgetSingleSignOn(transaction, { accountId, userIds });
}

/** Queued mails are dropped; links that were sent stop working. */
async function forgetMail(transaction: Transaction, { accountId, people }: Forgetting): Promise<void> {
  const userIds = people.map(({ id }) => id);
  if (userIds.length > 0) await transaction.delete(mailTokens).where(inArray(mailTokens.userId, userIds));
  await transaction.delete(alertAddresses).where(eq(alertAddresses.accountId, accountId));
  const invited = and(eq(mails.kind, 'invitation'), inArray(sql`lower(${mails.recipient})`, addressesOf(people)));
  await transaction.delete(mails).where(or(eq(mails.accountId, accountId), invited));
}

/** Alerts are off rather than at their defaults: charges of requests in flight are still to come. */
async function forgetSettings(transaction: Transaction, accountId: number): Promise<void> {
  await transaction.delete(budgets).where(eq(budgets.accountId, accountId));
  await forgetDimensions(transaction, accountId);
  await forgetWebhooks(transaction, accountId);
  // Usage is attributed to projects, so they stay, without what members have called them.
  await transaction
    .update(projects)
    .set({ name: sql`'deleted ' || ${projects.id}`, description: null, costCenter: null })
    .where(eq(projects.accountId, accountId));
  await forgetCompany(transaction, accountId);
  await transaction.delete(balanceAlerts).where(eq(balanceAlerts.accountId, accountId));
  const off = { ...notificationDefaults, emailEnabled: false, updatedAt: new Date() };
  await transaction
    .insert(notificationSettings)
    .values({ accountId, ...off })
    .onConflictDoUpdate({ target: notificationSettings.accountId, set: off });
}

/** What they did as operators stays, under `user 5`; what was done with their account stays, without their address. */
async function forgetInLogs(transaction: Transaction, { accountId, people }: Forgetting): Promise<void> {
  const emails = sql.param(addressesOf(people));
  const named = sql`ARRAY[lower(after->>'recipient'), lower(before->>'email'), lower(after->>'email')]`;
  const isAboutThem = sql`(account_id = ${accountId} OR ${named} && ${emails}::text[])`;
  const personal = sql`ARRAY['email', 'name', 'recipient', 'description', 'costCenter']`;
  await transaction.execute(sql`
    UPDATE audit_entries SET
      before = before - ${personal}, after = after - ${personal}
    WHERE ${isAboutThem}`);
  for (const { id, email } of people) {
    const name = `user ${id}`;
    await transaction.execute(sql`
      UPDATE audit_entries SET actor = ${name}, address = NULL WHERE user_id = ${id} AND actor <> ${name}`);
    await transaction.execute(sql`UPDATE repairs SET repaired_by = ${name} WHERE repaired_by = ${email}`);
  }
}
