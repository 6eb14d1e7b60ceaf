/** What was repaired, for programs and for people. */
import { formatUsd, nanoUsd } from '../../shared/money.ts';
import type { Repair } from './repair-wallet.ts';

/** Amounts are decimal strings of USD. */
export function renderRepair({ accountId, before, after }: Repair) {
  return { accountId, before: renderAmounts(before), after: renderAmounts(after) };
}

export function describeRepairs(repairs: readonly Repair[]): string {
  if (repairs.length === 0) return 'No wallet was repaired: no drift that two runs agree on.';
  return repairs.map(describeRepair).join('\n');
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
