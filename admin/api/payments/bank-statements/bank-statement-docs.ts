/** The documentation of bank statements. */
import { exampleOf } from '../../../../shared/openapi/example-of.ts';
import { lineNotFound } from '../../../payments/bank/book-line.ts';
import { invalidStatement, noBankTransfers } from '../../../payments/bank/take-statement.ts';
import { describe } from '../../docs/describe.ts';
import { uuid } from '../../fields/example-values.ts';
import {
  bookBody,
  bookedSchema,
  openLinesQuery,
  openLinesSchema,
  statementBody,
  statementSchema,
} from './bank-statement-schemas.ts';

const common = { tag: 'Operators', permission: 'operator' } as const;

/** The first of the two lines of the request. */
const booked = exampleOf(bookedSchema.properties.lines.items, {
  state: 'booked',
  reason: 'Already booked.',
  paymentId: uuid,
  candidates: [],
});

export const uploadStatementDocs = describe({
  ...common,
  id: 'uploadBankStatement',
  summary: 'Upload a bank statement',
  description:
    'Reads incoming transfers and finds the invoices that they pay. Nothing is booked. A statement is accepted as a whole or not ' +
    'at all; uploading it again, or another one with the same transfers, adds nothing.',
  body: { schema: statementBody },
  response: { description: 'Its lines.', schema: statementSchema },
  errors: [noBankTransfers(), invalidStatement([{ line: 12, message: "'Сумма' is missing" }])],
});

export const listLinesDocs = describe({
  ...common,
  id: 'listBankStatementLines',
  summary: 'Transfers without a confirmed payment',
  description: 'Of all uploaded statements.',
  query: openLinesQuery,
  response: { description: 'A page of lines.', schema: openLinesSchema },
});

export const bookLinesDocs = describe({
  ...common,
  id: 'bookBankStatementLines',
  summary: 'Book transfers',
  description:
    "Confirms the payments that the lines pay, with the bank's day and number. A line that is not `certain` needs your " +
    'choice of a payment with the same amount. Repeating the request books nothing twice.',
  body: { schema: bookBody },
  response: { description: 'The lines after the change.', schema: bookedSchema, example: { lines: [booked] } },
  errors: [lineNotFound(33)],
});
