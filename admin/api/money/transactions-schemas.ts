/** Transactions as the interface shows them (§2.5), and what they can be filtered by. */
import { Type } from '@sinclair/typebox';
import { nanoUsd } from '../../../shared/money.ts';
import type { LedgerLine, TransactionFilter } from '../../ledger/queries/list-transactions.ts';
import { usdFields, usdValues } from '../fields/money.ts';
import { parseRange, rangeFields } from '../fields/range-query.ts';
import { oneOf, timestamp } from '../fields/schemas.ts';

export const transactionsMax = 50;
/** Postgres walks over everything that is skipped; `to` reaches further back for nothing. */
const offsetMax = 1_000_000;

const type = oneOf(['usage', 'payment', 'refund'], 'usage, payment or refund');
const filterFields = { ...rangeFields, type: Type.Optional(type) };

export const transactionsQuery = Type.Object({
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: transactionsMax,
      default: transactionsMax,
      description: `a whole number from 1 to ${transactionsMax}`,
    }),
  ),
  offset: Type.Optional(
    Type.Integer({ minimum: 0, maximum: offsetMax, default: 0, description: `a whole number from 0 to ${offsetMax}` }),
  ),
  ...filterFields,
});

export const exportQuery = Type.Object(filterFields);

export const transactionSchema = Type.Object({
  id: Type.Integer(),
  ...usdFields('amount', 'USD; negative for deductions, positive for credits.'),
  type,
  description: Type.String(),
  createdAt: timestamp,
  requestId: Type.Optional(
    Type.String({ format: 'uuid', description: 'For usage, the `x-request-id` of the request.' }),
  ),
  model: Type.Optional(Type.String({ description: 'For usage, the model.' })),
});

/** Throws GatewayError `invalid_parameter`. */
export function parseTransactionFilter(
  accountId: number,
  { type, from, to }: typeof exportQuery.static,
): TransactionFilter {
  return { accountId, type, ...parseRange({ from, to }) };
}

export function renderTransaction(line: LedgerLine): typeof transactionSchema.static {
  const { id, amountNano, type, description, createdAt, requestId, model } = line;
  return {
    id,
    ...usdValues('amount', nanoUsd(amountNano)),
    type,
    description,
    createdAt: createdAt.toISOString(),
    ...(requestId !== null && { requestId }),
    ...(model !== null && { model }),
  };
}
