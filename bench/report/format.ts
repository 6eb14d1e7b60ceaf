/** Formats figures with as many digits as are significant. */
import { type Spread, spreadOf } from '../measure/statistics.ts';

export function significant(value: number): string {
  if (value === 0) return '0';
  const decimals = Math.max(0, 2 - Math.floor(Math.log10(Math.abs(value))));
  const rounded = value >= 1_000 ? Math.round(value) : Number(value.toFixed(decimals));
  return rounded.toLocaleString('en', { maximumFractionDigits: decimals });
}

/** The median of the rounds, with the minimum and the maximum. */
export function withSpread(values: readonly number[]): string {
  const { median, min, max }: Spread = spreadOf(values);
  if (values.length === 1) return significant(median);
  return `**${significant(median)}** (${significant(min)}–${significant(max)})`;
}

export function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}
