/**
 * Deletes an account: personal data is erased, its keys and sessions end, and its ledger stays. All of it is one
 * transaction, so that it happens whole or not at all; Redis hears of the keys by the outbox, as when one key is deleted.
 *
 * A balance that is left stays on the ledger, as what the gateway owes, and no journal is written for it. Requests in
 * flight still hold a part of it and settle against it as ever, late charges are booked, and wallet and ledger go on
 * agreeing. When money that a customer has given up becomes income is a question for accounting, with a date of its own
 * (write-off.ts). What the customer has agreed to is in the audit log.
 */
import { asc, eq, ne } from 'drizzle-orm';
import { GatewayError } from '../../../shared/errors.ts';
import type { Language } from '../../../shared/languages.ts';
import { formatUsd, type NanoUsd, nanoUsd } from '../../../shared/money.ts';
import type { User } from '../../auth/create-user.ts';
import type { Db, Transaction } from '../../database/connect.ts';
import { type Account, lockAccount } from '../../database/rows/lock-account.ts';
import { readSettings } from '../../database/rows/notification-settings.ts';
import { accounts, users } from '../../database/tables/accounts.ts';
import { deleteKeysOf } from '../../keys/change-key.ts';
import { queueMail } from '../../mail/queue/queue-mail.ts';
import { type Actor, recordAction } from '../../operations/audit/record-action.ts';
import { refuseLastOperator } from '../last-operator.ts';
import { forgetPayers } from './forget-payers.ts';
import { forgetPeople } from './forget-people.ts';

export interface DeletionInput {
  readonly accountId: number;
  /** The balance to forfeit, exactly; undefined if no one has agreed to forfeit one. */
  readonly forfeitNano: NanoUsd | undefined;
  /** Of the mail that confirms it; undefined for that of the alerts. */
  readonly language: Language | undefined;
  readonly reason: string | undefined;
  /** Of the password that allowed it, where the user asks. */
  readonly currentHash: string | undefined;
}

export interface DeletedAccount {
  readonly accountId: number;
  readonly deletedAt: Date;
  /** 0 where no balance was left. */
  readonly forfeitedNano: NanoUsd;
  readonly keysDeleted: number;
}

/**
 * Its proxy keys are refused once the outbox is delivered. Throws GatewayError `balance_left`, `last_operator`,
 * `wrong_password` if the password has changed since, and `not_found`, also if the account is already deleted.
 */
export function deleteAccount(db: Db, actor: Actor, input: DeletionInput): Promise<DeletedAccount> {
  return db.transaction(async (transaction) => {
    const { accountId } = input;
    // Users before their account: mailed links and log-ins take the locks in this order.
    const people = await lockPeople(transaction, accountId);
    const account = await lockAccount(transaction, accountId, 'id');
    refuse(account, people, input);
    if (people.some(({ role }) => role === 'operator'))
      await refuseLastOperator(transaction, ne(users.accountId, accountId));
    const forfeitedNano = agreedForfeit(account, input.forfeitNano);
    const { language } = await readSettings(transaction, accountId);

    const deletedAt = new Date();
    const keysDeleted = await deleteKeysOf(transaction, accountId);
    await forgetPeople(transaction, { accountId, people, deletedAt });
    await transaction.update(accounts).set({ deletedAt }).where(eq(accounts.id, accountId));
    await forgetPayers(transaction, accountId);
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
    for (const { email } of people) await queueMail(transaction, { ...mail, to: email });
    return { accountId, deletedAt, forfeitedNano, keysDeleted };
  });
}

function lockPeople(transaction: Transaction, accountId: number): Promise<User[]> {
  return transaction
    .select()
    .from(users)
    .where(eq(users.accountId, accountId))
    .orderBy(asc(users.id))
    .for('no key update');
}

function refuse(account: Account, people: readonly User[], { currentHash }: DeletionInput): void {
  if (account.deletedAt !== null) {
    throw accountDeleted(account.id, account.deletedAt);
  }
  if (currentHash !== undefined && !people.some(({ passwordHash }) => passwordHash === currentHash)) {
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
