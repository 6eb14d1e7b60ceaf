/** Reconciliation results, as JSON for programs and as text for people. */
import { counted } from '../../../shared/counted.ts';
import { formatUsd, type NanoUsd, nanoUsd } from '../../../shared/money.ts';
import { readingPauseMs } from './reconcile.ts';
import { type Drift, driftKinds, type Reconciliation } from './reconciliation.ts';

/** Amounts are decimal strings of USD. */
export interface DriftReport {
  readonly d1: string;
  readonly d2: string;
  readonly d3: string;
  readonly d4: string;
}

export interface ReconciliationReport {
  readonly ok: boolean;
  readonly accounts: number;
  /** Σ|D| over all accounts. */
  readonly drift: DriftReport;
  readonly violations: readonly {
    readonly kind: string;
    readonly subject: string;
    readonly accountId: number | null;
    readonly amount: string | null;
    readonly message: string;
  }[];
  readonly driftingAccounts: readonly {
    readonly accountId: number;
    readonly email: string | null;
    /** Signed. */
    readonly drift: DriftReport;
  }[];
  readonly undecidedAccounts: number;
}

export function reportOf(reconciliation: Reconciliation): ReconciliationReport {
  const { ok, accounts, drift, drifting, violations, undecided } = reconciliation;
  return {
    ok,
    accounts,
    drift: renderDrift(drift),
    violations: violations.map(({ amountNano, ...violation }) => ({
      ...violation,
      amount: amountNano === null ? null : usd(amountNano),
    })),
    driftingAccounts: drifting.map((account) => ({ ...account, drift: renderDrift(account.drift) })),
    undecidedAccounts: undecided,
  };
}

/** A table of the accounts with drift, the violations, and a closing sentence. */
export function describeReconciliation(reconciliation: Reconciliation): string {
  const { drifting, violations } = reconciliation;
  const blocks: string[] = [];
  if (drifting.length > 0) blocks.push(driftTable(reconciliation));
  if (violations.length > 0) blocks.push(violations.map(({ message }) => `✗ ${message}`).join('\n'));
  blocks.push(closingSentence(reconciliation));
  return blocks.join('\n\n');
}

function driftTable({ drifting }: Reconciliation): string {
  const header = ['ACCOUNT', 'E-MAIL', ...driftKinds.map((kind) => `${kind.toUpperCase()} USD`)];
  const rows = drifting.map(({ accountId, email, drift }) => [
    String(accountId),
    email ?? '',
    ...driftKinds.map((kind) => usd(drift[kind])),
  ]);
  const widths = header.map((_, column) => Math.max(...[header, ...rows].map((row) => row[column]?.length ?? 0)));
  const isText = (column: number) => column === 1;
  const line = (row: readonly string[]) =>
    row
      .map((cell, column) => (isText(column) ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0)))
      .join('  ');
  const meaning = [
    'D1 spent in the ledger less in the wallet; D2 available + held + spent less credited;',
    'D3 held less the open holds; D4 credited in the wallet less in the ledger.',
  ].join('\n');
  return [line(header), ...rows.map(line), '', meaning].join('\n');
}

function closingSentence(reconciliation: Reconciliation): string {
  const { ok, accounts, wallets, undecided, drifting, violations } = reconciliation;
  const scope = `${counted(accounts, 'account')}, ${wallets.toLocaleString('en')} of them with a wallet in Redis`;
  const open = undecided === 0 ? '' : ` ${counted(undecided, 'wallet')} changed too fast to be checked; run it again.`;
  const result = ok
    ? `✓ Every wallet agrees with the ledger, and the ledger obeys its rules: ${scope}.`
    : `✗ ${counted(drifting.length, 'wallet')} with drift and ${counted(violations.length, 'violation')}: ${scope}.`;
  return `${result} A difference counts only if two readings ${readingPauseMs} ms apart agree on it.${open}`;
}

function renderDrift({ d1, d2, d3, d4 }: Drift): DriftReport {
  return { d1: usd(d1), d2: usd(d2), d3: usd(d3), d4: usd(d4) };
}

function usd(nano: bigint): string {
  const amount: NanoUsd = nanoUsd(nano);
  return formatUsd(amount);
}
