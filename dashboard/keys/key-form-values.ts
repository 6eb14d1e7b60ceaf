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
import type { Key, KeyChange, KeyKind, NewKey } from './queries.ts';

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

/** Empty fields are no limits. */
export function newKeyOf(kind: KeyKind, values: KeyFormValues): NewKey {
  const usd = (text: string) => parseAmount(text) ?? null;
  const count = (text: string) => (text.trim() === '' ? null : Number(text));
  return {
    name: values.name.trim(),
    expires_at: expiryOf(values),
    ...(kind === 'proxy' && {
      projectId: values.project === noProject ? null : Number(values.project),
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

/**
 * Only what differs from what the form showed at first, so that what others have changed since then stays. Nor does a day
 * replace the instant at which a key expires. Undefined if nothing differs.
 */
export function keyChangeOf(kind: KeyKind, values: KeyFormValues, before: KeyFormValues): KeyChange | undefined {
  const { limits, ...fields } = newKeyOf(kind, values);
  const { limits: limitsBefore, ...fieldsBefore } = newKeyOf(kind, before);
  const changedLimits = difference(
    {
      allowedModels: limits?.allowedModels,
      spendLimits: difference(limits?.spendLimits ?? {}, limitsBefore?.spendLimits),
      rateLimits: difference(limits?.rateLimits ?? {}, limitsBefore?.rateLimits),
    },
    { allowedModels: limitsBefore?.allowedModels },
  );
  return difference({ ...fields, limits: changedLimits }, fieldsBefore);
}

/** The members that differ from those of the second object; undefined if none do. */
function difference(
  members: Readonly<Record<string, unknown>>,
  before: Readonly<Record<string, unknown>> = {},
): Readonly<Record<string, unknown>> | undefined {
  const isChanged = ([name, member]: [string, unknown]) => JSON.stringify(member) !== JSON.stringify(before[name]);
  const changed = Object.entries(members).filter(isChanged);
  return changed.length === 0 ? undefined : Object.fromEntries(changed);
}

/** A key lasts through its last day, in the reader's time zone. */
function expiryOf({ expiry, date }: KeyFormValues): string | null {
  if (expiry === 'never') return null;
  if (expiry === 'date') return date === null ? null : new Date(`${date}T23:59:59`).toISOString();
  const until = new Date();
  until.setDate(until.getDate() + Number(expiry));
  return until.toISOString();
}
