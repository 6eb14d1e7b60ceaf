/** The classes of tokens that have a price, what is counted one by one, and what they are called. */
import { useTexts } from '../i18n/use-texts.ts';
import { tokenClassTexts } from './token-class-texts.ts';

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

/** A class or a unit that the API adds later keeps the name that the API gives it. */
export function useTokenClassName(): (name: string) => string {
  const t = useTexts(tokenClassTexts);
  return (name) => {
    const known = [...tokenClasses, ...eachUnits].find((each) => each === name);
    return known === undefined ? name : t(known);
  };
}
