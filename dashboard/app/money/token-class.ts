/** The classes of tokens that have a price, and what they are called. */
import { defineTexts } from '../i18n/define-texts.ts';
import { useTexts } from '../i18n/use-texts.ts';

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

const tokenClassTexts = defineTexts('tokenClasses', {
  en: {
    prompt: 'Input',
    cachedPrompt: 'Cached input',
    cacheWrite: 'Cache write',
    cacheWrite1h: 'Cache write, 1 hour',
    completion: 'Output',
    reasoning: 'Reasoning',
  },
  ru: {
    prompt: 'Вход',
    cachedPrompt: 'Вход из кэша',
    cacheWrite: 'Запись в кэш',
    cacheWrite1h: 'Запись в кэш на час',
    completion: 'Выход',
    reasoning: 'Рассуждения',
  },
});

/** A class that the API adds later keeps the name that the API gives it. */
export function useTokenClassName(): (name: string) => string {
  const t = useTexts(tokenClassTexts);
  return (name) => {
    const known = tokenClasses.find((each) => each === name);
    return known === undefined ? name : t(known);
  };
}
