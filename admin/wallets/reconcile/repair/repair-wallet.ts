/**
 * Sets one wallet to the ledger's state, and records what was done and why. The ledger itself is never changed.
 *
 * The wallet is read first, then what is waiting in its stream, then the ledger: so every charge of the wallet is
 * counted once, as booked or as waiting. The wallet's version guards the rest; any charge, hold or credit that changes
 * the wallet in between restarts the repair.
 */
import type { TransactionSql } from 'postgres';
import type { AuditedWallet, WalletAuditor } from '../../../../shared/wallet/wallet-auditor.ts';
import { subjectOf } from '../../../database/advisory-locks.ts';
import { type Actor, recordActionIn } from '../../../operations/audit/record-action.ts';
import type { ReconcileServices } from '../checks/take-readings.ts';
import { type Repair, renderRepair, type WalletAmounts } from './render-repairs.ts';
import { readTarget, readWaitingCharges, type WalletTarget } from './wallet-target.ts';
import { type Moving, whileMoving } from './while-moving.ts';

export interface RepairInput extends Moving {
  readonly reason: string;
  /** The operator. */
  readonly actor: Actor;
  /** Records a repair even if there is nothing to correct: it explains gaps in the numbers of the wallet's charges. */
  readonly evenIfRight?: boolean;
}

/** Undefined if there is no wallet, or nothing to repair. Throws WalletMovedError. */
export function repairWallet({ sql, auditor }: ReconcileServices, input: RepairInput): Promise<Repair | undefined> {
  // The row is committed right after the wallet was set: a repair without its row is possible only if Postgres fails
  // at that very moment, and a row without its repair never is.
  return whileMoving(input, () =>
    sql.begin(async (transaction) => {
      // Of two repairs of one account, the second waits for the first and then finds nothing to do.
      await transaction`SELECT pg_advisory_xact_lock(hashtextextended(${subjectOf('repair of account', input.accountId)}, 0))`;
      return attemptRepair({ sql: transaction, auditor }, input);
    }),
  );
}

async function attemptRepair(
  { sql, auditor }: { sql: TransactionSql; auditor: WalletAuditor },
  input: RepairInput,
): Promise<Repair | undefined | 'moved'> {
  const { accountId } = input;
  const wallet = await auditor.readWallet(accountId);
  if (wallet === undefined) return undefined;
  const target = await readTarget(sql, accountId, await readWaitingCharges(auditor, accountId));
  if (target === undefined || (isRight(wallet, target) && input.evenIfRight !== true)) return undefined;
  const result = await auditor.rebase({ accountId, version: wallet.version, ...target });
  if (!result.ok) return result.reason === 'moved' ? 'moved' : undefined;
  const { availableNano, heldNano } = result;
  const repair = { accountId, before: amountsOf(wallet), after: { ...target, availableNano, heldNano } };
  await insertRepair(sql, input, wallet, repair);
  return repair;
}

function isRight(wallet: AuditedWallet, target: WalletTarget): boolean {
  return (
    wallet.orphans === 0 &&
    wallet.heldNano === wallet.openHoldsNano &&
    wallet.spentNano === target.spentNano &&
    wallet.creditedNano === target.creditedNano &&
    wallet.creditSeq === target.creditSeq &&
    wallet.availableNano === target.creditedNano - target.spentNano - wallet.openHoldsNano
  );
}

function amountsOf(wallet: AuditedWallet): WalletAmounts {
  const { availableNano, heldNano, spentNano, creditedNano, creditSeq } = wallet;
  return { availableNano, heldNano, spentNano, creditedNano, creditSeq };
}

async function insertRepair(
  sql: TransactionSql,
  { reason, actor }: RepairInput,
  { epoch, seq }: AuditedWallet,
  repair: Repair,
): Promise<void> {
  const { accountId, before, after } = repair;
  const repairedBy = `${actor.name}@${actor.address ?? 'unknown'}`;
  await sql`
    INSERT INTO repairs (account_id, before, after, reason, repaired_by, epoch, wallet_seq) VALUES (
      ${accountId}, ${sql.json(asJson(before))}, ${sql.json(asJson(after))}, ${reason}, ${repairedBy}, ${epoch}, ${seq}
    )`;
  const subject = `wallet of account ${accountId}`;
  await recordActionIn(sql, actor, { action: 'wallet.repair', subject, reason, ...renderRepair(repair) });
}

/** Amounts as strings: a JSON number would round them. */
function asJson(amounts: WalletAmounts): Record<string, string> {
  return Object.fromEntries(Object.entries(amounts).map(([name, amount]) => [name, String(amount)]));
}
