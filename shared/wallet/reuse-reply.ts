/** The parsed reply of reuse.lua: whether a request may be answered with a stored response. */
import { type DimensionName, decodeDimensionNames } from '../usage/dimension-names.ts';
import type { RateStatuses } from './key-limits.ts';
import {
  type KeyRefusal,
  type LimitedRefusal,
  type OtherRules,
  type RefusalFacts,
  readKeyRefusal,
  readLimited,
  readOtherRules,
  readRates,
  readRefusalFacts,
} from './reserve-reply.ts';
import type { Reply } from './script.ts';

/** What its charge of nothing is attributed to. */
export interface ReuseGrant {
  readonly ok: true;
  readonly accountId: number;
  readonly keyId: number;
  readonly assignment: string;
  readonly dimensions: readonly DimensionName[] | undefined;
  readonly epoch: string;
  readonly rates: RateStatuses;
}

export type ReuseRefusal = (
  | KeyRefusal
  | LimitedRefusal
  | { readonly ok: false; readonly reason: 'model_not_allowed' | 'wallet_missing' }
) &
  RefusalFacts;

export function readReuseReply(reply: Reply): ReuseGrant | ReuseRefusal | OtherRules {
  switch (reply.status) {
    case 'OK':
      return {
        ok: true,
        accountId: Number(reply.account),
        keyId: Number(reply.key),
        assignment: reply.assignment ?? '',
        dimensions: decodeDimensionNames(reply.dimensions),
        epoch: reply.epoch ?? '',
        rates: readRates(reply),
      };
    case 'LIMITED':
      return { ...readLimited(reply), ...readRefusalFacts(reply) };
    case 'MODEL_NOT_ALLOWED':
      return { ok: false, reason: 'model_not_allowed' };
    case 'MISS':
      return { ok: false, reason: 'wallet_missing' };
    case 'OTHER_RULES':
      return readOtherRules(reply);
    default:
      return readKeyRefusal(reply);
  }
}
