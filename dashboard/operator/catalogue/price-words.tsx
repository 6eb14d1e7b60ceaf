/** Which price it is, and its change in percent. */
import { Text } from '@mantine/core';
import { customsOf } from '../../../shared/languages.ts';
import { useLanguage, useTexts } from '../../app/i18n/use-texts.ts';
import { signOf } from '../../app/money/format-money.ts';
import { catalogueTexts } from './catalogue-texts.ts';

/** A change in percent, of a decimal string, with its sign: increases are red; a dash if it cannot be compared. */
export function Percent({ value }: { value: string | null | undefined }) {
  const language = useLanguage();
  if (value === null || value === undefined) return '—';
  const format = new Intl.NumberFormat(customsOf[language].numbers, {
    style: 'unit',
    unit: 'percent',
    maximumFractionDigits: 2,
    signDisplay: 'exceptZero',
  });
  return (
    <Text span inherit className="amount" {...(signOf(value) > 0 && { c: 'var(--mantine-color-error)' })}>
      {format.format(value as Intl.StringNumericLiteral)}
    </Text>
  );
}

const tokenClasses = ['prompt', 'cachedPrompt', 'cacheWrite', 'completion', 'reasoning'] as const;

/** Which price it is: of a class of tokens, or of an image of some size and quality. */
export function PriceName({ name }: { name: string }) {
  const t = useTexts(catalogueTexts);
  const tokenClass = tokenClasses.find((known) => known === name);
  return tokenClass === undefined ? t('imageOf', { variant: name }) : t(tokenClass);
}
