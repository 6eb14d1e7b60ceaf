/**
 * Distinguishes drift from money that is still on its way, by two readings of one account. Pure. Both readings must
 * agree on a difference; otherwise it is undecided.
 */
import { counted } from '../../../../shared/counted.ts';
import type { Drift, Violation } from '../reconciliation.ts';
import type { BookedCharge } from './read-ledger-accounts.ts';
import type { Reading } from './take-readings.ts';

export interface Verdict {
  /** Undecided differences count as zero here. */
  readonly drift: Drift;
  readonly decided: boolean;
  readonly missing: readonly Violation[];
}

/** Whether one reading is suspicious; most accounts' are not. */
export function isInconsistent({ wallet, ledger, chargesWait }: Reading): boolean {
  return (
    chargesWait ||
    wallet.orphans > 0 ||
    ledger.spentNano !== wallet.spentNano ||
    ledger.creditSeq !== wallet.creditSeq ||
    ledger.creditedNano !== wallet.creditedNano ||
    walletDifference({ wallet }) !== 0n ||
    heldDifference({ wallet }) !== 0n
  );
}

export function compareReadings(accountId: number, first: Reading, second: Reading): Verdict {
  const differences = {
    d1: isQuiet(first, second) ? second.ledger.spentNano - second.wallet.spentNano : agreed(first, second, sinceCharge),
    d2: agreed(first, second, walletDifference),
    d3: agreed(first, second, heldDifference),
    d4: agreed(first, second, creditDifference),
  };
  const { d1 = 0n, d2 = 0n, d3 = 0n, d4 = 0n } = differences;
  return {
    drift: { d1, d2, d3, d4 },
    decided: Object.values(differences).every((difference) => difference !== undefined),
    missing: [
      ...missingCharges(accountId, first, second),
      ...missingCredits(accountId, first, second),
      ...leftOrphans(accountId, first, second),
    ],
  };
}

function agreed(first: Reading, second: Reading, difference: (reading: Reading) => bigint | undefined) {
  const value = difference(second);
  return value === difference(first) ? value : undefined;
}

/** Nothing was charged or booked between the readings, so both sides of `spent` can be compared directly. */
function isQuiet(first: Reading, second: Reading): boolean {
  return (
    !first.chargesWait &&
    !second.chargesWait &&
    first.wallet.epoch === second.wallet.epoch &&
    first.wallet.seq === second.wallet.seq &&
    first.wallet.spentNano === second.wallet.spentNano &&
    first.ledger.spentNano === second.ledger.spentNano
  );
}

/** D1 of an account that is being charged: both sides as they were after the newest booked charge. */
function sinceCharge({ wallet, ledger }: Reading): bigint | undefined {
  const { newestCharge, repairedAt } = ledger;
  if (newestCharge === undefined || newestCharge.epoch !== wallet.epoch) return undefined;
  const beforeRepair = repairedAt?.epoch === newestCharge.epoch && newestCharge.seq <= repairedAt.seq;
  return beforeRepair ? undefined : ledger.spentNano - newestCharge.spentNano;
}

function walletDifference({ wallet }: Pick<Reading, 'wallet'>): bigint {
  return wallet.availableNano + wallet.heldNano + wallet.spentNano - wallet.creditedNano;
}

function heldDifference({ wallet }: Pick<Reading, 'wallet'>): bigint {
  return wallet.heldNano - wallet.openHoldsNano;
}

/** If the wallet has had fewer credits than the ledger, the others are on their way. */
function creditDifference({ wallet, ledger }: Reading): bigint {
  return wallet.creditSeq === ledger.creditSeq ? wallet.creditedNano - ledger.creditedNano : 0n;
}

/** Charges after the newest booked one that are not waiting in the stream either; earlier gaps are found by SQL. */
function missingCharges(accountId: number, first: Reading, second: Reading): Violation[] {
  const { wallet, ledger } = second;
  const { newestCharge, repairedAt } = ledger;
  if (!isQuiet(first, second) || newestCharge === undefined || newestCharge.epoch !== wallet.epoch) return [];
  const known = repairedAt?.epoch === wallet.epoch ? Math.max(newestCharge.seq, repairedAt.seq) : newestCharge.seq;
  return wallet.seq > known ? [missingCharge({ accountId, after: known, last: wallet.seq, at: newestCharge })] : [];
}

/** Charges number `after` + 1 to `last` of a wallet are neither in the ledger nor in the stream. */
export function missingCharge(gap: {
  accountId: number;
  after: number;
  last: number;
  at: Pick<BookedCharge, 'epoch'>;
}): Violation {
  const { accountId, after, last, at } = gap;
  const charges = after + 1 === last ? `charge ${last}` : `charges ${after + 1} to ${last}`;
  return {
    kind: 'charge_missing',
    subject: `account ${accountId}`,
    accountId,
    amountNano: null,
    message: `Account ${accountId}: ${charges} of its wallet in epoch ${at.epoch} never reached the ledger.`,
  };
}

/** The wallet lacks a credit that is no longer queued for delivery. */
function missingCredits(accountId: number, first: Reading, second: Reading): Violation[] {
  const lacks = ({ wallet, ledger }: Reading) => wallet.creditSeq !== ledger.creditSeq && !ledger.creditOnItsWay;
  const moved =
    first.wallet.creditSeq !== second.wallet.creditSeq || first.ledger.creditSeq !== second.ledger.creditSeq;
  if (moved || !lacks(first) || !lacks(second)) return [];
  const { wallet, ledger } = second;
  const message = `Account ${accountId}: its wallet has ${counted(wallet.creditSeq, 'credit')}, but the ledger has ${ledger.creditSeq}, and none is pending.`;
  const amountNano = wallet.creditedNano - ledger.creditedNano;
  return [{ kind: 'credit_missing', subject: `account ${accountId}`, accountId, amountNano, message }];
}

/** Orphans that the ledger has decided about without notifying the wallet. */
function leftOrphans(accountId: number, first: Reading, second: Reading): Violation[] {
  const isLeft = ({ wallet, chargesWait }: Reading) => wallet.orphans > 0 && !chargesWait;
  if (!isLeft(first) || !isLeft(second)) return [];
  const { orphans } = second.wallet;
  const charges = counted(orphans, 'charge');
  const message = `Account ${accountId}: its wallet never received the ledger's decision about ${charges}.`;
  return [{ kind: 'orphan_left', subject: `account ${accountId}`, accountId, amountNano: null, message }];
}
