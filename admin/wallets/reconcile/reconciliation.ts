/** The result of reconciling: wallets that differ from the ledger, and violated rules of the ledger. */

/**
 * How a wallet in Redis differs from the ledger in Postgres. All are zero if all is well, also under traffic.
 *
 * - d1: `spent` in Postgres after a charge, less the wallet's `spent` after the same charge
 * - d2: `available` + `held` + `spent` − `credited` in the wallet
 * - d3: `held` less the sum of the open holds
 * - d4: `credited` in the wallet less in Postgres, at the same number of credits
 */
export interface Drift {
  readonly d1: bigint;
  readonly d2: bigint;
  readonly d3: bigint;
  readonly d4: bigint;
}

export const driftKinds = ['d1', 'd2', 'd3', 'd4'] as const satisfies readonly (keyof Drift)[];

export interface AccountDrift {
  readonly accountId: number;
  readonly email: string | null;
  /** In nano-USD, signed. */
  readonly drift: Drift;
}

export type ViolationKind =
  | 'journal_unbalanced'
  | 'balance_wrong'
  | 'credited_wrong'
  | 'spent_wrong'
  | 'request_wrong'
  | 'archive_wrong'
  | 'seal_broken'
  | 'usage_rejected'
  | 'charge_missing'
  | 'credit_missing'
  | 'orphan_left'
  | 'budget_wrong'
  | 'dimension_wrong'
  | RequestFaultKind;

/**
 * - hold_of_booked_request: a request still holds money although the ledger has charged it
 * - hold_overstated: a request would be charged more than it holds if its proxy died now
 * - estimate_differs: the estimate in Redis differs from the one that the ledger has booked
 */
export type RequestFaultKind = 'hold_of_booked_request' | 'hold_overstated' | 'estimate_differs';

/** State of a request in Redis that should not be there. */
export interface RequestFault {
  readonly kind: RequestFaultKind;
  readonly requestId: string;
  readonly accountId: number;
  /** The difference, in nano-USD. */
  readonly amountNano: bigint;
  /** The ledger's state, as `rank:cost`; undefined if it has none. */
  readonly booked: string | undefined;
}

export interface Scope {
  /** All accounts where undefined. */
  readonly accountId: number | undefined;
}

/** For each rule; more would not help. */
export const violationsMax = 1_000;

/** A violated rule of the ledger. */
export interface Violation {
  readonly kind: ViolationKind;
  /** What it is about: `journal 17`. */
  readonly subject: string;
  readonly accountId: number | null;
  /** The difference, if there is one. */
  readonly amountNano: bigint | null;
  /** A sentence for the operator. */
  readonly message: string;
}

export interface Reconciliation {
  /** No drift and no violation. */
  readonly ok: boolean;
  /** Accounts in Postgres that were checked. */
  readonly accounts: number;
  /** Those that have a wallet in Redis; the others get theirs when they need it. */
  readonly wallets: number;
  /** Wallets that changed too fast for two readings to agree; not counted as drift. */
  readonly undecided: number;
  /** Sums of the absolute differences, in nano-USD. */
  readonly drift: Drift;
  readonly drifting: readonly AccountDrift[];
  readonly violations: readonly Violation[];
  /** Also counted among the violations. */
  readonly requestFaults: readonly RequestFault[];
}

export function hasDrift(drift: Drift): boolean {
  return driftKinds.some((kind) => drift[kind] !== 0n);
}

/** Σ|D| of each kind. */
export function sumOfDrift(drifting: readonly AccountDrift[]): Drift {
  const sumOf = (kind: keyof Drift) =>
    drifting.reduce((sum, { drift }) => sum + (drift[kind] < 0n ? -drift[kind] : drift[kind]), 0n);
  return { d1: sumOf('d1'), d2: sumOf('d2'), d3: sumOf('d3'), d4: sumOf('d4') };
}
