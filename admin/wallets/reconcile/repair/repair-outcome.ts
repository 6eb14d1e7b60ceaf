/** The result of repairs, to wallets and to requests. */
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
