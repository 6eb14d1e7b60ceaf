/** What a transaction is for, in the reader's language. What an operator wrote stays as it is. */
import { useLanguage, useTexts } from '../app/i18n/use-texts.ts';
import { formatCount } from '../app/time/format-time.ts';
import { paymentTexts } from '../billing/payments/payment-texts.ts';
import { methodName, usePaid } from '../billing/payments/payment-words.tsx';
import type { Transaction } from './queries.ts';
import { transactionsTexts } from './transactions-texts.ts';

export function useDescribeTransaction(): (transaction: Transaction) => string {
  const t = useTexts(transactionsTexts);
  const words = useTexts(paymentTexts);
  const paid = usePaid();
  const language = useLanguage();
  const number = (count: number) => formatCount(count, language);
  const describeUsage = ({ description, model = '', parts }: Transaction) => {
    const { promptTokens, completionTokens, images = 0, variant = '', isEstimated } = parts;
    // The usage of its month is archived.
    if (promptTokens === undefined || completionTokens === undefined) return description;
    const text =
      images > 0
        ? t('imagesOf', { model, count: images, number: number(images), variant })
        : t('tokensOf', {
            model,
            count: promptTokens,
            prompt: number(promptTokens),
            completion: number(completionTokens),
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
    const texts = { top_up: 'topUp', refund: 'refundOf', reversal: 'reversal', restoration: 'restoration' } as const;
    return kind === 'credit' || kind === 'debit' ? description : t(texts[kind], values);
  };
}
