/** Why the text of a field is no amount, or null if it is one. */
import { commonTexts } from '../i18n/common-texts.ts';
import { useLanguage, useTexts } from '../i18n/use-texts.ts';
import { formatDecimal } from './format-money.ts';
import { parseAmount, readingsOf } from './parse-amount.ts';

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
