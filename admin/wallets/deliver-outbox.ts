/**
 * Delivers what was decided in Postgres to Redis: credits, the state of keys, and that stored responses end. At least once; the scripts are
 * idempotent. A row is locked while it is delivered, and marked in the same transaction. Rows of a topic that this
 * version does not know are left to versions that do.
 */
import type { Sql, TransactionSql } from 'postgres';
import { monotonicMs } from '../../shared/durations.ts';
import { leaseSpanMs } from '../../shared/wallet/lease.ts';
import type { WalletKeeper } from '../../shared/wallet/wallet-keeper.ts';
import { outboxTopics } from '../database/tables/wallets.ts';
import { publishKeys } from '../keys/publish-key.ts';
import { hydrateWallets } from '../ledger/hydrate-wallets.ts';

interface OutboxServices {
  readonly sql: Sql;
  readonly keeper: WalletKeeper;
}

interface ReadingServices {
  readonly sql: TransactionSql;
  readonly keeper: WalletKeeper;
}

interface OutboxRow {
  readonly id: string;
  readonly topic: (typeof outboxTopics)[number];
  readonly account_id: string;
  readonly credit_seq: string | null;
  readonly amount_nano: string | null;
  readonly key_id: string | null;
}

interface Round {
  readonly delivered: number;
  readonly failures: readonly unknown[];
  /** Accounts without a wallet in Redis; their rows stay. */
  readonly withoutWallet: ReadonlySet<number>;
}

const rowsMax = 200;
const roundsMax = 3;
const leasesPollMs = 10;

/**
 * Delivers what has not been delivered, for one account or for all; returns how many rows. For an account it waits for
 * a delivery in progress elsewhere, and for proxies that have leases of a changed key, so that everything is effective when
 * it resolves. Throws the first failure, after the other rows have been tried.
 */
export async function deliverOutbox(services: OutboxServices, accountId?: number): Promise<number> {
  // Admin asks four times a second, and the answer is nearly always no: one statement, before any transaction.
  if (accountId === undefined && !(await isAnyWaiting(services.sql))) return 0;
  let delivered = 0;
  for (let round = 0; round < roundsMax; round += 1) {
    const result = await deliverRound(services, accountId);
    delivered += result.delivered;
    if (result.failures.length > 0) throw result.failures[0];
    if (result.withoutWallet.size === 0) break;
    // A wallet that is being created elsewhere may have been read before the credit: so create it here, then deliver the
    // credit again.
    await hydrateWallets(services, [...result.withoutWallet]);
  }
  if (accountId !== undefined) await whenLeasesReturned(services, accountId);
  return delivered;
}

/**
 * A proxy has heard of a change of a key when it has returned its lease of that key. One that does not, because it is frozen
 * or cut off, begins no request from it after two seconds.
 */
async function whenLeasesReturned({ keeper }: OutboxServices, accountId: number): Promise<void> {
  const until = monotonicMs() + leaseSpanMs;
  while (monotonicMs() < until && (await keeper.countRecalledLeases(accountId)) > 0) await Bun.sleep(leasesPollMs);
}

function deliverRound(services: OutboxServices, accountId: number | undefined): Promise<Round> {
  return services.sql.begin(async (transaction) => {
    const done: string[] = [];
    const failures: unknown[] = [];
    const withoutWallet = new Set<number>();
    // Reads use the transaction's own connection: with pooled ones, as many deliveries as the pool has connections
    // would deadlock.
    const reading = { sql: transaction, keeper: services.keeper };
    const rows = await lockRows(transaction, accountId);
    const published = await publishTogether(reading, rows);
    done.push(...published);
    for (const row of rows.filter(({ id }) => !published.has(id))) {
      try {
        if (await deliver(reading, row)) done.push(row.id);
        else withoutWallet.add(Number(row.account_id));
      } catch (error) {
        failures.push(error);
        await transaction`
          UPDATE outbox SET attempts = attempts + 1, last_error = ${String(error)} WHERE id = ${row.id}`;
      }
    }
    await transaction`UPDATE outbox SET delivered_at = now() WHERE id = ANY(${done}::bigint[])`;
    return { delivered: done.length, failures, withoutWallet };
  });
}

/** All keys at once: a change of an organization is one of each. None if that fails; then each is tried by itself. */
async function publishTogether(services: ReadingServices, rows: readonly OutboxRow[]): Promise<ReadonlySet<string>> {
  const ofKeys = rows.filter(({ topic }) => topic === 'key');
  if (ofKeys.length < 2) return new Set();
  try {
    await publishKeys(services, [...new Set(ofKeys.map(({ key_id }) => Number(key_id)))]);
    return new Set(ofKeys.map(({ id }) => id));
  } catch {
    return new Set();
  }
}

async function isAnyWaiting(sql: Sql): Promise<boolean> {
  const rows = await sql`
    SELECT FROM outbox WHERE delivered_at IS NULL AND topic = ANY(${[...outboxTopics]}) LIMIT 1`;
  return rows.length > 0;
}

function lockRows(transaction: TransactionSql, accountId: number | undefined) {
  return accountId === undefined
    ? transaction<OutboxRow[]>`
        SELECT id, topic, account_id, credit_seq, amount_nano, key_id FROM outbox
        WHERE delivered_at IS NULL AND topic = ANY(${[...outboxTopics]}) ORDER BY id LIMIT ${rowsMax} FOR UPDATE SKIP LOCKED`
    : transaction<OutboxRow[]>`
        SELECT id, topic, account_id, credit_seq, amount_nano, key_id FROM outbox
        WHERE delivered_at IS NULL AND topic = ANY(${[...outboxTopics]}) AND account_id = ${accountId}
        ORDER BY id FOR UPDATE`;
}

/** False if the account has no wallet to be credited. */
async function deliver(services: ReadingServices, row: OutboxRow): Promise<boolean> {
  if (row.topic === 'credit') return deliverCredit(services, Number(row.account_id), Number(row.credit_seq));
  if (row.topic === 'key') await publishKeys(services, [Number(row.key_id)]);
  else await services.keeper.removeResponses(Number(row.account_id));
  return true;
}

/** Sends the credit; if the wallet is behind, the credits it has missed first. */
async function deliverCredit(services: ReadingServices, accountId: number, creditSeq: number): Promise<boolean> {
  const rows = await services.sql<{ credit_seq: string; amount_nano: string; hold_id: string | null }[]>`
    SELECT credit_seq, amount_nano, hold_id FROM outbox
    WHERE topic = 'credit' AND account_id = ${accountId} AND credit_seq <= ${creditSeq} ORDER BY credit_seq DESC`;
  const missed: Parameters<WalletKeeper['credit']>[0][] = [];
  for (const row of rows) {
    const [creditSeq, amountNano] = [Number(row.credit_seq), BigInt(row.amount_nano)];
    const credit = { accountId, creditSeq, amountNano, holdId: row.hold_id };
    const result = await services.keeper.credit(credit);
    if (result === 'wallet_missing') return false;
    if (result !== 'gap') break;
    missed.push(credit);
  }
  for (const credit of missed.reverse()) await services.keeper.credit(credit);
  return true;
}
