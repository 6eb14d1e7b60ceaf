/** The classes of tokens that have a price, and what is counted one by one. */

/** In the order in which they are shown. */
export const tokenClasses = [
  'prompt',
  'cachedPrompt',
  'cacheWrite',
  'cacheWrite1h',
  'completion',
  'reasoning',
] as const;
/** What is counted one by one. */
export const eachUnits = ['request'] as const;
export type TokenClass = (typeof tokenClasses)[number];

/** Without a price of its own, a class costs what the one does that it is part of. */
const wholes: Readonly<Record<TokenClass, TokenClass | undefined>> = {
  prompt: undefined,
  cachedPrompt: 'prompt',
  cacheWrite: 'prompt',
  cacheWrite1h: 'cacheWrite',
  completion: undefined,
  reasoning: 'completion',
};

type Prices = Readonly<Record<TokenClass, string>>;

/** The classes that cost something else at a rate than usual, and do not merely follow the price of another one. */
export function changedClasses(rate: Prices, usual: Prices): TokenClass[] {
  const follows = (prices: Prices, name: TokenClass) => prices[name] === prices[wholes[name] ?? name];
  return tokenClasses.filter((name) => {
    if (rate[name] === usual[name]) return false;
    return wholes[name] === undefined || !follows(rate, name) || !follows(usual, name);
  });
}
