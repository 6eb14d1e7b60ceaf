/** What metered usage costs, at the prices frozen into the hold. */
import { costOf, type NanoUsd, type PicoUsdPerToken } from '../../shared/money.ts';
import type { Prices } from '../catalogue/catalogue.ts';
import type { Usage } from './usage.ts';

/** The price of an output token of the more expensive class. */
export function maxOutputPrice({ completion, reasoning }: Prices): PicoUsdPerToken {
  return reasoning > completion ? reasoning : completion;
}

export function costOfUsage(prices: Prices, usage: Usage): NanoUsd {
  return costOf([
    { tokens: usage.promptTokens - usage.cachedPromptTokens - usage.cacheWriteTokens, price: prices.prompt },
    { tokens: usage.cachedPromptTokens, price: prices.cachedPrompt },
    { tokens: usage.cacheWriteTokens, price: prices.cacheWrite },
    { tokens: usage.completionTokens - usage.reasoningTokens, price: prices.completion },
    { tokens: usage.reasoningTokens, price: prices.reasoning },
  ]);
}
