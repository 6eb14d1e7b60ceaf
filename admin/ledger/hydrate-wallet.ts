/**
 * Puts an account's wallet into Redis from the ledger. All that is told to Redis comes from one snapshot, so a charge
 * that is booked meanwhile is counted either by the ledger's sums or as an orphan, never twice and never not at all.
 */
import type { Sql } from 'postgres';
import type { WalletKeeper } from '../../shared/wallet/wallet-keeper.ts';

/** Replays of requests that were booked longer ago than this cannot come any more. */
const outcomesKept = '1 hour';
const attemptsMax = 20;

/** False where there is no such account. */
export async function hydrateWallet(services: { sql: Sql; keeper: WalletKeeper }, accountId: number): Promise<boolean> {
  for (let attempt = 0; attempt < attemptsMax; attempt += 1) {
    const orphans = await services.keeper.readOrphans(accountId);
    const state = await readSnapshot(services.sql, accountId, orphans);
    if (state === undefined) return false;
    if ((await services.keeper.hydrate({ accountId, ...state })) !== 'again') return true;
  }
  throw new Error(`account ${accountId}: charges come in faster than its wallet can be hydrated`);
}

function readSnapshot(sql: Sql, accountId: number, orphanIds: readonly string[]) {
  return sql.begin('ISOLATION LEVEL REPEATABLE READ READ ONLY', async (snapshot) => {
    const [account] = await snapshot<{ credited_nano: string; spent_nano: string; credit_seq: string }[]>`
      SELECT credited_nano, spent_nano, credit_seq FROM accounts WHERE id = ${accountId}`;
    if (account === undefined) return undefined;
    const heads = await snapshot<{ request_id: string; charged_nano: string }[]>`
      SELECT request_id, charged_nano FROM usage_requests WHERE request_id = ANY(${[...orphanIds]}::uuid[])`;
    const booked = await snapshot<{ request_id: string; outcome: string }[]>`
      SELECT DISTINCT heads.request_id, heads.rank || ':' || heads.charged_nano AS outcome
      FROM usage_events AS events JOIN usage_requests AS heads USING (request_id)
      WHERE events.account_id = ${accountId} AND events.charged_at > now() - ${outcomesKept}::interval`;
    const charged = new Map(heads.map((head) => [head.request_id, BigInt(head.charged_nano)]));
    return {
      creditedNano: BigInt(account.credited_nano),
      spentNano: BigInt(account.spent_nano),
      creditSeq: Number(account.credit_seq),
      orphans: new Map(orphanIds.map((id) => [id, charged.get(id) ?? 0n])),
      outcomes: new Map(booked.map((row) => [row.request_id, row.outcome])),
    };
  });
}
