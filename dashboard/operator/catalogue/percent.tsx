/** A change in percent, with its sign: increases are red. */
import { Text } from '@mantine/core';
import { customsOf } from '../../../shared/languages.ts';
import { useLanguage } from '../../app/i18n/use-texts.ts';
import { signOf } from '../../app/money/format-money.ts';

/** Of a decimal string; a dash if it cannot be compared. */
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
