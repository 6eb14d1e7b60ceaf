/** The fields of the dialogs for keys, and what they mean to the API. */
import type { Language } from '../../shared/languages.ts';
import { perRateLimit, type RateLimitName, rateLimits } from '../../shared/limits/rate-limits.ts';
import { perSpendLimit, type SpendLimitName, spendLimits } from '../../shared/limits/spend-limits.ts';
import { entriesOf } from '../app/components/fields/entries.ts';
import { amountInField, parseAmount } from '../app/money/parse-amount.ts';
import { dayOf } from '../app/time/days.ts';
import {
  emptyPolicy,
  isDemanding,
  type PolicyValues,
  policyOf,
  valuesOfPolicy,
} from '../organization/data-policy/policy-values.ts';
import type { Key, KeyKind, NewKey } from './queries.ts';

export const expiryDays = [7, 30, 90, 365] as const;

/** In place of the id of a project. */
export const noProject = 'none';

type LimitFields = Readonly<Record<SpendLimitName | RateLimitName, string>>;

export interface KeyFormValues extends LimitFields {
  readonly name: string;
  /** `never`, `date`, or a number of days. */
  readonly expiry: string;
  /** A day such as `2026-11-22`, with the expiry `date`. */
  readonly date: string | null;
  /** `none`, or the id of one. */
  readonly project: string;
  readonly models: string[];
  /** IP addresses and networks, one a line. */
  readonly addresses: string;
  readonly policy: PolicyValues;
  /** In seconds; empty for none. */
  readonly cache: string;
}

export function emptyValues(): KeyFormValues {
  const noLimits = { ...perSpendLimit(() => ''), ...perRateLimit(() => '') };
  return {
    name: '',
    expiry: 'never',
    date: null,
    project: noProject,
    models: [],
    addresses: '',
    policy: emptyPolicy,
    cache: '',
    ...noLimits,
  };
}

export function valuesOf(key: Key, language: Language): KeyFormValues {
  const { name, expiresAt, projectId, allowedIps, dataPolicy, cacheSeconds, limits } = key;
  const text = (limit: number | null | undefined) => String(limit ?? '');
  const usd = (amount: string | null | undefined) => amountInField(amount ?? '', language);
  return {
    name,
    expiry: expiresAt === null ? 'never' : 'date',
    date: expiresAt === null ? null : dayOf(expiresAt),
    project: String(projectId ?? noProject),
    models: limits?.allowedModels ?? [],
    addresses: (allowedIps ?? []).join('\n'),
    policy: dataPolicy ? valuesOfPolicy(dataPolicy) : emptyPolicy,
    cache: text(cacheSeconds),
    ...perSpendLimit((limit) => usd(limits?.spendLimits[`${limit.name}Usd`])),
    ...perRateLimit((limit) => text(limits?.rateLimits[limit.name])),
  };
}

export const hasLimits = (values: KeyFormValues): boolean =>
  values.models.length > 0 ||
  values.addresses !== '' ||
  isDemanding(values.policy) ||
  values.cache !== '' ||
  [...spendLimits, ...rateLimits].some(({ name }) => values[name] !== '');

/**
 * Empty fields remove their limit. An unchanged expiry is not sent, because its day says less than its instant, nor an
 * unchanged project, because no key can be put into one that is archived.
 */
export function bodyOf(kind: KeyKind, values: KeyFormValues, before?: KeyFormValues): NewKey {
  const isSameExpiry = before?.expiry === values.expiry && before.date === values.date;
  const usd = (text: string) => parseAmount(text) ?? null;
  const count = (text: string) => (text.trim() === '' ? null : Number(text));
  return {
    name: values.name.trim(),
    ...(!isSameExpiry && { expires_at: expiryOf(values) }),
    ...(values.project !== (before?.project ?? noProject) && { projectId: projectOf(values) }),
    ...(kind === 'proxy' && {
      allowedIps: entriesOf(values.addresses),
      dataPolicy: policyOf(values.policy),
      cacheSeconds: count(values.cache),
      limits: {
        allowedModels: values.models.length === 0 ? null : values.models,
        spendLimits: perSpendLimit((limit) => usd(values[limit.name])),
        rateLimits: perRateLimit((limit) => count(values[limit.name])),
      },
    }),
  };
}

const projectOf = ({ project }: KeyFormValues) => (project === noProject ? null : Number(project));

/** A key lasts through its last day, in the reader's time zone. */
function expiryOf({ expiry, date }: KeyFormValues): string | null {
  if (expiry === 'never') return null;
  if (expiry === 'date') return date === null ? null : new Date(`${date}T23:59:59`).toISOString();
  const until = new Date();
  until.setDate(until.getDate() + Number(expiry));
  return until.toISOString();
}
