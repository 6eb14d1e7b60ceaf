/** What is demanded of the providers that may see requests, in requests and responses. */
import { Type } from '@sinclair/typebox';
import { checkValue } from '../../../shared/http/check-value.ts';
import type { DataPolicy } from '../../../shared/keys/data-policy.ts';
import { isObject } from '../../../shared/members.ts';
import { type DataPolicyInput, policyEntriesMax } from '../../keys/data-policy.ts';
import { checkedBy } from './checked-by.ts';
import { closedObject, nullable, oneOf } from './schemas.ts';

const entryMaxLength = 64;

interface ListOptions {
  readonly one: string;
  readonly many: string;
  readonly description: string;
  readonly example: readonly string[];
}

const list = ({ one, many, description, example }: ListOptions) =>
  Type.Array(Type.String({ minLength: 1, maxLength: entryMaxLength, expected: one }), {
    maxItems: policyEntriesMax,
    description,
    expected: `a list of at most ${policyEntriesMax} ${many}`,
    example,
  });
const providers = { one: 'the name of a provider', many: 'names of providers' };

export const dataPolicyFields = {
  dataCollection: oneOf(
    ['allow', 'deny'],
    '`deny`: only providers that do not train on requests. `allow` demands nothing.',
    'deny',
  ),
  zdr: Type.Boolean({
    description: 'Zero data retention: only providers that store no requests. False demands nothing.',
    expected: 'true or false',
    example: false,
  }),
  countries: list({
    one: 'the code of a country',
    many: 'codes of countries',
    description: 'Only in these countries, as ISO 3166-1 alpha-2 codes; an empty list is anywhere.',
    example: ['DE', 'FR'],
  }),
  only: list({ ...providers, description: 'Only these providers; an empty list is any.', example: [] }),
  ignore: list({ ...providers, description: 'None of these providers.', example: [] }),
};

/** Replaces the whole policy: what is left out demands nothing. */
export const dataPolicyBody = Type.Partial(closedObject(dataPolicyFields));

const ofKey = 'What the key demands of the providers that may see its requests';
const besides = 'What the organization demands applies besides.';

export const keyDataPolicySchema = nullable(
  Type.Object(dataPolicyFields, { description: `${ofKey}; null if nothing. ${besides}` }),
);

/** Its members are checked when it is read, so that an error names the one at fault. */
export const keyDataPolicyInput = checkedBy<DataPolicyInput | null>(
  {
    ...dataPolicyBody,
    nullable: true,
    description: `${ofKey}. It replaces the whole policy: what is left out demands nothing, and null removes it. ${besides}`,
    expected: 'a data policy, or null',
  },
  (value) => value === null || isObject(value),
);

/** Throws GatewayError `missing_parameter` or `invalid_parameter`. */
export const checkDataPolicy = (value: unknown, at = ''): DataPolicyInput => checkValue(dataPolicyBody, value, at);

/** All members, also those that demand nothing. */
export function renderDataPolicy(policy: DataPolicy) {
  return {
    dataCollection: policy.dataCollection ?? ('allow' as const),
    zdr: policy.zdr ?? false,
    countries: [...(policy.countries ?? [])],
    only: [...(policy.only ?? [])],
    ignore: [...(policy.ignore ?? [])],
  };
}
