/** The documentation of bank statements. */
import { operatorsOnly } from '../../../auth/require-operator.ts';
import { lineNotFound } from '../../../payments/bank/book-line.ts';
import { invalidStatement, noBankTransfers } from '../../../payments/bank/take-statement.ts';
import { describe } from '../../docs/describe.ts';
import { operatorPaymentExample } from '../payment-examples.ts';
import {
  bookBody,
  bookedSchema,
  type lineSchema,
  openLinesQuery,
  openLinesSchema,
  statementBody,
  statementSchema,
} from './bank-statement-schemas.ts';

const common = { tag: 'Operators', security: 'accessToken' } as const;

const line: typeof lineSchema.static = {
  id: 31,
  date: '2030-01-02',
  number: '4711',
  amount: '1000.00',
  payer: { name: 'ООО «Ромашка»', inn: '7707083893', account: '40702810938000000001' },
  purpose: 'Оплата по счёту № 17 от 01.01.2030',
  state: 'certain',
  reason: 'Amount, invoice number and INN agree.',
  paymentId: null,
  otherAccountIds: [],
  candidates: [
    {
      paymentId: operatorPaymentExample.id,
      accountId: operatorPaymentExample.accountId,
      isVerified: true,
      amount: '1000.00',
      number: '17',
      isCanceled: false,
      agrees: { amount: true, number: true, inn: true },
    },
  ],
};

export const uploadStatementDocs = describe({
  ...common,
  id: 'uploadBankStatement',
  summary: 'Upload a bank statement',
  description:
    'Reads incoming transfers and finds the invoices that they pay. Nothing is booked. A statement is accepted as a whole or not ' +
    'at all; uploading it again, or another one with the same transfers, adds nothing.',
  body: { schema: statementBody, example: { file: 'MUNDbGllbnRCYW5rRXhjaGFuZ2UKLi4uCtCa0L7QvdC10YbQpNCw0LnQu9Cw' } },
  response: { status: 200, description: 'Its lines.', schema: statementSchema, example: { lines: [line] } },
  errors: [operatorsOnly(), noBankTransfers(), invalidStatement([{ line: 12, message: "'Сумма' is missing" }])],
});

export const listLinesDocs = describe({
  ...common,
  id: 'listBankStatementLines',
  summary: 'Transfers without a confirmed payment',
  description: 'Of all uploaded statements.',
  query: openLinesQuery,
  response: {
    status: 200,
    description: 'A page of lines.',
    schema: openLinesSchema,
    example: { lines: [line], total: 1 },
  },
  errors: [operatorsOnly()],
});

export const bookLinesDocs = describe({
  ...common,
  id: 'bookBankStatementLines',
  summary: 'Book transfers',
  description:
    "Confirms the payments that the lines pay, with the bank's day and number. A line that is not `certain` needs your " +
    'choice of a payment with the same amount. Repeating the request books nothing twice.',
  body: { schema: bookBody, example: { lines: [{ id: 31 }, { id: 32, paymentId: operatorPaymentExample.id }] } },
  response: {
    status: 200,
    description: 'The lines after the change.',
    schema: bookedSchema,
    example: {
      lines: [
        {
          ...line,
          state: 'booked',
          reason: 'Already booked.',
          paymentId: operatorPaymentExample.id,
          candidates: [],
          error: null,
        },
      ],
    },
  },
  errors: [operatorsOnly(), lineNotFound(33)],
});
