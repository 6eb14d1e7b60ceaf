/** A change in percent, with its sign: increases are red. */
import { Text } from '@mantine/core';
import { useLanguage } from '../../app/i18n/use-texts.ts';
import { locales, signOf } from '../../app/money/format-money.ts';

/** Of a decimal string; a dash if it cannot be compared. */
export function Percent({ value }: { value: string | null | undefined }) {
  const language = useLanguage();
  if (value === null || value === undefined) return '—';
  const format = new Intl.NumberFormat(locales[language], {
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
