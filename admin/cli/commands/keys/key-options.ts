/** What an operator says of a key, as the fields that the API takes: one check and one meaning for both. */
import { GatewayError } from '../../../../shared/errors.ts';
import { withoutUndefined } from '../../../../shared/members.ts';
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

export const limitArguments = {
  models: { type: 'string', description: 'The models that it may use, separated by commas, or none for all of them' },
  'spend-day': { type: 'string', description: `What it may spend in a day (UTC): ${amountForm}` },
  'spend-month': { type: 'string', description: `What it may spend in a month (UTC): ${amountForm}` },
  'spend-total': { type: 'string', description: `What it may spend in all: ${amountForm}` },
  'requests-per-minute': { type: 'string', description: `Requests a minute: ${rateForm}` },
  'tokens-per-minute': { type: 'string', description: `Tokens a minute: ${rateForm}` },
  'concurrent-streams': { type: 'string', description: `Requests at once: ${rateForm}` },
} as const;

type Options = Readonly<Partial<Record<keyof typeof limitArguments | 'expires-at' | 'name', string | undefined>>>;

/** Only what was given: what is absent stays as it is, null takes it away. Throws UsageError. */
export function readKeyFields(options: Options): Readonly<Record<string, unknown>> {
  const limits = unlessEmpty({
    allowedModels: valueOrNone(options.models, (list) => list.split(',').map((model) => model.trim())),
    spendLimits: unlessEmpty({
      day: valueOrNone(options['spend-day'], String),
      month: valueOrNone(options['spend-month'], String),
      total: valueOrNone(options['spend-total'], String),
    }),
    rateLimits: unlessEmpty({
      requestsPerMinute: readRate(options, 'requests-per-minute'),
      tokensPerMinute: readRate(options, 'tokens-per-minute'),
      concurrentStreams: readRate(options, 'concurrent-streams'),
    }),
  });
  return withoutUndefined({ name: options.name, expires_at: valueOrNone(options['expires-at'], String), limits });
}

/** Throws GatewayError `invalid_parameter`. */
export function readKeyId(text: string): number {
  if (/^[1-9]\d{0,14}$/.test(text)) return Number(text);
  throw new GatewayError('invalid_parameter', 'An id is a whole number above 0.', { param: 'id' });
}

function readRate(options: Options, name: keyof typeof limitArguments): number | null | undefined {
  return valueOrNone(options[name], (text) => {
    if (!/^\d{1,10}$/.test(text)) throw new UsageError(`--${name} is ${rateForm}.`);
    return Number(text);
  });
}

function valueOrNone<Value>(text: string | undefined, read: (text: string) => Value): Value | null | undefined {
  if (text === undefined) return undefined;
  return text === none ? null : read(text);
}

/** Undefined where nothing is left. */
function unlessEmpty(fields: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> | undefined {
  const defined = withoutUndefined(fields);
  return Object.keys(defined).length === 0 ? undefined : defined;
}
