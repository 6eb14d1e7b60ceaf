/** The form of a top-up: method, currency and amount, with the method's limits. */
import { useForm } from '@mantine/form';
import { customsOf, type Language } from '../../../shared/languages.ts';
import { useLanguage, useTexts } from '../../app/i18n/use-texts.ts';
import { compareDecimals } from '../../app/money/decimal.ts';
import { parsePaid } from '../payments/paid-amount.ts';
import { type Currency, usePaid } from '../payments/payment-words.tsx';
import type { Method, Methods } from '../queries.ts';
import { topUpTexts } from './top-up-texts.ts';

interface Values {
  readonly method: string;
  readonly currency: Currency;
  /** As it is typed. */
  readonly text: string;
}

export interface Limits {
  readonly min: string;
  readonly max: string;
}

export function useTopUpForm({ methods }: Methods) {
  const t = useTexts(topUpTexts);
  const paid = usePaid();
  const language = useLanguage();
  const [first] = methods;
  const form = useForm<Values>({
    initialValues: { method: first?.id ?? '', currency: firstCurrency(first, language), text: '' },
    validate: {
      text: (text, { method, currency }) => {
        const amount = parsePaid(text);
        if (amount === undefined) return t('wrongAmount');
        const { min, max } = limitsOf(methods, method, currency);
        if (compareDecimals(amount, min) < 0) return t('tooSmall', { min: paid(min, currency) });
        return compareDecimals(amount, max) > 0 ? t('tooLarge', { max: paid(max, currency) }) : null;
      },
    },
  });
  const { method, currency, text } = form.values;
  const chooseMethod = (id: string) => {
    const chosen = methods.find((known) => known.id === id);
    const stays = chosen?.currencies.includes(currency) ?? false;
    form.setValues({ method: id, currency: stays ? currency : firstCurrency(chosen, language) });
    form.clearErrors();
  };
  return {
    ...form,
    chooseMethod,
    /** Undefined if it is none. */
    amount: parsePaid(text),
    limits: limitsOf(methods, method, currency),
    currencies: methods.find(({ id }) => id === method)?.currencies ?? [],
  };
}

export type TopUpFormState = ReturnType<typeof useTopUpForm>;

function firstCurrency(method: Method | undefined, language: Language): Currency {
  const wanted = customsOf[language].currency;
  return method?.currencies.find((currency) => currency === wanted) ?? method?.currencies[0] ?? 'USD';
}

function limitsOf(methods: readonly Method[], id: string, currency: Currency): Limits {
  const { minAmount, maxAmount } = methods.find((method) => method.id === id) ?? {};
  return { min: minAmount?.[currency] ?? '0', max: maxAmount?.[currency] ?? '0' };
}
