/**
 * Writes off the remaining balance of a deleted account: from then on it is revenue and no longer owed. When that is so
 * is for accounting to decide, so an operator requests it, naming the amount exactly.
 *
 * The money is set aside in Redis first. So nothing is written off that a request in flight still holds, and two operators
 * cannot write it off twice. If this program dies before the ledger has booked it, the hold expires without a charge.
 */
import { GatewayError } from '../../../shared/errors.ts';
import { formatUsd, type NanoUsd, nanoUsd } from '../../../shared/money.ts';
import type { RedisClient } from '../../../shared/redis/connect.ts';
import { Withdrawals } from '../../../shared/wallet/withdrawals.ts';
import type { Db, Transaction } from '../../database/connect.ts';
import { lockAccount } from '../../database/rows/lock-account.ts';
import { postWriteOff } from '../../ledger/post-credit.ts';
import { type Actor, recordAction } from '../../operations/audit/record-action.ts';

export interface WriteOffInput {
  readonly accountId: number;
  readonly amountNano: NanoUsd;
  readonly reason: string;
}

interface WriteOffServices {
  readonly db: Db;
  readonly redis: RedisClient;
}

const holdMs = 60_000;

/**
 * In force in Redis once the outbox is delivered. Returns the number of the transaction. Throws GatewayError `not_found`,
 * `invalid_parameter`, `balance_left`, `balance_reserved` or `wallet_unavailable`.
 */
export async function writeOff({ db, redis }: WriteOffServices, actor: Actor, input: WriteOffInput): Promise<number> {
  const { accountId, amountNano } = input;
  await db.transaction((transaction) => requireBalance(transaction, input));
  const withdrawals = new Withdrawals(redis);
  const withdrawal = { id: Bun.randomUUIDv7(), accountId };
  const hold = await withdrawals.setAside(withdrawal, { amountNano, lowestNano: amountNano, holdMs });
  if (!hold.ok) throw hold.reason === 'short' ? reserved() : notReady();
  try {
    return await db.transaction(async (transaction) => {
      await requireBalance(transaction, input);
      return post(transaction, actor, { ...input, id: withdrawal.id });
    });
  } catch (error) {
    await withdrawals.giveBack(withdrawal);
    throw error;
  }
}

/** Locks the account. */
async function requireBalance(transaction: Transaction, { accountId, amountNano }: WriteOffInput): Promise<void> {
  const { balanceNano, deletedAt } = await lockAccount(transaction, accountId);
  if (deletedAt === null) throw notDeleted(accountId);
  if (balanceNano !== amountNano || amountNano <= 0n) throw otherBalance(nanoUsd(balanceNano));
}

async function post(
  transaction: Transaction,
  actor: Actor,
  { id, accountId, amountNano, reason }: WriteOffInput & { readonly id: string },
): Promise<number> {
  const input = { accountId, amountNano, reason: 'Forfeited balance', idempotencyKey: id, holdId: id };
  const { transactionId } = await postWriteOff(transaction, input);
  await recordAction(transaction, actor, {
    action: 'account.write_off',
    subject: `account ${accountId}`,
    accountId,
    reason,
    before: { balance: formatUsd(amountNano) },
    after: { balance: formatUsd(nanoUsd(0n)), transaction: transactionId },
  });
  return transactionId;
}

function notDeleted(accountId: number): GatewayError {
  return new GatewayError('invalid_parameter', `Account ${accountId} is not deleted.`, { param: 'account' });
}

function otherBalance(balanceNano: NanoUsd): GatewayError {
  const balanceUsd = formatUsd(balanceNano);
  return new GatewayError(
    'balance_left',
    `The balance is ${balanceUsd} USD. Send exactly this amount; it must be above 0.`,
    {
      param: 'usd',
      details: { balanceUsd },
    },
  );
}

function reserved(): GatewayError {
  return new GatewayError(
    'balance_reserved',
    'Requests in flight hold part of the balance. Try again in a few minutes.',
  );
}

function notReady(): GatewayError {
  return new GatewayError('wallet_unavailable', 'The wallet is not ready in Redis. Try again in a few seconds.');
}
