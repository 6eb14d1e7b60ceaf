/** Options of keys, read as the fields of the API, so that both validate and mean the same. */
import { GatewayError } from '../../../../shared/errors.ts';
import { perRateLimit, rateLimits } from '../../../../shared/limits/rate-limits.ts';
import { perSpendLimit, spendLimits } from '../../../../shared/limits/spend-limits.ts';
import { recordOf, withoutUndefined } from '../../../../shared/members.ts';
import { UsageError } from '../../command.ts';

const none = 'none';
const rateForm = 'a whole number, or none for the default';
const amountForm = 'USD, such as 5 or 0.25, or none for no limit';

export const keyIdArgument = {
  id: { type: 'string', required: true, description: "The key's id, as `key list` shows it" },
} as const;

export const expiryArgument = {
  'expires-at': { type: 'string', description: 'When it stops working, such as 2030-01-31T12:00:00Z, or none' },
} as const;

export const projectArgument = {
  project: { type: 'string', description: "The project's id, as `project list` shows it, or none" },
} as const;

export const addressArgument = {
  'allowed-ip': {
    type: 'string',
    description: 'IP addresses and networks that it may be used from, separated by commas, or none for any',
  },
} as const;

const providersForm = 'by their names in the catalogue, separated by commas, or none for no such rule';

export const policyArguments = {
  'deny-training': {
    type: 'boolean',
    description: 'Only providers that do not train on requests; --no-deny-training removes it',
  },
  zdr: { type: 'boolean', description: 'Only providers that store no requests; --no-zdr removes it' },
  countries: { type: 'string', description: 'Only in these countries, such as DE,FR, or none for any' },
  'only-providers': { type: 'string', description: `Only these providers, ${providersForm}` },
  'ignore-providers': { type: 'string', description: `Not these providers, ${providersForm}` },
} as const;

export const cacheArgument = {
  'cache-seconds': {
    type: 'string',
    description: 'For how long responses are given again to exact repetitions, in seconds, or none for never',
  },
} as const;

export const limitArguments = {
  models: { type: 'string', description: 'The models that it may use, separated by commas, or none to allow all' },
  ...recordOf(spendLimits, ({ name, per }) => [
    `spend-${name}` as const,
    { type: 'string' as const, description: `Spending limit ${per}: ${amountForm}` },
  ]),
  ...recordOf(rateLimits, ({ option, label }) => [
    option,
    { type: 'string' as const, description: `${label}: ${rateForm}` },
  ]),
} as const;

type Flag = 'deny-training' | 'zdr';
type TextOption =
  | keyof typeof limitArguments
  | Exclude<keyof typeof policyArguments, Flag>
  | ('allowed-ip' | 'cache-seconds' | 'expires-at' | 'name' | 'project');
type Options = Readonly<Partial<Record<TextOption, string | undefined> & Record<Flag, boolean | undefined>>>;

/** Only the given options: absent limits stay as they are, null removes one. Throws UsageError. */
export function readKeyFields(options: Options): Readonly<Record<string, unknown>> {
  const limits = unlessEmpty({
    allowedModels: valueOrNone(options.models, listOf),
    spendLimits: unlessEmpty(perSpendLimit(({ name }) => valueOrNone(options[`spend-${name}`], String))),
    rateLimits: unlessEmpty(perRateLimit(({ option }) => readRate(options, option))),
  });
  const projectId = valueOrNone(options.project, readKeyId);
  const allowedIps = valueOrNone(options['allowed-ip'], listOf);
  const dataPolicy = unlessEmpty(readPolicy(options));
  const cacheSeconds = valueOrNone(options['cache-seconds'], Number);
  const expires = valueOrNone(options['expires-at'], String);
  const rules = { allowedIps, dataPolicy, cacheSeconds };
  return withoutUndefined({ name: options.name, expires_at: expires, projectId, ...rules, limits });
}

/** Throws GatewayError `invalid_parameter`. */
export function readKeyId(text: string): number {
  if (/^[1-9]\d{0,14}$/.test(text)) return Number(text);
  throw new GatewayError('invalid_parameter', 'An id must be a whole number above 0.', { param: 'id' });
}

function readPolicy(options: Options) {
  const denies = options['deny-training'];
  return {
    dataCollection: denies === undefined ? undefined : denies ? 'deny' : 'allow',
    zdr: options.zdr,
    countries: entriesOf(options.countries),
    only: entriesOf(options['only-providers']),
    ignore: entriesOf(options['ignore-providers']),
  };
}

function readRate(options: Options, name: keyof typeof limitArguments): number | null | undefined {
  return valueOrNone(options[name], (text) => {
    if (!/^\d{1,10}$/.test(text)) throw new UsageError(`--${name} must be ${rateForm}.`);
    return Number(text);
  });
}

const listOf = (text: string) => text.split(',').map((each) => each.trim());

/** Empty for `none`. */
const entriesOf = (text: string | undefined) => (text === undefined ? undefined : (valueOrNone(text, listOf) ?? []));

function valueOrNone<Value>(text: string | undefined, read: (text: string) => Value): Value | null | undefined {
  if (text === undefined) return undefined;
  return text === none ? null : read(text);
}

/** Undefined if nothing is left. */
function unlessEmpty(fields: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> | undefined {
  const defined = withoutUndefined(fields);
  return Object.keys(defined).length === 0 ? undefined : defined;
}
