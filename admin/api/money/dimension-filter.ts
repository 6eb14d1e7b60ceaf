/** How requests name a dimension of the organization, and one of its values. */
import { Type } from '@sinclair/typebox';
import { GatewayError } from '../../../shared/errors.ts';
import { type DimensionName, isDimensionName, metadataNameForm } from '../../../shared/usage/dimension-names.ts';
import type { DbOrTransaction } from '../../database/connect.ts';
import { type Dimension, findDimension, listDimensions } from '../../ledger/queries/charged-dimensions.ts';
import type { RequestFilter } from '../../ledger/queries/list-requests.ts';

/** As the proxy cuts them. */
const valueMaxLength = 128;
const nameMaxLength = 80;

export const dimensionFields = {
  dimension: Type.Optional(
    Type.String({
      maxLength: nameMaxLength,
      pattern: `^(?:user|metadata\\.${metadataNameForm})$`,
      description:
        'A dimension of the organization, such as `user` or `metadata.team`. Lists only requests with `value`, or without a value ' +
        'if there is no `value`.',
      expected: 'a dimension such as user or metadata.team',
    }),
  ),
  value: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: valueMaxLength,
      // Postgres stores none.
      pattern: '^[^\\u0000]*$',
      description: 'A value of `dimension`; `…other` for all that were counted together.',
      expected: `a string of 1 to ${valueMaxLength} characters`,
    }),
  ),
};

interface Fields {
  readonly dimension?: string;
  readonly value?: string;
}

/** Throws GatewayError `invalid_parameter`. */
export async function parseDimensionFilter(
  db: DbOrTransaction,
  accountId: number,
  { dimension: name, value }: Fields,
): Promise<RequestFilter['dimension']> {
  if (name === undefined) {
    if (value === undefined) return undefined;
    throw new GatewayError('invalid_parameter', 'Send the `dimension` of the `value`.', { param: 'value' });
  }
  if (!isDimensionName(name)) throw new Error(`${name} has passed the schema of names`);
  const { id } = await requireDimension(db, { accountId, name, param: 'dimension' });
  return { dimensionId: id, value };
}

/** Throws GatewayError `invalid_parameter` for one that the organization has never asked for. */
export async function requireDimension(
  db: DbOrTransaction,
  { accountId, name, param }: { accountId: number; name: DimensionName; param: string },
): Promise<Dimension> {
  const found = await findDimension(db, { accountId, name });
  if (found !== undefined) return found;
  const known = await listDimensions(db, accountId);
  const those = known.length === 0 ? '' : ` It has ${known.map((each) => `\`${each.name}\``).join(', ')}.`;
  const message = `Usage of this organization is not attributed to \`${name}\`.${those}`;
  throw new GatewayError('invalid_parameter', message, { param });
}
