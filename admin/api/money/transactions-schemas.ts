/** Transactions as the interface specifies them (§2.5), and their filters. */
import { Type } from '@sinclair/typebox';
import { formatUsd, nanoUsd } from '../../../shared/money.ts';
import { perUnitInstead } from '../../../shared/usage/billable-units.ts';
import type { LedgerLine } from '../../database/tables/ledger-views.ts';
import { paymentCurrencies } from '../../database/tables/payments.ts';
import type { TransactionFilter } from '../../ledger/queries/lines-of-account.ts';
import type { StatementLine } from '../../ledger/queries/list-transactions.ts';
import { type TransactionParts, transactionKinds } from '../../ledger/queries/read-parts.ts';
import { formatMinorUnits, minorUnits } from '../../money/payment-money.ts';
import { model, uuid } from '../fields/example-values.ts';
import { usdFields, usdText, usdValues } from '../fields/money.ts';
import { parseRange, rangeFields } from '../fields/range-query.ts';
import { flag, integer, oneOf, pageCursor, pageLimit, pageOffset, text, timestamp } from '../fields/schemas.ts';

export const transactionsMax = 50;

const types = ['usage', 'payment', 'refund'] as const;
const filterFields = {
  ...rangeFields,
  type: Type.Optional(oneOf(types, 'Lists only transactions of this type. Without it, all types.')),
};

export const transactionsQuery = Type.Object({
  limit: pageLimit(transactionsMax, 'How many transactions to return at most.'),
  cursor: pageCursor,
  offset: pageOffset('How many of the newest matching transactions to skip.'),
  ...filterFields,
});

export const exportQuery = Type.Object(filterFields);

export const transactionSchema = Type.Object(
  {
    id: integer('The id of the transaction.', 1),
    ...usdFields(
      'amount',
      'By how much the balance changed, in USD: negative for a charge, positive for a credit.',
      '10',
    ),
    type: oneOf(
      types,
      'Why the balance changed: `usage` is the charge of a request, or a correction of one.',
      'payment',
    ),
    description: text(
      'What the transaction is for: the model and the tokens, or the reason that an operator gave.',
      'Invoice 17',
    ),
    createdAt: timestamp('When the transaction was booked.', '2030-01-01T09:00:00.000Z'),
    requestId: Type.Optional(
      Type.String({
        format: 'uuid',
        description: 'The `x-request-id` of the request that was charged. Only with the type `usage`.',
      }),
    ),
    model: Type.Optional(text('The id of the model that was used. Only with the type `usage`.')),
  },
  { title: 'Transaction' },
);

/** The charge of the request that other examples show; the fields' own examples are of the payment before it. */
export const chargeExample: typeof transactionSchema.static = {
  id: 12,
  amount: -0.00002376,
  amountUsd: '-0.00002376',
  type: 'usage',
  description: `${model}: 12 prompt + 30 completion tokens`,
  createdAt: '2030-01-01T12:00:00.000Z',
  requestId: uuid,
  model,
};

const partsSchema = Type.Object(
  {
    kind: oneOf(
      transactionKinds,
      '`usage`: the charge of a request, or a correction of one. `recovered_usage`: charges whose receipts were lost when the ' +
        'database was restored. `top_up`: a payment. `refund`: we returned a payment. `reversal`: the bank or the provider ' +
        'took it back. `restoration`: a dispute was won. `failed_refund`: a refund came back to us. `collection`: what the ' +
        'balance lacked for a reversal. `credit`, `debit`: booked by an operator, who wrote `description`.',
      'credit',
    ),
    promptTokens: Type.Optional(integer('Of `usage`: the prompt tokens that were charged.')),
    completionTokens: Type.Optional(integer('Of `usage`: the completion tokens that were charged.')),
    ...perUnitInstead(({ noun: [, several] }) =>
      Type.Optional(integer(`Of \`usage\`: how many ${several} were charged; 0 for tokens.`)),
    ),
    variant: Type.Optional(
      text(
        'Of `usage`, which of the prices applied: for images their size and quality, such as `1024x1024/high`; for tokens the ' +
          'service tier and step, such as `flex` or `priority>200000`; empty for the usual prices.',
      ),
    ),
    isEstimated: Type.Optional(flag('Of `usage`: whether the provider reported no usage, so that it was estimated.')),
    paymentId: Type.Optional(text('Of payments and their refunds: the id of the payment.')),
    method: Type.Optional(text('Of payments and their refunds: the id of the payment method.')),
    paidAmount: Type.Optional(text('Of payments and their refunds: the amount in `paidCurrency`, with two decimals.')),
    paidCurrency: Type.Optional(oneOf(paymentCurrencies, 'The currency of `paidAmount`.')),
  },
  {
    title: 'TransactionParts',
    description: 'The content of `description` as separate fields, for your own wording.',
  },
);

export const statementLineSchema = Type.Composite(
  [
    transactionSchema,
    Type.Object({
      parts: partsSchema,
      balanceAfter: usdText(
        'The balance after the transaction, in the order of the list. A charge that is booked late changes the balances above it.',
        '10',
      ),
    }),
  ],
  { title: 'StatementLine' },
);

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

export function renderStatementLine(statementLine: StatementLine): typeof statementLineSchema.static {
  const { line, parts, balanceAfterNano } = statementLine;
  return { ...renderTransaction(line), parts: renderParts(parts), balanceAfter: formatUsd(balanceAfterNano) };
}

function renderParts({ kind, units, payment }: TransactionParts): typeof partsSchema.static {
  if (payment === undefined) return { kind, ...units };
  const { paymentId, method, amountMinor, currency: paidCurrency } = payment;
  return { kind, paymentId, method, paidAmount: formatMinorUnits(minorUnits(amountMinor)), paidCurrency };
}
