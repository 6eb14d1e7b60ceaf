/**
 * Decides what a batch of charges changes, given what each request was charged before. Pure: only (request, rank)
 * matters, so duplicates, reordering, and an estimate that races its final cost are all harmless.
 */
import type { Charge } from './read-usage-entry.ts';

/** What the ledger has for a request: rank 0 is nothing yet. */
export interface Head {
  readonly rank: number;
  readonly chargedNano: bigint;
}

export interface Posting {
  readonly charge: Charge;
  /** What the account is charged now; negative if an estimate was too high. */
  readonly differenceNano: bigint;
  /** The rank of the charge it replaces; 0 if the request had not been charged. */
  readonly earlierRank: number;
}

export interface PostingPlan {
  /** In the order of the stream; charges that change nothing are left out. */
  readonly postings: readonly Posting[];
  readonly heads: ReadonlyMap<string, Head>;
  readonly differenceByAccount: ReadonlyMap<number, bigint>;
}

/** What was booked of a batch. */
export interface BookedBatch {
  readonly plan: PostingPlan;
  /** Charges of accounts that do not exist, or of a request that belongs to another account. */
  readonly unknown: readonly Charge[];
}

export function planPostings(charges: readonly Charge[], before: ReadonlyMap<string, Head>): PostingPlan {
  const heads = new Map<string, Head>();
  const differenceByAccount = new Map<number, bigint>();
  const postings: Posting[] = [];
  for (const charge of charges) {
    const head = heads.get(charge.requestId) ?? before.get(charge.requestId) ?? { rank: 0, chargedNano: 0n };
    if (charge.rank <= head.rank) continue;
    const differenceNano = charge.costNano - head.chargedNano;
    heads.set(charge.requestId, { rank: charge.rank, chargedNano: charge.costNano });
    differenceByAccount.set(charge.accountId, (differenceByAccount.get(charge.accountId) ?? 0n) + differenceNano);
    postings.push({ charge, differenceNano, earlierRank: head.rank });
  }
  return { postings, heads, differenceByAccount };
}
