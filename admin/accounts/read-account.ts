/** Everything that an operator sees of one account. */
import { asc, eq } from 'drizzle-orm';
import { rateLimitsOf } from '../../shared/limits/rate-limits.ts';
import type { NanoUsd } from '../../shared/money.ts';
import type { WalletKeeper } from '../../shared/wallet/wallet-keeper.ts';
import type { User } from '../auth/create-user.ts';
import type { DbOrTransaction } from '../database/connect.ts';
import { accounts, users } from '../database/tables/accounts.ts';
import type { LedgerLine } from '../database/tables/ledger-views.ts';
import { type Key, listKeys } from '../keys/find-key.ts';
import { listTransactions } from '../ledger/queries/list-transactions.ts';
import type { AccountLimits } from './limit-account.ts';
import { type FoundAccount, findAccount } from './search-accounts.ts';

export interface AccountView extends FoundAccount {
  readonly limits: AccountLimits;
  /** Null if there is no wallet in Redis yet, or no Redis. */
  readonly wallet: { readonly availableNano: NanoUsd; readonly heldNano: NanoUsd } | null;
  readonly people: readonly User[];
  readonly keys: readonly Key[];
  /** The newest ones only. */
  readonly lines: readonly LedgerLine[];
}

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
    people: await db.select().from(users).where(eq(users.accountId, accountId)).orderBy(asc(users.id)),
    keys: [...proxyKeys, ...billingKeys],
    lines: await listTransactions(db, { accountId, ...everything }, { limit: linesShown, offset: 0 }),
  };
}
