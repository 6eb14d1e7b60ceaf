/** What a transaction is for, in the reader's language. What an operator wrote stays as it is. */
import { unitsInstead } from '../../shared/usage/billable-units.ts';
import { useLanguage, useTexts } from '../app/i18n/use-texts.ts';
import { useUnitWords } from '../app/money/unit-words.ts';
import { formatCount } from '../app/time/format-time.ts';
import { paymentTexts } from '../billing/payments/payment-texts.ts';
import { methodName, usePaid } from '../billing/payments/payment-words.tsx';
import type { Transaction } from './queries.ts';
import { transactionsTexts } from './transactions-texts.ts';

export function useDescribeTransaction(): (transaction: Transaction) => string {
  const t = useTexts(transactionsTexts);
  const words = useTexts(paymentTexts);
  const units = useUnitWords();
  const paid = usePaid();
  const language = useLanguage();
  const number = (count: number) => formatCount(count, language);
  const describeUsage = ({ description, model = '', parts }: Transaction) => {
    const { promptTokens, completionTokens, variant = '', isEstimated } = parts;
    // The usage of its month is archived.
    if (promptTokens === undefined || completionTokens === undefined) return description;
    const instead = unitsInstead.find(({ name }) => (parts[name] ?? 0) > 0);
    const text =
      instead === undefined
        ? t('tokensOf', {
            model,
            count: promptTokens,
            prompt: number(promptTokens),
            completion: number(completionTokens),
          })
        : t(instead.unit === 'image' ? 'variantOf' : 'unitsOf', {
            model,
            units: units.counted(instead.name, parts[instead.name] ?? 0),
            variant,
          });
    return isEstimated ? t('estimated', { text }) : text;
  };
  return (transaction) => {
    const { description, parts } = transaction;
    const { kind, method, paidAmount, paidCurrency } = parts;
    if (kind === 'usage') return describeUsage(transaction);
    if (kind === 'recovered_usage') return t('recovered');
    if (method === undefined || paidAmount === undefined || paidCurrency === undefined) return description;
    const values = { amount: paid(paidAmount, paidCurrency), method: methodName(method, words) };
    if (kind === 'credit' || kind === 'debit') return description;
    return t(kind === 'top_up' ? 'topUp' : kind === 'refund' ? 'refundOf' : kind, values);
  };
}
