/**
 * One charge that stands for all those of an account that the ledger has lost, because Postgres was restored to an
 * earlier moment: the wallet still knows their sum, and nothing else does.
 */
import { noUnits } from '../../../shared/usage/billable-units.ts';
import type { AuditedWallet } from '../../../shared/wallet/wallet-auditor.ts';
import type { Charge } from './read-usage-entry.ts';

/** In the place of the model. */
export const recoveredModel = 'recovered-charges';

/** It ends at the wallet's present position, so that the ledger agrees with the wallet from there on. */
export function recoveredCharge(
  accountId: number,
  { epoch, seq, spentNano }: AuditedWallet,
  { lostNano, now }: { lostNano: bigint; now: Date },
): Charge {
  return {
    kind: 'charge',
    requestId: Bun.randomUUIDv7(),
    accountId,
    // Of no key: a key's limit must not be used up by others' requests.
    keyId: 0,
    assignmentId: null,
    rank: 2,
    costNano: lostNano,
    unchargedNano: 0n,
    detail: {
      ...{ model: recoveredModel, deployment: '', priceVersion: 0, ...noUnits },
      ...{ estimated: false, startedAtMs: now.getTime(), variant: '', dimensions: null, repeats: '' },
    },
    epoch,
    walletSeq: seq,
    walletSpentNano: spentNano,
    chargedAt: now,
  };
}
