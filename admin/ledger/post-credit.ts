/**
 * Books a payment, a refund, a withdrawal that takes money back out, or a write-off: one balanced journal, the account's new balance,
 * and the outbox row that carries the change into Redis, all in one transaction. Repeating it with the same idempotency
 * key books nothing.
 */
import { eq, sql } from 'drizzle-orm';
import { GatewayError } from '../../shared/errors.ts';
import { formatUsd, type NanoUsd, nanoUsd, walletLimitNano } from '../../shared/money.ts';
import type { Db, DbOrTransaction, Transaction } from '../database/connect.ts';
import { accounts } from '../database/tables/accounts.ts';
import { journals, ledgerLines } from '../database/tables/ledger.ts';
import { outbox } from '../database/tables/wallets.ts';

export interface CreditInput {
  readonly accountId: number;
  readonly type: 'payment' | 'refund';
  /** More than zero. */
  readonly amountNano: NanoUsd;
  /** Shown to the customer as the transaction's description. */
  readonly reason: string;
  readonly idempotencyKey: string;
}

/** Money that leaves the wallet. */
export interface WithdrawalInput extends Omit<CreditInput, 'type'> {
  /** The hold in Redis that has set the money aside; null if there is none. */
  readonly holdId: string | null;
}

interface Posting extends CreditInput {
  readonly holdId: string | null;
}

export interface CreditReceipt {
  /** The customer's ledger line. */
  readonly transactionId: number;
  /** The account's balance after the credit, or the present one for a repeated request. */
  readonly balanceNano: NanoUsd;
  readonly repeated: boolean;
}

/** Throws GatewayError `invalid_parameter`, `wallet_limit`, `not_found` or `idempotency_key_reused`. */
export function postCredit(db: Db | Transaction, input: CreditInput): Promise<CreditReceipt> {
  if (input.amountNano <= 0n)
    throw new GatewayError('invalid_parameter', 'The amount must be more than 0.', { param: 'usd' });
  return post(db, { ...input, holdId: null });
}

/**
 * Money returned to the customer: a transaction of the type `payment` with a negative amount. The caller has set it
 * aside in Redis, or it is gone already: the balance is not checked. Throws GatewayError `not_found` or
 * `idempotency_key_reused`.
 */
export function postWithdrawal(db: Db | Transaction, input: WithdrawalInput): Promise<CreditReceipt> {
  if (input.amountNano <= 0n) throw new Error('a withdrawal of nothing');
  return post(db, { ...input, type: 'payment', amountNano: nanoUsd(-input.amountNano) });
}

/** A balance that becomes revenue, as a `refund` with a negative amount. The caller has set the money aside. */
export function postWriteOff(db: Db | Transaction, input: WithdrawalInput): Promise<CreditReceipt> {
  if (input.amountNano <= 0n) throw new Error('a write-off of nothing');
  return post(db, { ...input, type: 'refund', amountNano: nanoUsd(-input.amountNano) });
}

function post(db: Db | Transaction, input: Posting): Promise<CreditReceipt> {
  return db.transaction(async (transaction) => {
    // The account is locked first: every posting locks accounts before it inserts lines.
    const [account] = await transaction
      .select()
      .from(accounts)
      .where(eq(accounts.id, input.accountId))
      .for('no key update');
    if (account === undefined) throw new GatewayError('not_found', `There is no account ${input.accountId}.`);
    const [journal] = await transaction
      .insert(journals)
      .values({ type: input.type, reason: input.reason, idempotencyKey: input.idempotencyKey })
      .onConflictDoNothing()
      .returning();
    if (journal === undefined) return findRepeated(transaction, input, nanoUsd(account.balanceNano));

    const balanceNano = account.balanceNano + input.amountNano;
    if (input.amountNano > 0n && balanceNano > walletLimitNano) throw walletFull();
    const creditSeq = account.creditSeq + 1;
    const side = { journalId: journal.id, type: input.type, description: input.reason, createdAt: journal.createdAt };
    const [line] = await transaction
      .insert(ledgerLines)
      .values([
        { ...side, book: 'wallet', accountId: account.id, amountNano: input.amountNano },
        { ...side, book: input.type === 'payment' ? 'cash' : 'revenue', amountNano: -input.amountNano },
      ])
      .returning({ id: ledgerLines.id });
    await transaction
      .update(accounts)
      .set({
        balanceNano,
        creditedNano: sql`${accounts.creditedNano} + ${input.amountNano}`,
        creditSeq,
      })
      .where(eq(accounts.id, account.id));
    await transaction.insert(outbox).values({
      topic: 'credit',
      accountId: account.id,
      creditSeq,
      amountNano: input.amountNano,
      holdId: input.holdId,
    });
    if (line === undefined) throw new Error('an insert returned no line');
    return { transactionId: line.id, balanceNano: nanoUsd(balanceNano), repeated: false };
  });
}

async function findRepeated(
  transaction: DbOrTransaction,
  input: CreditInput,
  balanceNano: NanoUsd,
): Promise<CreditReceipt> {
  const [line] = await transaction
    .select({
      id: ledgerLines.id,
      accountId: ledgerLines.accountId,
      amountNano: ledgerLines.amountNano,
      type: ledgerLines.type,
    })
    .from(ledgerLines)
    .innerJoin(journals, eq(journals.id, ledgerLines.journalId))
    .where(sql`${journals.idempotencyKey} = ${input.idempotencyKey} and ${ledgerLines.book} = 'wallet'`);
  const same =
    line !== undefined &&
    line.accountId === input.accountId &&
    line.amountNano === input.amountNano &&
    line.type === input.type;
  if (!same) {
    throw new GatewayError('idempotency_key_reused', 'This idempotency key was used for another payment or refund.', {
      param: 'idempotencyKey',
    });
  }
  return { transactionId: line.id, balanceNano, repeated: true };
}

export function walletFull(): GatewayError {
  return new GatewayError('wallet_limit', `A balance can be at most ${formatUsd(walletLimitNano)} USD.`, {
    param: 'usd',
  });
}
