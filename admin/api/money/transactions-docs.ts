/** The documentation of transactions. */
import { Type } from '@sinclair/typebox';
import { exampleOf } from '../../../shared/openapi/example-of.ts';
import { heavyRefusals } from '../../heavy-work/heavy-work.ts';
import { archiveUnavailable } from '../../ledger/archive/usage-archive.ts';
import { describe, type Endpoint } from '../docs/describe.ts';
import { nextCursor } from '../fields/schemas.ts';
import { chargeExample, exportQuery, statementLineSchema, transactionsQuery } from './transactions-schemas.ts';

const common = { tag: 'Money' } as const;

const payment = exampleOf(statementLineSchema);
const charge = exampleOf(statementLineSchema, {
  ...chargeExample,
  parts: { kind: 'usage', promptTokens: 12, completionTokens: 30, images: 0, variant: '', isEstimated: false },
  balanceAfter: '9.99997624',
});

export const transactionsResponse: Endpoint['response'] = {
  description: 'The transactions.',
  schema: Type.Object({
    transactions: Type.Array(statementLineSchema, { description: 'The matching transactions, newest first.' }),
    nextCursor,
  }),
  example: { transactions: [charge, payment], nextCursor: null },
};

export const listTransactionsDocs = describe({
  ...common,
  id: 'listTransactions',
  permission: 'payments:read',
  summary: 'Transactions',
  description:
    'Every change of the balance: payments, refunds and charges, newest first. For the next page, repeat the request with ' +
    '`nextCursor` as `cursor`: that costs the same however far back it is, and what is booked meanwhile moves nothing. ' +
    '`offset` counts the transactions from the newest.',
  query: transactionsQuery,
  response: transactionsResponse,
  errors: [...heavyRefusals(), archiveUnavailable()],
});

export const exportTransactionsDocs = describe({
  ...common,
  id: 'exportTransactions',
  permission: 'payments:read',
  summary: 'Transactions as CSV',
  description:
    'All matching transactions, newest first, as one streamed file: RFC 4180 in UTF-8, with exact decimal amounts. It ' +
    'has every transaction that was booked before the response began. Text that a spreadsheet would interpret as a ' +
    'formula begins with an apostrophe.',
  query: exportQuery,
  response: {
    description: 'The transactions.',
    mediaType: 'text/csv',
    schema: Type.String({ description: 'A header line and a line for each transaction, as RFC 4180.' }),
    example:
      'id,createdAt,type,amount,currency,description,requestId,model\r\n' +
      '1,2030-01-01T09:00:00.000Z,payment,10,USD,Invoice 17,,\r\n',
  },
  errors: heavyRefusals(),
});
