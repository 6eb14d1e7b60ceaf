/** The fields of the dialogs for keys, and what they mean to the API. */
import type { Language } from '../../shared/languages.ts';
import { amountInField, parseAmount } from '../app/money/parse-amount.ts';
import { dayOf } from '../app/time/days.ts';
import type { Key, KeyKind, NewKey } from './queries.ts';

export const expiryDays = [7, 30, 90, 365] as const;

export interface KeyFormValues {
  readonly name: string;
  /** `never`, `date`, or a number of days. */
  readonly expiry: string;
  /** A day such as `2026-11-22`, with the expiry `date`. */
  readonly date: string | null;
  readonly models: string[];
  readonly day: string;
  readonly month: string;
  readonly total: string;
  readonly requestsPerMinute: string;
  readonly tokensPerMinute: string;
  readonly concurrentStreams: string;
}

export const spendFields = ['day', 'month', 'total'] as const;
export const rateFields = ['requestsPerMinute', 'tokensPerMinute', 'concurrentStreams'] as const;

export function emptyValues(): KeyFormValues {
  const noRates = { requestsPerMinute: '', tokensPerMinute: '', concurrentStreams: '' };
  return { name: '', expiry: 'never', date: null, models: [], day: '', month: '', total: '', ...noRates };
}

export function valuesOf({ name, expiresAt, limits }: Key, language: Language): KeyFormValues {
  const { spendLimits, rateLimits, allowedModels } = limits ?? {};
  const text = (limit: number | null | undefined) => String(limit ?? '');
  const usd = (amount: string | null | undefined) => amountInField(amount ?? '', language);
  return {
    name,
    expiry: expiresAt === null ? 'never' : 'date',
    date: expiresAt === null ? null : dayOf(expiresAt),
    models: allowedModels ?? [],
    day: usd(spendLimits?.dayUsd),
    month: usd(spendLimits?.monthUsd),
    total: usd(spendLimits?.totalUsd),
    requestsPerMinute: text(rateLimits?.requestsPerMinute),
    tokensPerMinute: text(rateLimits?.tokensPerMinute),
    concurrentStreams: text(rateLimits?.concurrentStreams),
  };
}

export const hasLimits = (values: KeyFormValues): boolean =>
  values.models.length > 0 || [...spendFields, ...rateFields].some((field) => values[field] !== '');

/** Empty fields remove their limit. An unchanged expiry is not sent, because its day says less than its instant. */
export function bodyOf(kind: KeyKind, values: KeyFormValues, before?: KeyFormValues): NewKey {
  const isSameExpiry = before?.expiry === values.expiry && before.date === values.date;
  const usd = (text: string) => parseAmount(text) ?? null;
  const count = (text: string) => (text.trim() === '' ? null : Number(text));
  return {
    name: values.name.trim(),
    ...(!isSameExpiry && { expires_at: expiryOf(values) }),
    ...(kind === 'proxy' && {
      limits: {
        allowedModels: values.models.length === 0 ? null : values.models,
        spendLimits: { day: usd(values.day), month: usd(values.month), total: usd(values.total) },
        rateLimits: {
          requestsPerMinute: count(values.requestsPerMinute),
          tokensPerMinute: count(values.tokensPerMinute),
          concurrentStreams: count(values.concurrentStreams),
        },
      },
    }),
  };
}

/** A key lasts through its last day, in the reader's time zone. */
function expiryOf({ expiry, date }: KeyFormValues): string | null {
  if (expiry === 'never') return null;
  if (expiry === 'date') return date === null ? null : new Date(`${date}T23:59:59`).toISOString();
  const until = new Date();
  until.setDate(until.getDate() + Number(expiry));
  return until.toISOString();
}
