/** What reconciling finds: wallets that differ from the ledger, and rules of the ledger that do not hold. */

/**
 * How a wallet in Redis differs from the ledger in Postgres. All are zero when all is well, also under traffic.
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
  | 'usage_rejected'
  | 'charge_missing'
  | 'credit_missing'
  | 'orphan_left'
  | RequestFaultKind;

/**
 * - hold_of_booked_request: a request holds money although the ledger has charged it
 * - hold_overstated: a request would be charged more than it holds if its proxy died now
 * - estimate_differs: Redis remembers another estimate than the one that the ledger has booked
 */
export type RequestFaultKind = 'hold_of_booked_request' | 'hold_overstated' | 'estimate_differs';

/** What Redis has of a request, and should not. */
export interface RequestFault {
  readonly kind: RequestFaultKind;
  readonly requestId: string;
  readonly accountId: number;
  /** By how much, in nano-USD. */
  readonly amountNano: bigint;
  /** What the ledger has, as `rank:cost`; undefined where it has nothing. */
  readonly booked: string | undefined;
}

export interface Scope {
  /** All accounts where undefined. */
  readonly accountId: number | undefined;
}

/** Of each rule; more would help nobody. */
export const violationsMax = 1_000;

/** A rule of the ledger that does not hold. */
export interface Violation {
  readonly kind: ViolationKind;
  /** What it is about: `journal 17`. */
  readonly subject: string;
  readonly accountId: number | null;
  /** By how much, where that can be told. */
  readonly amountNano: bigint | null;
  /** A sentence for the operator. */
  readonly message: string;
}

export interface Reconciliation {
  /** No drift and no violation. */
  readonly ok: boolean;
  /** Accounts in Postgres that were looked at. */
  readonly accounts: number;
  /** Those of them that have a wallet in Redis; the others get theirs when they need it. */
  readonly wallets: number;
  /** Wallets that changed too fast for two readings to agree; not counted as drift. */
  readonly undecided: number;
  /** Sums of the absolute differences, in nano-USD. */
  readonly drift: Drift;
  readonly drifting: readonly AccountDrift[];
  readonly violations: readonly Violation[];
  /** They are among the violations. */
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
