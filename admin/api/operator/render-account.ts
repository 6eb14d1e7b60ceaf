/** Renders accounts for operators. */
import { formatUsd } from '../../../shared/money.ts';
import type { AccountView, Person } from '../../accounts/read-account.ts';
import type { FoundAccount } from '../../accounts/search-accounts.ts';
import type { User } from '../../auth/create-user.ts';
import { renderKey } from '../keys/key-schemas.ts';
import { renderTransaction } from '../money/transactions-schemas.ts';
import type { accountDetailSchema, accountSchema } from './accounts-schemas.ts';

export function renderAccount(account: FoundAccount): typeof accountSchema.static {
  const { id, createdAt, email, displayName, role, accountType, companyName, inn, blockedAt, deletedAt } = account;
  return {
    id,
    createdAt: createdAt.toISOString(),
    email,
    displayName,
    role,
    accountType,
    companyName,
    inn,
    balance: formatUsd(account.balanceNano),
    credited: formatUsd(account.creditedNano),
    spent: formatUsd(account.spentNano),
    blockedAt: blockedAt?.toISOString() ?? null,
    deletedAt: deletedAt?.toISOString() ?? null,
  };
}

export function renderAccountDetail(account: AccountView): typeof accountDetailSchema.static {
  const { limits, wallet, people, keys, archivedProjects, lines } = account;
  return {
    ...renderAccount(account),
    limits,
    wallet: wallet && { available: formatUsd(wallet.availableNano), reserved: formatUsd(wallet.heldNano) },
    users: people.map(renderPerson),
    keys: keys.map((key) => ({ ...renderKey(key, archivedProjects), kind: key.kind })),
    transactions: lines.map(renderTransaction),
  };
}

const renderPerson = (person: Person) => ({ ...renderUser(person), organizationRole: person.organizationRole });

export function renderUser({ id, email, displayName, role, emailVerifiedAt, createdAt }: User) {
  return { id, email, displayName, role, emailVerified: emailVerifiedAt !== null, createdAt: createdAt.toISOString() };
}
