/**
 * Puts an account's wallet into Redis from the ledger. Everything sent to Redis comes from one snapshot, so a charge
 * that is booked in between is counted either in the ledger's sums or as an orphan, never twice and never left out.
 */
import type { Sql } from 'postgres';
import type { BookedOrphan, LedgerState, WalletKeeper } from '../../shared/wallet/wallet-keeper.ts';

const attemptsMax = 20;
export const notBooked: BookedOrphan = { rank: 0, chargedNano: 0n };

/** An account's state in one snapshot of the ledger, including what the named orphans were charged. */
export type ReadSnapshot = (accountId: number, orphanIds: readonly string[]) => Promise<LedgerSnapshot | undefined>;
export type LedgerSnapshot = Omit<LedgerState, 'accountId'>;

/** False if there is no such account. */
export function hydrateWallet(services: { sql: Sql; keeper: WalletKeeper }, accountId: number): Promise<boolean> {
  const read: ReadSnapshot = (id, orphanIds) => readSnapshot(services.sql, id, orphanIds);
  return hydrateFrom(read, services.keeper, accountId);
}

export async function hydrateFrom(read: ReadSnapshot, keeper: WalletKeeper, accountId: number): Promise<boolean> {
  for (let attempt = 0; attempt < attemptsMax; attempt += 1) {
    const orphans = await keeper.readOrphans(accountId);
    const snapshot = await read(accountId, orphans);
    if (snapshot === undefined) return false;
    if ((await keeper.hydrate({ accountId, ...snapshot })) !== 'again') return true;
  }
  throw new Error(`account ${accountId}: charges arrive faster than its wallet can be hydrated`);
}

function readSnapshot(sql: Sql, accountId: number, orphanIds: readonly string[]): Promise<LedgerSnapshot | undefined> {
  return sql.begin('ISOLATION LEVEL REPEATABLE READ READ ONLY', async (snapshot) => {
    const [account] = await snapshot<{ credited_nano: string; spent_nano: string; credit_seq: string }[]>`
      SELECT credited_nano, spent_nano, credit_seq FROM accounts WHERE id = ${accountId}`;
    if (account === undefined) return undefined;
    const heads = await snapshot<{ request_id: string; rank: number; charged_nano: string }[]>`
      SELECT request_id, rank, charged_nano FROM charged_requests WHERE request_id = ANY(${[...orphanIds]}::uuid[])`;
    const booked = new Map(
      heads.map((head) => [head.request_id, { rank: head.rank, chargedNano: BigInt(head.charged_nano) }]),
    );
    return {
      creditedNano: BigInt(account.credited_nano),
      spentNano: BigInt(account.spent_nano),
      creditSeq: Number(account.credit_seq),
      orphans: new Map(orphanIds.map((id) => [id, booked.get(id) ?? notBooked])),
    };
  });
}
