/** The form of automatic top-ups: its amounts as they are typed, their checks, and the consent. */
import { type UseFormReturnType, useForm } from '@mantine/form';
import { useLanguage, useTexts } from '../../app/i18n/use-texts.ts';
import { compareDecimals } from '../../app/money/decimal.ts';
import { amountInField } from '../../app/money/parse-amount.ts';
import { parsePaid } from '../payments/paid-amount.ts';
import { type Currency, usePaid } from '../payments/payment-words.tsx';
import type { AutoTopUp, Methods } from '../queries.ts';
import { automaticTexts } from './automatic-texts.ts';

export interface AutomaticValues {
  readonly method: string;
  readonly currency: Currency;
  readonly amount: string;
  readonly below: string;
  readonly dayLimit: string;
  readonly monthLimit: string;
  readonly agrees: boolean;
}

export type AutomaticFormState = UseFormReturnType<AutomaticValues>;

export function useAutomaticForm({ settings, methods }: AutoTopUp, all: Methods): AutomaticFormState {
  const t = useTexts(automaticTexts);
  const checkAmount = useAmountCheck(all);
  const paid = usePaid();
  const language = useLanguage();
  const [first] = methods;
  /** Not below another amount, which has its own mistakes. */
  const atLeast = (text: string, other: string, tooSmall: (min: string) => string) => {
    const [amount, min] = [parsePaid(text), parsePaid(other)];
    if (amount === undefined) return t('wrongAmount');
    return min !== undefined && compareDecimals(amount, min) < 0 ? tooSmall(min) : null;
  };
  const inField = (amount = '') => amountInField(amount, language);
  return useForm<AutomaticValues>({
    initialValues: {
      method: settings?.method ?? first?.id ?? '',
      currency: settings?.currency ?? first?.currencies[0] ?? 'RUB',
      amount: inField(settings?.amount),
      below: inField(settings?.belowUsd),
      dayLimit: inField(settings?.dayLimit),
      monthLimit: inField(settings?.monthLimit),
      agrees: false,
    },
    validate: {
      amount: (text, values) => checkAmount(text, values),
      below: (text) => (parsePaid(text) === undefined ? t('wrongAmount') : null),
      dayLimit: (text, { amount, currency }) =>
        atLeast(text, amount, (min) => t('dayTooSmall', { min: paid(min, currency) })),
      monthLimit: (text, { dayLimit, currency }) =>
        atLeast(text, dayLimit, (min) => t('monthTooSmall', { min: paid(min, currency) })),
      agrees: (agrees) => (agrees ? null : t('mustAgree')),
    },
  });
}

/** A charge has the limits of every payment. */
function useAmountCheck({ methods }: Methods) {
  const t = useTexts(automaticTexts);
  const paid = usePaid();
  return (text: string, { method, currency }: AutomaticValues): string | null => {
    const amount = parsePaid(text);
    if (amount === undefined) return t('wrongAmount');
    const { minAmount, maxAmount } = methods.find(({ id }) => id === method) ?? {};
    const [min, max] = [minAmount?.[currency], maxAmount?.[currency]];
    if (min === undefined || max === undefined) return null;
    const fits = compareDecimals(amount, min) >= 0 && compareDecimals(amount, max) <= 0;
    return fits ? null : t('range', { min: paid(min, currency), max: paid(max, currency) });
  };
}
