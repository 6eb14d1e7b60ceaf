/** Which price it is: of a class of tokens, or of an image of some size and quality. */
import { useTexts } from '../../app/i18n/use-texts.ts';
import { catalogueTexts } from './catalogue-texts.ts';

const tokenClasses = ['prompt', 'cachedPrompt', 'cacheWrite', 'completion', 'reasoning'] as const;

export function PriceName({ name }: { name: string }) {
  const t = useTexts(catalogueTexts);
  const tokenClass = tokenClasses.find((known) => known === name);
  return tokenClass === undefined ? t('imageOf', { variant: name }) : t(tokenClass);
}
