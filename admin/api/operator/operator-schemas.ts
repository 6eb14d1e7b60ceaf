/** The pieces that several endpoints for operators are made of. */
import { Type } from '@sinclair/typebox';
import { GatewayError } from '../../../shared/errors.ts';
import { label } from '../fields/schemas.ts';

export const pageMax = 100;
export const reasonMaxLength = 500;

export const usd = (description: string) => Type.String({ description: `${description} A decimal, in USD.` });

const id = (description: string) => Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER, description });

export const accountId = id('the id of an account');
export const idParams = (what: string) => Type.Object({ id: id(`the id of ${what}`) });

/** Lists in the order of falling ids. */
export const pageFields = {
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: pageMax,
      default: pageMax,
      description: `a whole number from 1 to ${pageMax}`,
    }),
  ),
  beforeId: Type.Optional(id('the id that the page before has ended with')),
};

export const reason = label(reasonMaxLength);

/** Not only spaces. Throws GatewayError `invalid_parameter`. */
export function parseReason(text: string): string {
  const trimmed = text.trim();
  if (trimmed !== '') return trimmed;
  throw new GatewayError('invalid_parameter', "Invalid value for 'reason': expected more than spaces.", {
    param: 'reason',
  });
}
