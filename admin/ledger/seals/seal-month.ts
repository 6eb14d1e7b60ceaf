/**
 * Seals a month: freezes its partitions, hashes their rows block by block, and stores what each account had at its end. A run
 * that was killed at any point is continued by the next one.
 */
import type { Sql } from 'postgres';
import { arrayLiteral } from '../../database/array-literal.ts';
import { withShortLock } from '../../database/short-lock.ts';
import type { LedgerMonth } from '../months.ts';
import { sealedColumns, sealFormat } from './row-text.ts';
import { hashSeal, readBlocks, readSeals, type Seal, type SealedAccount } from './seal.ts';
import { type SealedRows, sealedRowsOf } from './sealed-rows.ts';
import { readEarlyLines, sumAccounts } from './sum-accounts.ts';

/** What tests end the run at. */
type OnStep = (step: 'frozen' | 'block' | 'finished') => void;

export interface SealWork {
  readonly sql: Sql;
  readonly onStep?: OnStep;
  readonly rowsInBlock?: number;
  readonly signal?: AbortSignal | undefined;
}

/** All months before must be sealed. Returns the seal's hash. */
export async function sealMonth(
  { sql, onStep = () => {}, rowsInBlock, signal }: SealWork,
  month: LedgerMonth,
): Promise<string> {
  const { seal, previous } = await beginSeal(sql, month);
  await withShortLock(sql, async (transaction) => {
    const partitions = await transaction<{ name: string }[]>`
      SELECT name FROM unnest(ARRAY[${month.lines}, ${month.events}, ${month.heads}]) AS name
      WHERE to_regclass(name) IS NOT NULL`;
    for (const { name } of partitions) await transaction`SELECT freeze_partition(${name})`;
  });
  onStep('frozen');
  const parts = await sealedRowsOf({ sql, month, columns: seal.columns, rowsInBlock });
  for (const rows of parts) await hashBlocks({ sql, onStep, signal }, month, rows);
  const accounts = await sumAccounts(sql, { previous, parts, early: await readEarlyLines(sql, month) });
  const hash = await finishSeal(sql, seal, accounts);
  onStep('finished');
  return hash;
}

/** From now on, nothing more is booked for the requests of the month. */
async function beginSeal(sql: Sql, month: LedgerMonth): Promise<{ seal: Seal; previous: Seal | undefined }> {
  const sealed = (await readSeals(sql)).filter(({ hash }) => hash !== null);
  const previous = sealed.at(-1);
  await sql`
    INSERT INTO sealed_months (month, from_id, until_id, format, columns, previous_hash)
    VALUES (${month.month}, ${month.fromId}, ${month.untilId}, ${sealFormat},
      ${JSON.stringify(sealedColumns())}::text::jsonb, ${previous?.hash ?? ''})
    ON CONFLICT DO NOTHING`;
  const seal = (await readSeals(sql)).at(-1);
  if (seal?.month.month !== month.month || seal.hash !== null) throw new Error(`${month.month} cannot be sealed now`);
  return { seal, previous };
}

/** Continues after the blocks that are there. */
async function hashBlocks(
  { sql, onStep, signal }: Required<Pick<SealWork, 'sql' | 'onStep'>> & Pick<SealWork, 'signal'>,
  month: LedgerMonth,
  rows: SealedRows,
): Promise<void> {
  const { part } = rows;
  const made = (await readBlocks(sql, month)).filter((block) => block.part === part);
  let [after, number] = [made.at(-1)?.lastKey, made.length];
  for (;;) {
    signal?.throwIfAborted();
    const until = await rows.endOfBlock(after);
    if (until === undefined) return;
    const { rows: count, hash } = await rows.hash({ after, until });
    await sql`
      INSERT INTO sealed_blocks (month, part, number, last_key, rows, hash)
      VALUES (${month.month}, ${part}, ${number}, ${until}, ${count}, ${hash})`;
    onStep('block');
    after = until;
    number += 1;
  }
}

async function finishSeal(sql: Sql, seal: Seal, accounts: ReadonlyMap<number, SealedAccount>): Promise<string> {
  const { month } = seal;
  const blocks = await readBlocks(sql, month);
  const hash = hashSeal(seal, blocks, accounts);
  const rowsOf = (part: string) => blocks.reduce((sum, block) => sum + (block.part === part ? block.rows : 0), 0);
  const sums = [...accounts.values()];
  await sql.begin(async (transaction) => {
    await transaction`
      INSERT INTO sealed_accounts (month, account_id, balance_nano, end_balance_nano, credited_nano)
      SELECT ${month.month}, unnest(${arrayLiteral([...accounts.keys()])}::bigint[]),
        unnest(${arrayLiteral(sums.map(({ balanceNano }) => balanceNano))}::bigint[]),
        unnest(${arrayLiteral(sums.map(({ endBalanceNano }) => endBalanceNano))}::bigint[]),
        unnest(${arrayLiteral(sums.map(({ creditedNano }) => creditedNano))}::bigint[])`;
    const [events] = await transaction`SELECT WHERE to_regclass(${month.events}) IS NOT NULL`;
    if (events !== undefined) {
      await transaction`
        INSERT INTO archived_positions (account_id, epoch, wallet_seq)
        SELECT account_id, epoch, max(wallet_seq) FROM ${transaction(month.events)} WHERE wallet_seq IS NOT NULL
        GROUP BY account_id, epoch
        ON CONFLICT (account_id, epoch)
        DO UPDATE SET wallet_seq = greatest(archived_positions.wallet_seq, excluded.wallet_seq)`;
    }
    await transaction`
      UPDATE sealed_months SET lines = ${rowsOf('lines')}, events = ${rowsOf('events')}, hash = ${hash}, finished_at = now()
      WHERE month = ${month.month}`;
  });
  return hash;
}
