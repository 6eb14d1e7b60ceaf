/**
 * Rates: a model may have other prices than its usual ones for long prompts (steps), and for requests at another service
 * tier. A whole request is priced by one rate: that of its tier, and of the highest step that its prompt is above.
 */

/** OpenAI's names, which requests and responses have as `service_tier`. */
export const pricedTiers = ['flex', 'priority'] as const;
export type PricedTier = (typeof pricedTiers)[number];
export const usualTier = 'default';
/** That of the lines of batches. No request can ask for it. */
export const batchTier = 'batch';
export const serviceTiers = [usualTier, ...pricedTiers, batchTier] as const;
export type ServiceTier = (typeof serviceTiers)[number];

/** When a rate applies. */
export interface RateCondition {
  readonly tier: ServiceTier;
  /** The prompt has more tokens than this; 0 applies to any prompt. */
  readonly above: number;
}

/** `flex`, `>200000`, `priority>200000`, empty for the usual prices. A charge keeps it, so that its receipt names the rate. */
export function formatRate({ tier, above }: RateCondition): string {
  const named = tier === usualTier ? '' : tier;
  return above === 0 ? named : `${named}>${above}`;
}

/** Undefined for what `formatRate` never writes. */
export function parseRate(text: string): RateCondition | undefined {
  const [name = '', above = '0'] = text.split('>');
  const tier = name === '' ? usualTier : serviceTiers.find((each) => each !== usualTier && each === name);
  if (tier === undefined) return undefined;
  const condition: RateCondition = { tier, above: Number(above) };
  return formatRate(condition) === text ? condition : undefined;
}

/** Undefined where the usual prices apply. A tier without rates has the usual ones. */
export function findRate<Row extends RateCondition>(
  rates: readonly Row[],
  tier: ServiceTier,
  promptTokens: number,
): Row | undefined {
  let found: Row | undefined;
  for (const rate of rates) {
    if (rate.tier !== tier || !isReached(rate, promptTokens)) continue;
    if (found === undefined || rate.above > found.above) found = rate;
  }
  return found;
}

export function isReached({ above }: RateCondition, promptTokens: number): boolean {
  return above === 0 || promptTokens > above;
}
