/** Parts that several operator endpoints share. */
import { Type } from '@sinclair/typebox';
import { GatewayError } from '../../../shared/errors.ts';
import { customer } from '../fields/example-values.ts';
import { idOf, label, pageLimit } from '../fields/schemas.ts';

export const pageMax = 100;
export const reasonMaxLength = 500;

export const accountId = (description: string) => idOf('an account', description, customer.accountId);

/** `what` is for both texts: `an account`. */
export const idParams = (what: string) => Type.Object({ id: idOf(what, `The id of ${what}.`) });

/** Lists in descending order of ids. */
export const pageFields = {
  limit: pageLimit(pageMax, 'How many entries to return at most.'),
  beforeId: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: Number.MAX_SAFE_INTEGER,
      description: 'Returns entries with an id below this one: for the next page, the last `id` of the previous page.',
      expected: 'the last id of the previous page',
    }),
  ),
};

export const reason = (description: string, example: string) => label(reasonMaxLength, description, example);

export const auditReason = (example: string) =>
  reason('Why, for the audit log. The customer does not see it.', example);

/** Not blank. Throws GatewayError `invalid_parameter`. */
export function parseReason(text: string): string {
  const trimmed = text.trim();
  if (trimmed !== '') return trimmed;
  throw new GatewayError('invalid_parameter', "Invalid value for 'reason': it must not be blank.", {
    param: 'reason',
  });
}
