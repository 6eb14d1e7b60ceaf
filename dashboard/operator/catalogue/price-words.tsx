/** Which price it is, and its change in percent. */
import { Text } from '@mantine/core';
import { customsOf } from '../../../shared/languages.ts';
import { parseRate } from '../../../shared/usage/rates.ts';
import { useLanguage, useTexts } from '../../app/i18n/use-texts.ts';
import { signOf } from '../../app/money/format-money.ts';
import { pricedUnits } from '../../app/money/priced-units.ts';
import { RateName } from '../../app/money/rate-name.tsx';
import { usePriceName } from '../../app/money/unit-words.ts';
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

/** Which price it is: of a class of tokens, at another rate or the usual one, or of an image of some size and quality. */
export function PriceName({ name }: { name: string }) {
  const t = useTexts(catalogueTexts);
  const nameOf = usePriceName();
  const [last = '', rateText = ''] = name.split(' ').reverse();
  const priced = pricedUnits.find((known) => known === last);
  const rate = parseRate(rateText);
  if (priced === undefined || rate === undefined) return t('imageOf', { variant: name });
  if (rateText === '') return nameOf(priced);
  return (
    <>
      {nameOf(priced)} · <RateName serviceTier={rate.tier} abovePromptTokens={rate.above} />
    </>
  );
}
