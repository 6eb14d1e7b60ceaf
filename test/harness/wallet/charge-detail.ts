/** A charge detail for tests that do not care about it. */
import { noUnits } from '../../../shared/usage/billable-units.ts';
import type { ChargeDetail } from '../../../shared/usage/charge-detail.ts';

export function detailOf(change: Partial<ChargeDetail> = {}): ChargeDetail {
  return {
    ...noUnits,
    model: 'test/chat',
    deployment: 'test/upstream',
    priceVersion: 1,
    promptTokens: 1,
    completionTokens: 1,
    estimated: false,
    variant: '',
    dimensions: null,
    repeats: '',
    startedAtMs: 1_763_750_000_000,
    ...change,
  };
}
