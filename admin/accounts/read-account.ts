/** Everything that an operator sees of one account. */
import { and, asc, eq, isNotNull, or } from 'drizzle-orm';
import { rateLimitsOf } from '../../shared/limits/rate-limits.ts';
import type { NanoUsd } from '../../shared/money.ts';
import type { WalletKeeper } from '../../shared/wallet/wallet-keeper.ts';
import type { User } from '../auth/create-user.ts';
import type { Role } from '../auth/permissions.ts';
import type { DbOrTransaction } from '../database/connect.ts';
import { accounts, memberships, users } from '../database/tables/accounts.ts';
import type { LedgerLine } from '../database/tables/ledger-views.ts';
import { type Key, listKeys } from '../keys/find-key.ts';
import { readArchivedProjects } from '../keys/key-project.ts';
import { listRecentTransactions } from '../ledger/queries/list-transactions.ts';
import type { AccountLimits } from './limit-account.ts';
import { type FoundAccount, findAccount } from './search-accounts.ts';

export interface AccountView extends FoundAccount {
  readonly limits: AccountLimits;
  /** Null if there is no wallet in Redis yet, or no Redis. */
  readonly wallet: { readonly availableNano: NanoUsd; readonly heldNano: NanoUsd } | null;
  /** The members, or those who were erased with it. */
  readonly people: readonly Person[];
  readonly keys: readonly Key[];
  /** Their ids. */
  readonly archivedProjects: ReadonlySet<number>;
  /** The newest ones only, and none that is archived. */
  readonly lines: readonly LedgerLine[];
}

export type Person = User & { readonly organizationRole: Role | null };

interface ReadServices {
  readonly db: DbOrTransaction;
  /** Undefined if Redis is not available: then the wallet is not read. */
  readonly keeper: WalletKeeper | undefined;
}

const linesShown = 10;
const everything = { type: undefined, from: undefined, to: undefined };

/** Undefined if there is no such account. */
export async function readAccount({ db, keeper }: ReadServices, accountId: number): Promise<AccountView | undefined> {
  const found = await findAccount(db, accountId);
  const [limits] = await db.select().from(accounts).where(eq(accounts.id, accountId));
  if (found === undefined || limits === undefined) return undefined;
  const proxyKeys = await listKeys(db, { accountId, kind: 'proxy' });
  const billingKeys = await listKeys(db, { accountId, kind: 'billing' });
  return {
    ...found,
    limits: rateLimitsOf(limits),
    wallet: (await keeper?.readWallet(accountId).catch(() => undefined)) ?? null,
    people: await readPeople(db, accountId),
    keys: [...proxyKeys, ...billingKeys],
    archivedProjects: await readArchivedProjects(db, accountId),
    lines: await listRecentTransactions(db, { accountId, ...everything }, linesShown),
  };
}

async function readPeople(db: DbOrTransaction, accountId: number): Promise<Person[]> {
  const isErased = and(eq(users.homeAccountId, accountId), isNotNull(users.deletedAt));
  const rows = await db
    .select({ user: users, role: memberships.role })
    .from(users)
    .leftJoin(memberships, and(eq(memberships.userId, users.id), eq(memberships.accountId, accountId)))
    .where(or(isNotNull(memberships.role), isErased))
    .orderBy(asc(users.id));
  return rows.map(({ user, role }) => ({ ...user, organizationRole: role }));
}
