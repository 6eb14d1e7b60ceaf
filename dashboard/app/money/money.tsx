/**
 * Amounts on the page: digits beyond the cents are fainter, and roubles tell the rate that they are at. And what is
 * wrong with an amount in a field.
 */

import { Text, Tooltip } from '@mantine/core';
import type { CSSProperties } from 'react';
import { commonTexts } from '../i18n/common-texts.ts';
import { useLanguage, useTexts } from '../i18n/use-texts.ts';
import { formatDay } from '../time/format-time.ts';
import { formatDecimal, formatRub, type MoneyOptions, splitUsd } from './format-money.ts';
import { parseAmount, readingsOf } from './parse-amount.ts';

/** An amount in USD, from a decimal string. */
export function Usd({ amount, ...options }: { amount: string } & MoneyOptions) {
  const { head, subCents, tail } = splitUsd(amount, useLanguage(), options);
  // Where space is short, its font follows from it.
  const { length } = head + subCents + tail;
  return (
    <span className="amount" style={{ '--characters': length } as CSSProperties}>
      {head}
      {subCents === '' ? null : <span className="amount-sub-cents">{subCents}</span>}
      {tail}
    </span>
  );
}

export interface RubRate {
  readonly perUsd: string;
  readonly date: string | null;
  readonly source: 'cbr' | 'configured';
}

/** An amount in roubles, from a decimal string; the rate and its day are shown on hover and focus. */
export function Rub({ amount, rate, ...options }: { amount: string; rate: RubRate } & MoneyOptions) {
  const language = useLanguage();
  return (
    <Tooltip label={useRateText(rate)} multiline maw={260} events={{ hover: true, focus: true, touch: true }}>
      <Text span inherit className="amount explained" tabIndex={0}>
        {formatRub(amount, language, options)}
      </Text>
    </Tooltip>
  );
}

export function useRateText({ perUsd, date, source }: RubRate): string {
  const t = useTexts(commonTexts);
  const language = useLanguage();
  const rate = formatDecimal(perUsd, language);
  if (source === 'configured' || date === null) return t('rateConfigured', { rate });
  return t('rateCbr', { rate, date: formatDay(date, language) });
}

/** Why the text of a field is no amount, or null if it is one. */
export function useAmountProblem(): (text: string) => string | null {
  const t = useTexts(commonTexts);
  const language = useLanguage();
  return (text) => {
    if (parseAmount(text) !== undefined) return null;
    const readings = readingsOf(text);
    if (readings === undefined) return t('invalidAmount');
    return t('ambiguousAmount', { ...readings, decimal: formatDecimal(readings.decimal, language) });
  };
}
