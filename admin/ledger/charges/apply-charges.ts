/**
 * Books a batch of charges in one transaction: immutable events, one journal whose lines sum to zero, totals, balances.
 * Several batches may run concurrently, even with the same charges.
 */
import type { Sql, TransactionSql } from 'postgres';
import { arrayLiteral } from '../../database/array-literal.ts';
import type { AlertTerms } from '../../notifications/alert-sql.ts';
import { type AccountChange, writeAlerts } from '../../notifications/write-alerts.ts';
import { type CountedCharge, writeBudgetAlerts } from '../../notifications/write-budget-alerts.ts';
import { closedUntil } from '../seals/open-months.ts';
import { bookCompact, isBookedBefore } from './book-compact.ts';
import { bookWithHeads } from './book-with-heads.ts';
import { markDueTopUps } from './mark-due-top-ups.ts';
import { nameValues } from './name-values.ts';
import type { Posting } from './plan-postings.ts';
import type { Charge } from './read-usage-entry.ts';

export interface AppliedBatch {
  /** Charges that changed the ledger. */
  readonly applied: number;
  /** Charges that the ledger already had. */
  readonly duplicates: number;
  /** Charges of accounts that do not exist, or of a request whose month is sealed, or that belongs to another account. */
  readonly unknown: readonly Charge[];
}

interface Batch {
  readonly charges: readonly Charge[];
  readonly terms: AlertTerms | undefined;
}

/** Without terms no alerts are written. */
export async function applyCharges(sql: Sql, charges: readonly Charge[], terms?: AlertTerms): Promise<AppliedBatch> {
  const batch = { charges, terms };
  try {
    return await sql.begin((transaction) => apply(transaction, batch, { assumeNew: true }));
  } catch (error) {
    if (!isBookedBefore(error)) throw error;
    return sql.begin((transaction) => apply(transaction, batch, { assumeNew: false }));
  }
}

async function apply(
  transaction: TransactionSql,
  { charges, terms }: Batch,
  { assumeNew }: { assumeNew: boolean },
): Promise<AppliedBatch> {
  const { isCompact, sealedUntil } = await readState(transaction);
  const open = charges.filter(({ requestId }) => requestId >= sealedUntil);
  const values = await nameValues(transaction, open);
  const { plan, unknown } = isCompact
    ? await bookCompact(transaction, open, { assumeNew, values })
    : await bookWithHeads(transaction, open, values);
  const { postings, differenceByAccount } = plan;
  if (postings.some(({ differenceNano }) => differenceNano !== 0n)) {
    await updateAccounts(transaction, differenceByAccount);
    if (terms !== undefined) {
      await writeAlerts(transaction, changesOf(differenceByAccount), terms);
      await writeBudgetAlerts(transaction, countedOf(postings), terms.at);
      await markDueTopUps(transaction, [...differenceByAccount.keys()], terms.at);
    }
  }
  const refused = [...charges.filter(({ requestId }) => requestId < sealedUntil), ...unknown];
  return { applied: postings.length, duplicates: charges.length - refused.length - postings.length, unknown: refused };
}

async function readState(transaction: TransactionSql): Promise<{ isCompact: boolean; sealedUntil: string }> {
  const [row] = await transaction<{ compact: boolean; until: string }[]>`
    SELECT compact, ${closedUntil(transaction)} AS until FROM ledger_settings`;
  return { isCompact: row?.compact === true, sealedUntil: row?.until ?? '' };
}

async function updateAccounts(transaction: TransactionSql, differences: ReadonlyMap<number, bigint>): Promise<void> {
  await transaction`
    UPDATE accounts SET
      balance_nano = accounts.balance_nano - new.difference,
      spent_nano = accounts.spent_nano + new.difference
    FROM unnest(${arrayLiteral([...differences.keys()])}::bigint[], ${arrayLiteral([...differences.values()])}::bigint[])
      AS new (id, difference)
    WHERE accounts.id = new.id`;
}

const countedOf = (postings: readonly Posting[]): CountedCharge[] =>
  postings.map(({ charge, differenceNano }) => ({ ...charge, differenceNano }));

function changesOf(differences: ReadonlyMap<number, bigint>): AccountChange[] {
  return Array.from(differences, ([accountId, chargedNano]) => ({
    accountId,
    chargedNano,
    formerThresholdKopecks: null,
  }));
}
