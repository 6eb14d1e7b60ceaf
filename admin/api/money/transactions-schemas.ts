/** Transactions as the interface specifies them (§2.5), and their filters. */
import { Type } from '@sinclair/typebox';
import { formatUsd, nanoUsd } from '../../../shared/money.ts';
import type { LedgerLine, StatementLine, TransactionFilter } from '../../ledger/queries/list-transactions.ts';
import { usdFields, usdText, usdValues } from '../fields/money.ts';
import { parseRange, rangeFields } from '../fields/range-query.ts';
import { integer, oneOf, pageLimit, text, timestamp } from '../fields/schemas.ts';

export const transactionsMax = 50;
/** Postgres scans everything that is skipped; `to` reaches further back at no cost. */
const offsetMax = 1_000_000;

const types = ['usage', 'payment', 'refund'] as const;
const filterFields = {
  ...rangeFields,
  type: Type.Optional(oneOf(types, 'Lists only transactions of this type. Without it, all types.')),
};

export const transactionsQuery = Type.Object({
  limit: pageLimit(transactionsMax, 'How many transactions to return at most.'),
  offset: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: offsetMax,
      default: 0,
      description: 'How many of the newest matching transactions to skip. To reach further back, use `to`.',
      expected: `a whole number from 0 to ${offsetMax}`,
    }),
  ),
  ...filterFields,
});

export const exportQuery = Type.Object(filterFields);

export const transactionSchema = Type.Object({
  id: integer('The id of the transaction.'),
  ...usdFields('amount', 'By how much the balance changed, in USD: negative for a charge, positive for a credit.'),
  type: oneOf(types, 'Why the balance changed: `usage` is the charge of a request, or a correction of one.'),
  description: text('What the transaction is for: the model and the tokens, or the reason that an operator gave.'),
  createdAt: timestamp('When the transaction was booked.'),
  requestId: Type.Optional(
    Type.String({
      format: 'uuid',
      description: 'The `x-request-id` of the request that was charged. Only with the type `usage`.',
    }),
  ),
  model: Type.Optional(text('The id of the model that was used. Only with the type `usage`.')),
});

export const statementLineSchema = Type.Composite([
  transactionSchema,
  Type.Object({
    balanceAfter: usdText(
      'The balance after the transaction, in the order of the list. A charge that is booked late changes those above it.',
    ),
  }),
]);

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

export function renderStatementLine({ line, balanceAfterNano }: StatementLine): typeof statementLineSchema.static {
  return { ...renderTransaction(line), balanceAfter: formatUsd(balanceAfterNano) };
}
