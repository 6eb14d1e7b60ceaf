/**
 * Puts the wallets of accounts into Redis from the ledger. Everything sent to Redis comes from one snapshot, so a charge
 * that is booked in between is counted either in the ledger's sums or as an orphan, never twice and never left out.
 */
import type { Sql } from 'postgres';
import type { BookedOrphan, LedgerState, WalletKeeper } from '../../shared/wallet/wallet-keeper.ts';
import { arrayLiteral } from '../database/array-literal.ts';
import { closedUntil } from './seals/open-months.ts';

const attemptsMax = 20;
/** The fewer, the fewer charges arrive meanwhile. */
const accountsAtOnce = 100;
export const notBooked: BookedOrphan = { rank: 0, chargedNano: 0n };
/** Of a month that is over: the ledger has it, even if its rows are archived, or will never book it. */
const decided: BookedOrphan = { rank: 2, chargedNano: 0n };

/** Their request ids, by account. */
export type Orphans = ReadonlyMap<number, readonly string[]>;
export type LedgerSnapshot = Omit<LedgerState, 'accountId'>;
/** The accounts' states in one snapshot of the ledger, including what the named orphans were charged. */
export type ReadSnapshot = (orphans: Orphans) => Promise<ReadonlyMap<number, LedgerSnapshot>>;

/** Of accounts that do not exist, nothing is put there. */
export async function hydrateWallets(
  { sql, keeper }: { sql: Sql; keeper: WalletKeeper },
  accountIds: readonly number[],
): Promise<void> {
  for (let first = 0; first < accountIds.length; first += accountsAtOnce) {
    const some = accountIds.slice(first, first + accountsAtOnce);
    await hydrateFrom((orphans) => readSnapshot(sql, orphans), keeper, some);
  }
}

export async function hydrateFrom(
  read: ReadSnapshot,
  keeper: WalletKeeper,
  accountIds: readonly number[],
): Promise<void> {
  let waiting = accountIds;
  for (let attempt = 0; waiting.length > 0; attempt += 1) {
    if (attempt === attemptsMax)
      throw new Error(`accounts ${waiting.join(', ')}: charges arrive faster than wallets can be hydrated`);
    const orphans = await Promise.all(waiting.map(async (id) => [id, await keeper.readOrphans(id)] as const));
    const again: number[] = [];
    const hydrate = async ([accountId, snapshot]: readonly [number, LedgerSnapshot]) => {
      if ((await keeper.hydrate({ accountId, ...snapshot })) === 'again') again.push(accountId);
    };
    await Promise.all(Array.from(await read(new Map(orphans)), hydrate));
    waiting = again;
  }
}

function readSnapshot(sql: Sql, orphans: Orphans): Promise<ReadonlyMap<number, LedgerSnapshot>> {
  return sql.begin('ISOLATION LEVEL REPEATABLE READ READ ONLY', async (snapshot) => {
    const accounts = await snapshot<{ id: string; credited_nano: string; spent_nano: string; credit_seq: string }[]>`
      SELECT id, credited_nano, spent_nano, credit_seq FROM accounts
      WHERE id = ANY(${arrayLiteral([...orphans.keys()])}::bigint[])`;
    const heads = await snapshot<{ request_id: string; rank: number; charged_nano: string }[]>`
      SELECT request_id, rank, charged_nano FROM charged_requests
      WHERE request_id = ANY(${arrayLiteral([...orphans.values()].flat())}::uuid[])`;
    const [closed] = await snapshot<{ until: string }[]>`SELECT ${closedUntil(snapshot)} AS until`;
    const booked = new Map(
      heads.map((head) => [head.request_id, { rank: head.rank, chargedNano: BigInt(head.charged_nano) }]),
    );
    return new Map(
      accounts.map((account) => {
        const own = orphans.get(Number(account.id)) ?? [];
        return [
          Number(account.id),
          {
            creditedNano: BigInt(account.credited_nano),
            spentNano: BigInt(account.spent_nano),
            creditSeq: Number(account.credit_seq),
            orphans: new Map(
              own.map((id) => [id, booked.get(id) ?? (id < (closed?.until ?? '') ? decided : notBooked)]),
            ),
          },
        ];
      }),
    );
  });
}
