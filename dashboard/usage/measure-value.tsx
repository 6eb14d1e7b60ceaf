/** A value of the chart: an amount, or a count. */
import type { Language } from '../../shared/languages.ts';
import { useLanguage } from '../app/i18n/use-texts.ts';
import { formatUsd } from '../app/money/format-money.ts';
import { Usd } from '../app/money/money.tsx';
import { formatCount } from '../app/time/format-time.ts';
import type { Measure } from './chart-data.ts';

export function MeasureValue({ value, measure }: { value: string; measure: Measure }) {
  const language = useLanguage();
  if (measure === 'spend') return <Usd amount={value} />;
  return <span className="amount">{formatCount(Number(value), language)}</span>;
}

/** `short` is for a scale: `2M`. */
export function formatMeasure(
  value: string,
  measure: Measure,
  language: Language,
  length: 'long' | 'short' = 'long',
): string {
  if (measure === 'spend') return formatUsd(value, language);
  if (length === 'long') return formatCount(Number(value), language);
  return new Intl.NumberFormat(language, { notation: 'compact' }).format(Number(value));
}
