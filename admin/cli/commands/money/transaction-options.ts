/** Which transactions an operator wants to see, and how lists show them. */
import { checkValue } from '../../../../shared/http/check-value.ts';
import { withoutUndefined } from '../../../../shared/members.ts';
import { exportQuery, type renderTransaction } from '../../../api/money/transactions-schemas.ts';

type Transaction = ReturnType<typeof renderTransaction>;

export const transactionArguments = {
  type: { type: 'string', description: 'Only usage, payment or refund' },
  from: { type: 'string', description: 'Not before, such as 2030-01-31T12:00:00Z' },
  to: { type: 'string', description: 'Before' },
} as const;

export const transactionColumns = {
  TRANSACTION: ({ id }: Transaction) => id,
  AT: ({ createdAt }: Transaction) => createdAt,
  TYPE: ({ type }: Transaction) => type,
  AMOUNT: ({ amountUsd }: Transaction) => dollars(amountUsd),
  DESCRIPTION: ({ description }: Transaction) => description,
};

interface Options {
  readonly type?: string | undefined;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

/** Throws GatewayError `invalid_parameter`. */
export function readTransactionFilter(options: Options): typeof exportQuery.static {
  return checkValue(exportQuery, withoutUndefined(options));
}

/** `-$0.0000004`, with the sign first. */
function dollars(amount: string): string {
  return amount.replace(/^-?/, '$&$$');
}
