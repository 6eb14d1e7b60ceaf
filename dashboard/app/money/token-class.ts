/** The classes of tokens that have a price, and what they are called. */
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
export type TokenClass = (typeof tokenClasses)[number];

/** A class that the API adds later keeps the name that the API gives it. */
export function useTokenClassName(): (name: string) => string {
  const t = useTexts(tokenClassTexts);
  return (name) => {
    const known = tokenClasses.find((each) => each === name);
    return known === undefined ? name : t(known);
  };
}
