/** What metered usage costs at the prices that were frozen into the hold. */
import { costOf, type NanoUsd } from '../../shared/money.ts';
import type { Prices } from '../catalogue/catalogue.ts';
import type { Usage } from './usage.ts';

export function costOfUsage(prices: Prices, usage: Usage): NanoUsd {
  return costOf([
    { tokens: usage.promptTokens - usage.cachedPromptTokens - usage.cacheWriteTokens, price: prices.prompt },
    { tokens: usage.cachedPromptTokens, price: prices.cachedPrompt },
    { tokens: usage.cacheWriteTokens, price: prices.cacheWrite },
    { tokens: usage.completionTokens - usage.reasoningTokens, price: prices.completion },
    { tokens: usage.reasoningTokens, price: prices.reasoning },
  ]);
}
