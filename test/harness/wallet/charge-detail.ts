/** A charge detail for tests that do not care about it. */
import type { ChargeDetail } from '../../../shared/usage/charge-detail.ts';

export function detailOf(change: Partial<ChargeDetail> = {}): ChargeDetail {
  return {
    model: 'test/chat',
    deployment: 'test/upstream',
    priceVersion: 1,
    promptTokens: 1,
    cachedPromptTokens: 0,
    cacheWriteTokens: 0,
    completionTokens: 1,
    reasoningTokens: 0,
    estimated: false,
    startedAtMs: 1_763_750_000_000,
    ...change,
  };
}
