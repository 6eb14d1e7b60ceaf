/** People of an organization: customers with a home of their own, who are in it when they sign in. And its projects and budgets. */
import type { Role } from '../../../admin/auth/permissions.ts';
import { hashToken } from '../../../admin/auth/sessions/secret-token.ts';
import type { SignInRule } from '../../../admin/auth/sign-in-rule.ts';
import { changeOrganization } from '../../../admin/organizations/organizations.ts';
import type { Customer } from '../../harness/customers.ts';
import type { Harness } from '../../harness.ts';
import type { Dashboard } from './dashboard.ts';
import { openSender } from './payments.ts';

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
  return changeOrganization(harness.database.db, actor, { id: null, accountId }, { name });
}

/** Holds for its members from their next request on. */
export async function setSignInRule({ database }: Pick<Harness, 'database'>, accountId: number, rule: SignInRule) {
  await database.sql`
    INSERT INTO organization_settings (account_id, sign_in_rule) VALUES (${accountId}, ${rule})
    ON CONFLICT (account_id) DO UPDATE SET sign_in_rule = ${rule}`;
}

/** Nobody can sign in with it: it only shows. It is tested, and one of its two domains is proven. */
export async function seedProvider({ database }: Pick<Harness, 'database'>, accountId: number) {
  await database.sql`
    INSERT INTO oidc_providers (account_id, issuer, client_id, sealed_secret, tested_at)
    VALUES (${accountId}, 'https://login.example.com', 'model-gateway', '', now())`;
  await database.sql`
    INSERT INTO organization_domains (account_id, domain, token, proven_at)
    VALUES (${accountId}, 'example.com', 'Yk3v8mCw0bDq5nT7xLr2sHf9pJg4aZe6uQiVoKtNyXE', null),
      (${accountId}, ${`acme-${accountId}.example`}, 'x', now())`;
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

interface SeededProject {
  readonly name: string;
  readonly description?: string;
  readonly costCenter?: string;
  readonly archived?: boolean;
  /** The keys that are moved into it. */
  readonly keyIds?: readonly number[];
}

/** Through the API. Returns its id. */
export async function seedProject(
  { admin }: Pick<Dashboard, 'admin'>,
  owner: Customer,
  { archived = false, keyIds = [], ...project }: SeededProject,
): Promise<number> {
  const { send } = await openSender(admin, owner);
  const { id } = await send<{ id: number }>('POST', '/api/projects', project);
  for (const keyId of keyIds) await send('PUT', `/api/proxy-keys/${keyId}`, { projectId: id });
  if (archived) await send('PUT', `/api/projects/${id}`, { archived });
  return id;
}

/** Through the API, as its body names it. */
export async function seedBudget({ admin }: Pick<Dashboard, 'admin'>, owner: Customer, budget: object): Promise<void> {
  const { send } = await openSender(admin, owner);
  await send('POST', '/api/budgets', budget);
}

/** Returns it. */
export async function seedProjectKey(
  { admin }: Pick<Dashboard, 'admin'>,
  owner: Customer,
  key: { readonly name: string; readonly projectId?: number },
): Promise<string> {
  const { send } = await openSender(admin, owner);
  return (await send<{ key: string }>('POST', '/api/proxy-keys', key)).key;
}
