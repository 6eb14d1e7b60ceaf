/** The invariants of the books at rest (no request running, nothing on its way), checked over all accounts. */
import type { Harness } from '../harness.ts';
import { waitFor } from './account-view.ts';

const restTimeoutMs = 10_000;

/** Waits until Redis and the ledger agree, then returns every violation found; an empty list is what is wanted. */
export async function violationsAtRest(harness: Harness, accountIds: readonly number[]): Promise<string[]> {
  const { sql } = harness.database;
  await waitFor('Redis and the ledger to agree', restTimeoutMs, async () => {
    const differences = await Promise.all(accountIds.map((id) => differenceOf(harness, id)));
    return differences.every((difference) => difference === 0n);
  });
  const unbalanced = await sql`
    SELECT journal_id FROM ledger_lines GROUP BY journal_id HAVING sum(amount_nano) <> 0`;
  const wrongBalances = await sql`
    SELECT accounts.id FROM accounts LEFT JOIN ledger_lines ON account_id = accounts.id
    GROUP BY accounts.id HAVING accounts.balance_nano <> coalesce(sum(amount_nano), 0)`;
  const wrongRequests = await sql`
    SELECT heads.request_id FROM usage_requests AS heads LEFT JOIN ledger_lines AS lines
      ON lines.request_id = heads.request_id AND lines.book = 'wallet'
    GROUP BY heads.request_id HAVING heads.charged_nano <> -coalesce(sum(lines.amount_nano), 0)`;
  const rejects = await sql`SELECT id, problem FROM usage_rejects`;
  return [
    ...unbalanced.map((row) => `journal ${row.journal_id} does not sum to zero`),
    ...wrongBalances.map((row) => `account ${row.id}: the balance is not the sum of its lines`),
    ...wrongRequests.map((row) => `request ${row.request_id}: its lines are not what it was charged`),
    ...rejects.map((row) => `a usage entry was not booked: ${row.problem}`),
  ];
}

/** What Redis and the ledger differ by, or undefined while something is held. */
async function differenceOf(harness: Harness, accountId: number): Promise<bigint | undefined> {
  const wallet = await harness.keeper.readWallet(accountId);
  const [account] = await harness.database.sql<{ balance_nano: string }[]>`
    SELECT balance_nano FROM accounts WHERE id = ${accountId}`;
  if (wallet === undefined || account === undefined || wallet.heldNano !== 0n) return undefined;
  return wallet.availableNano - BigInt(account.balance_nano);
}
