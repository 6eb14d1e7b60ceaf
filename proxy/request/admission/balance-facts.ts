/**
 * What a caller needs to know to act on a refusal: what is available, what running requests hold, what this request
 * may cost at most, and the `max_tokens` that would do. Refusals and quotes both take it from here, so they cannot differ.
 */
import { formatUsd, type NanoUsd, tokensWithin } from '../../../shared/money.ts';
import type { Quote } from '../planning/quote.ts';

export interface BalanceFacts {
  readonly available: string;
  readonly held: string;
  readonly maxCost: string;
  /** The largest `max_tokens` that would be accepted now; 0 where none would. */
  readonly affordableMaxTokens: number;
}

/** Amounts are USD, digit by digit. `maxCostNano` is what is held, or would have to be. */
export function balanceFacts(
  wallet: { readonly availableNano: NanoUsd; readonly heldNano: NanoUsd },
  maxCostNano: NanoUsd,
  quote: Quote,
): BalanceFacts {
  return {
    available: formatUsd(wallet.availableNano),
    held: formatUsd(wallet.heldNano),
    maxCost: formatUsd(maxCostNano),
    affordableMaxTokens: affordableCap(wallet.availableNano, quote) ?? 0,
  };
}

export function describeFacts(facts: BalanceFacts): string {
  const parts = [
    `available: $${facts.available}`,
    `held by requests in flight: $${facts.held}`,
    `maximum cost: $${facts.maxCost}`,
  ];
  if (facts.affordableMaxTokens > 0) parts.push(`affordable max_tokens: ${facts.affordableMaxTokens}`);
  return parts.join(', ');
}

/** The largest cap that a client may set itself; undefined where the balance does not cover the prompt alone. */
export function affordableCap(availableNano: NanoUsd, quote: Quote): number | undefined {
  if (availableNano <= 0n) return undefined;
  return tokensWithin(availableNano, {
    parts: quote.fixedParts,
    price: quote.outputPrice,
    tokensMax: quote.largestCap,
  });
}
