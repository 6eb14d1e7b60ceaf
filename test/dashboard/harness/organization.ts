/** People of an organization: customers with a home of their own, who are in it when they sign in. */
import type { Role } from '../../../admin/auth/permissions.ts';
import { hashToken } from '../../../admin/auth/sessions/secret-token.ts';
import { changeOrganization } from '../../../admin/organizations/organizations.ts';
import type { Customer } from '../../harness/customers.ts';
import type { Harness } from '../../harness.ts';

interface Joining {
  /** Of the organization. */
  readonly accountId: number;
  readonly role: Role;
  readonly email?: string;
}

export async function createMember(harness: Harness, { accountId, role, email }: Joining): Promise<Customer> {
  const member = await harness.createCustomer({ usd: '0', ...(email !== undefined && { email }) });
  const { sql } = harness.database;
  await sql`INSERT INTO memberships (account_id, user_id, role) VALUES (${accountId}, ${member.userId}, ${role})`;
  await sql`UPDATE users SET last_account_id = ${accountId} WHERE id = ${member.userId}`;
  return member;
}

/** Its name is that of the company or the owner's address until then. */
export function nameOrganization(harness: Harness, accountId: number, name: string): Promise<void> {
  const actor = { name: 'test', userId: null, address: null, requestId: null };
  return changeOrganization(harness.database.db, actor, { accountId, change: { name } });
}

/** With a token of the test's own. */
export async function seedInvitation(
  harness: Harness,
  { accountId, email, invitedBy, role = 'member', token = crypto.randomUUID(), days = 7 }: SeededInvitation,
): Promise<void> {
  const expiresAt = new Date(Date.now() + days * 86_400_000);
  await harness.database.sql`
    INSERT INTO invitations (account_id, email, role, token_hash, invited_by, expires_at)
    VALUES (${accountId}, ${email}, ${role}, ${hashToken(token)}, ${invitedBy}, ${expiresAt})`;
}

interface SeededInvitation {
  readonly accountId: number;
  readonly email: string;
  /** The id of a user. */
  readonly invitedBy: number;
  readonly role?: Role;
  readonly token?: string;
  /** Until it expires. */
  readonly days?: number;
}
