/** The cost of a request by class of tokens, and how it becomes the amount that was charged. */
import {
  exactCostOf,
  type NanoUsd,
  nanoUsd,
  type PicoUsd,
  type PicoUsdPerToken,
  picoUsdPerToken,
  roundingOf,
} from '../../../shared/money.ts';
import type { modelPrices } from '../../../shared/tables/catalogue.ts';
import type { usageEvents } from '../../../shared/tables/usage.ts';

export type PriceRow = typeof modelPrices.$inferSelect;
export type UsageEvent = typeof usageEvents.$inferSelect;

export const tokenClasses = ['prompt', 'cachedPrompt', 'cacheWrite', 'completion', 'reasoning'] as const;
export type TokenClass = (typeof tokenClasses)[number];

interface ItemisedPart {
  readonly tokenClass: TokenClass;
  /** Counted in this class and in no other one. */
  readonly tokens: number;
  readonly price: PicoUsdPerToken;
  readonly exact: PicoUsd;
}

/** `exact` + `rounding` − `unchargedNano` = `chargedNano`, always. */
export interface ItemisedCharge {
  readonly parts: readonly ItemisedPart[];
  /** The sum of the parts. */
  readonly exact: PicoUsd;
  /** What rounding up to whole nano-dollars added: less than one. */
  readonly rounding: PicoUsd;
  readonly totalNano: NanoUsd;
  readonly unchargedNano: NanoUsd;
  readonly chargedNano: NanoUsd;
}

export function itemiseCharge(event: UsageEvent, price: PriceRow): ItemisedCharge {
  const tokens = tokensByClass(event);
  const prices = listedPrices(price);
  const parts = tokenClasses.map((tokenClass) => {
    const part = { tokens: tokens[tokenClass], price: prices[tokenClass] };
    return { tokenClass, ...part, exact: exactCostOf([part]) };
  });
  const exact = exactCostOf(parts);
  const totalNano = nanoUsd(event.costNano + event.unchargedNano);
  return {
    parts,
    exact,
    rounding: roundingOf(totalNano, exact),
    totalNano,
    unchargedNano: nanoUsd(event.unchargedNano),
    chargedNano: nanoUsd(event.costNano),
  };
}

/** What customers pay. A class without a price of its own costs as much as the class it belongs to. */
export function listedPrices(price: PriceRow): Record<TokenClass, PicoUsdPerToken> {
  const { promptPico, cachedPromptPico, completionPico } = price;
  return {
    prompt: picoUsdPerToken(promptPico),
    cachedPrompt: picoUsdPerToken(cachedPromptPico),
    cacheWrite: picoUsdPerToken(price.cacheWritePico ?? promptPico),
    completion: picoUsdPerToken(completionPico),
    reasoning: picoUsdPerToken(price.reasoningPico ?? completionPico),
  };
}

/** What the gateway pays, before the markup. */
export function providerPrices(price: PriceRow): Record<TokenClass, PicoUsdPerToken> {
  const { providerPromptPico, providerCachedPromptPico, providerCompletionPico } = price;
  return {
    prompt: picoUsdPerToken(providerPromptPico),
    cachedPrompt: picoUsdPerToken(providerCachedPromptPico),
    cacheWrite: picoUsdPerToken(price.providerCacheWritePico ?? providerPromptPico),
    completion: picoUsdPerToken(providerCompletionPico),
    reasoning: picoUsdPerToken(price.providerReasoningPico ?? providerCompletionPico),
  };
}

/** An event counts cached and written tokens as part of the prompt, and reasoning as part of the completion. */
function tokensByClass(event: UsageEvent): Record<TokenClass, number> {
  const { promptTokens, cachedPromptTokens, cacheWriteTokens, completionTokens, reasoningTokens } = event;
  return {
    prompt: promptTokens - cachedPromptTokens - cacheWriteTokens,
    cachedPrompt: cachedPromptTokens,
    cacheWrite: cacheWriteTokens,
    completion: completionTokens - reasoningTokens,
    reasoning: reasoningTokens,
  };
}
