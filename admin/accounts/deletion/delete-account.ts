/**
 * Deletes an account: its keys and sessions end, its ledger stays, and the people whose home it is are erased. Other members keep
 * their users and their other organizations. All of it is one
 * transaction, so that it happens whole or not at all; Redis hears of the keys by the outbox, as when one key is deleted.
 *
 * A balance that is left stays on the ledger, as what the gateway owes, and no journal is written for it. Requests in
 * flight still hold a part of it and settle against it as ever, late charges are booked, and wallet and ledger go on
 * agreeing. When money that a customer has given up becomes income is a question for accounting, with a date of its own
 * (write-off.ts). What the customer has agreed to is in the audit log.
 */
import { and, asc, eq, inArray, isNull, ne, notInArray, or } from 'drizzle-orm';
import { GatewayError } from '../../../shared/errors.ts';
import type { Language } from '../../../shared/languages.ts';
import { formatUsd, type NanoUsd, nanoUsd } from '../../../shared/money.ts';
import type { User } from '../../auth/create-user.ts';
import type { Role } from '../../auth/permissions.ts';
import type { Db, Transaction } from '../../database/connect.ts';
import { type Account, lockAccount } from '../../database/rows/lock-account.ts';
import { readSettings } from '../../database/rows/notification-settings.ts';
import { accounts, memberships, users } from '../../database/tables/accounts.ts';
import { outbox } from '../../database/tables/wallets.ts';
import { deleteKeysOf } from '../../keys/change-key.ts';
import { lockKeysOf } from '../../keys/find-key.ts';
import { queueMail } from '../../mail/queue/queue-mail.ts';
import { type Actor, recordAction } from '../../operations/audit/record-action.ts';
import { lockDimensions } from '../../organizations/dimensions.ts';
import { lockAsManager } from '../../organizations/manager.ts';
import { endMembership, refuseLastOwner } from '../../organizations/members.ts';
import { refuseLastOperator } from '../last-operator.ts';
import { forgetAsPayers, forgetPayers } from './forget-payers.ts';
import { forgetPeople } from './forget-people.ts';

export interface DeletionInput {
  readonly accountId: number;
  /** The balance to forfeit, exactly; undefined if no one has agreed to forfeit one. */
  readonly forfeitNano: NanoUsd | undefined;
  /** Of the mail that confirms it; undefined for that of the alerts. */
  readonly language: Language | undefined;
  readonly reason: string | undefined;
  /** The owner who asks, and their password that allowed it: of the people whose home it is, only they are erased. */
  readonly self: Pick<User, 'id' | 'passwordHash'> | undefined;
}

export interface DeletedAccount {
  readonly accountId: number;
  readonly deletedAt: Date;
  /** 0 where no balance was left. */
  readonly forfeitedNano: NanoUsd;
  readonly keysDeleted: number;
  /** Other organizations that someone was a member of: the keys they made there are deactivated, once the outbox is delivered. */
  readonly left: readonly number[];
}

/**
 * Its proxy keys are refused once the outbox is delivered. Throws GatewayError `balance_left`, `last_operator`, `last_owner` if
 * someone who is erased is another organization's, `role_required` or `wrong_password` if their role or password has changed since, and
 * `not_found`, also if the account is already deleted.
 */
export function deleteAccount(db: Db, actor: Actor, input: DeletionInput): Promise<DeletedAccount> {
  return db.transaction(async (transaction) => {
    const { accountId, self } = input;
    // Users before their accounts: mailed links and log-ins take the locks in this order.
    const people = await lockPeople(transaction, accountId);
    const isHome = people.filter(({ homeAccountId }) => homeAccountId === accountId);
    const erased = self === undefined ? isHome : isHome.filter(({ id }) => id === self.id);
    const others = people.filter((person) => !erased.includes(person));
    await lockDimensions(transaction, accountId);
    const elsewhere = await lockAccountsOf(transaction, { accountId, erased });
    const account = await lockAccount(transaction, accountId, 'id');
    refuse(account, people, input);
    if (self !== undefined) await lockAsManager(transaction, { id: self.id, accountId }, 'organization:manage');
    await refuseLastOnes(transaction, { erased, elsewhere });
    const forfeitedNano = agreedForfeit(account, input.forfeitNano);
    const { language } = await readSettings(transaction, accountId);
    const recipients = await listOwners(transaction, accountId);

    const deletedAt = new Date();
    const keysDeleted = await deleteKeysOf(transaction, accountId);
    for (const { id } of others) await endMembership(transaction, { accountId, userId: id, successor: null });
    for (const membership of elsewhere) await endMembership(transaction, { ...membership, successor: null });
    const left = [...new Set(elsewhere.map((membership) => membership.accountId))];
    await forgetAsPayers(transaction, erased);
    await forgetPeople(transaction, { accountId, people: erased, deletedAt });
    await transaction.update(accounts).set({ deletedAt }).where(eq(accounts.id, accountId));
    await forgetPayers(transaction, accountId);
    // After its keys: requests in flight are then nearly all there are that still store something.
    await transaction.insert(outbox).values({ topic: 'responses', accountId });
    await recordAction(transaction, actor, {
      action: 'account.delete',
      subject: `account ${accountId}`,
      accountId,
      reason: input.reason,
      before: { deletedAt: null, balance: formatUsd(nanoUsd(account.balanceNano)) },
      after: { deletedAt, forfeitedBalance: formatUsd(forfeitedNano), keysDeleted },
    });
    const data = {
      deletedAt: deletedAt.toISOString(),
      forfeitedNano: forfeitedNano > 0n ? String(forfeitedNano) : null,
    };
    const mail = { kind: 'account_deleted', language: input.language ?? language, accountId, data } as const;
    for (const to of recipients) await queueMail(transaction, { ...mail, to });
    return { accountId, deletedAt, forfeitedNano, keysDeleted, left };
  });
}

/** The members, and those whose home it is. */
function lockPeople(transaction: Transaction, accountId: number): Promise<User[]> {
  const members = transaction
    .select({ id: memberships.userId })
    .from(memberships)
    .where(eq(memberships.accountId, accountId));
  return transaction
    .select()
    .from(users)
    .where(or(eq(users.homeAccountId, accountId), inArray(users.id, members)))
    .orderBy(asc(users.id))
    .for('no key update');
}

interface Elsewhere {
  readonly userId: number;
  readonly accountId: number;
  readonly role: Role;
}

/** Locks the accounts of all organizations that those who are erased belong to, and their keys; returns the other memberships. */
async function lockAccountsOf(
  transaction: Transaction,
  { accountId, erased }: { accountId: number; erased: readonly User[] },
): Promise<Elsewhere[]> {
  const userIds = erased.map(({ id }) => id);
  const elsewhere = await transaction
    .select({ userId: memberships.userId, accountId: memberships.accountId, role: memberships.role })
    .from(memberships)
    .where(and(inArray(memberships.userId, userIds), ne(memberships.accountId, accountId)))
    .orderBy(asc(memberships.accountId), asc(memberships.userId));
  const ids = [...new Set([accountId, ...elsewhere.map((membership) => membership.accountId)])].sort((a, b) => a - b);
  for (const id of ids) await lockAccount(transaction, id, 'id');
  for (const id of ids) await lockKeysOf(transaction, id);
  return elsewhere;
}

async function listOwners(transaction: Transaction, accountId: number): Promise<string[]> {
  const owners = await transaction
    .select({ email: users.email })
    .from(memberships)
    .innerJoin(users, eq(users.id, memberships.userId))
    .where(and(eq(memberships.accountId, accountId), eq(memberships.role, 'owner'), isNull(users.deletedAt)))
    .orderBy(asc(users.id));
  return owners.map(({ email }) => email);
}

async function refuseLastOnes(
  transaction: Transaction,
  { erased, elsewhere }: { erased: readonly User[]; elsewhere: readonly Elsewhere[] },
): Promise<void> {
  const ids = erased.map(({ id }) => id);
  if (erased.some(({ role }) => role === 'operator')) await refuseLastOperator(transaction, notInArray(users.id, ids));
  for (const { role, ...membership } of elsewhere) {
    if (role === 'owner') await refuseLastOwner(transaction, membership);
  }
}

function refuse(account: Account, people: readonly User[], { self }: DeletionInput): void {
  if (account.deletedAt !== null) {
    throw accountDeleted(account.id, account.deletedAt);
  }
  if (self === undefined) return;
  if (!people.some(({ id, passwordHash }) => id === self.id && passwordHash === self.passwordHash)) {
    throw new GatewayError('wrong_password', 'The password has just been changed.', { param: 'current_password' });
  }
}

function agreedForfeit({ balanceNano }: Account, forfeitNano: NanoUsd | undefined): NanoUsd {
  if (balanceNano <= 0n) return nanoUsd(0n);
  if (balanceNano === forfeitNano) return forfeitNano;
  throw balanceLeft(nanoUsd(balanceNano));
}

export const accountDeleted = (accountId: number, deletedAt: Date) =>
  new GatewayError('not_found', `Account ${accountId} was deleted at ${deletedAt.toISOString()}.`, { param: 'id' });

export const ownAccount = () =>
  new GatewayError(
    'access_denied',
    "You can't delete your own account here. Use DELETE /api/account, which asks for your password.",
  );

export function balanceLeft(balanceNano: NanoUsd): GatewayError {
  const balanceUsd = formatUsd(balanceNano);
  const message =
    `The account has a balance of ${balanceUsd} USD, which is forfeited with it. ` +
    'To delete it anyway, confirm exactly this amount.';
  return new GatewayError('balance_left', message, { param: 'forfeitBalanceUsd', details: { balanceUsd } });
}
