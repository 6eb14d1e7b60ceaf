/** The result of repairs, to wallets and to requests, rendered for programs and for people. */
import { formatUsd, nanoUsd } from '../../../../shared/money.ts';
import type { RequestFault } from '../reconciliation.ts';
import type { WalletTarget } from './wallet-target.ts';

export interface RepairOutcome {
  readonly repairs: readonly Repair[];
  readonly repairedRequests: readonly RequestFault[];
}

export interface Repair {
  readonly accountId: number;
  readonly before: WalletAmounts;
  readonly after: WalletAmounts;
}

export interface WalletAmounts extends WalletTarget {
  readonly availableNano: bigint;
  readonly heldNano: bigint;
}

/** Amounts are decimal strings of USD. */
export function renderRepair({ accountId, before, after }: Repair) {
  return { accountId, before: renderAmounts(before), after: renderAmounts(after) };
}

export function renderRequestRepair({ kind, requestId, accountId, amountNano }: RequestFault) {
  return { kind, requestId, accountId, amount: formatUsd(nanoUsd(amountNano)) };
}

export function describeRepairs({ repairs, repairedRequests }: RepairOutcome): string {
  if (repairs.length === 0 && repairedRequests.length === 0) {
    return 'Nothing was repaired: no fault was found by both runs.';
  }
  return [...repairedRequests.map(describeRequestRepair), ...repairs.map(describeRepair)].join('\n');
}

const requestRepairs: Record<RequestFault['kind'], string> = {
  hold_of_booked_request: 'its hold was released',
  hold_overstated: 'its progress was lowered to what it holds',
  estimate_differs: 'its estimate was set to the one in the ledger',
};

function describeRequestRepair({ kind, requestId, accountId }: RequestFault): string {
  return `Repaired request ${requestId} of account ${accountId}: ${requestRepairs[kind]}.`;
}

function describeRepair({ accountId, before, after }: Repair): string {
  const from = renderAmounts(before);
  const to = renderAmounts(after);
  const changes = (['available', 'held', 'spent', 'credited'] as const)
    .filter((name) => from[name] !== to[name])
    .map((name) => `${name} $${from[name]} → $${to[name]}`);
  return `Repaired the wallet of account ${accountId}: ${changes.join(', ') || 'its number of credits'}.`;
}

function renderAmounts({ availableNano, heldNano, spentNano, creditedNano }: Repair['before']) {
  return {
    available: formatUsd(nanoUsd(availableNano)),
    held: formatUsd(nanoUsd(heldNano)),
    spent: formatUsd(nanoUsd(spentNano)),
    credited: formatUsd(nanoUsd(creditedNano)),
  };
}
