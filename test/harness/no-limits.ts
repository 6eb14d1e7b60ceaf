/** Keys without limits and without spending, as /api shows them. */
import { perRateLimit } from '../../shared/limits/rate-limits.ts';
import { spendLimits, windowedLimits } from '../../shared/limits/spend-limits.ts';
import { recordOf } from '../../shared/members.ts';

export const noLimits = {
  allowedModels: null,
  spendLimits: {
    ...recordOf(spendLimits, ({ name }) => [name, null]),
    ...recordOf(spendLimits, ({ name }) => [`${name}Usd`, null]),
  },
  rateLimits: perRateLimit(() => null),
};

export const nothingSpent = {
  ...recordOf(windowedLimits, ({ spent }) => [spent.name, 0]),
  ...recordOf(windowedLimits, ({ spent }) => [`${spent.name}Usd`, '0']),
};
