/** The schemas of bank statements: what operators upload, choose and read. */
import { Type } from '@sinclair/typebox';
import { formatMinorUnits, minorUnits } from '../../../money/payment-money.ts';
import type { MatchedLine } from '../../../payments/bank/bank-lines.ts';
import type { LineOutcome } from '../../../payments/bank/book-line.ts';
import { customer, uuid } from '../../fields/example-values.ts';
import { closedObject, day, flag, idOf, integer, nullable, oneOf, pageLimit, text } from '../../fields/schemas.ts';
import { paymentParams, paymentsMax } from '../payment-schemas.ts';

/** A statement of 5 MB in Base64. */
const fileMaxLength = 7_000_000;
const chosenMax = 1_000;
export const linesMax = paymentsMax;
const lineIdExample = 31;
const amountExample = '1000.00';

export const statementBody = closedObject({
  file: Type.String({
    minLength: 1,
    maxLength: fileMaxLength,
    description: 'The file of the bank, in Base64: `1CClientBankExchange` in Windows-1251, CP866 or UTF-8.',
    expected: 'a file in Base64',
    example: 'MUNDbGllbnRCYW5rRXhjaGFuZ2UKLi4uCtCa0L7QvdC10YbQpNCw0LnQu9Cw',
  }),
});

export const openLinesQuery = Type.Object({
  limit: pageLimit(linesMax, 'How many lines to return at most.'),
  offset: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 1_000_000,
      default: 0,
      description: 'How many of the newest open lines to skip.',
      expected: 'a whole number from 0 to 1000000',
    }),
  ),
});

export const bookBody = closedObject({
  lines: Type.Array(
    closedObject({
      id: idOf('a line', 'The `id` of the line.'),
      paymentId: Type.Optional(
        Type.String({
          ...paymentParams.properties.paymentId,
          description: 'The payment that it pays. Without it, the line is booked only if it is `certain`.',
        }),
      ),
    }),
    {
      minItems: 1,
      maxItems: chosenMax,
      description: 'The lines to book. Each is booked or refused on its own.',
      expected: `1 to ${chosenMax} lines`,
      example: [{ id: lineIdExample }, { id: lineIdExample + 1, paymentId: uuid }],
    },
  ),
});

const candidateSchema = Type.Object(
  {
    paymentId: text('The id of the payment.', uuid),
    accountId: integer('The id of its account.', customer.accountId),
    isVerified: flag(
      "Whether the account's e-mail address is verified. The transfer is never `certain` otherwise.",
      true,
    ),
    amount: text('What was ordered, in roubles. A decimal string with two decimals.', amountExample),
    number: nullable(text('The number of its invoice; null if there is none.', '17')),
    isCanceled: flag('Whether the order was canceled. The transfer is never `certain` then.'),
    agrees: Type.Object(
      {
        amount: flag('Whether the amounts are equal.', true),
        number: flag('Whether the purpose names the number.', true),
        inn: flag("Whether the payer's INN is the customer's.", true),
      },
      { description: 'The facts that agree with the transfer.' },
    ),
  },
  { title: 'BankStatementCandidate' },
);

const lineFields = {
  id: integer('The id of the line.', lineIdExample),
  date: day('The day on which the bank booked it.', '2030-01-02'),
  number: text("The payer's number of the transfer.", '4711'),
  amount: text('The amount received, in roubles. A decimal string with two decimals.', amountExample),
  payer: Type.Object(
    {
      name: text('The name of the company or person, as the bank writes it.', customer.companyName),
      inn: text('The INN; empty if the statement does not state it.', customer.inn),
      account: text("The number of the payer's bank account.", '40702810938000000001'),
    },
    { description: 'The payer. Empty strings after the account was deleted.' },
  ),
  purpose: text('The purpose of the transfer.', 'Оплата по счёту № 17 от 01.01.2030'),
  state: oneOf(
    ['booked', 'certain', 'proposed', 'unmatched'],
    '`booked` if it confirms a payment. `certain` if amount, invoice number and INN agree with exactly one open ' +
      'invoice, of a verified account, and no other account may have ordered it. `proposed` if only some do, the order was ' +
      'canceled, or another account is a candidate too. `unmatched` if no unpaid invoice matches.',
    'certain',
  ),
  reason: text('Why it is in this state.', 'Amount, invoice number and INN agree.'),
  paymentId: nullable(text('The payment that it confirms; null if there is none.')),
  otherAccountIds: Type.Array(integer('The id of an account.'), {
    description:
      "Accounts other than that of the best candidate that have the payer's INN, or an order with this number and amount. " +
      'Anyone can enter any INN, so the transfer is `certain` only if there are none.',
  }),
  candidates: Type.Array(candidateSchema, {
    description: 'Unpaid invoices that it may pay, the best match first.',
  }),
};

export const lineSchema = Type.Object(lineFields, { title: 'BankStatementLine' });
export const statementSchema = Type.Object(
  {
    lines: Type.Array(lineSchema, { description: 'The incoming transfers, in the order of the statement.' }),
  },
  { title: 'BankStatement' },
);
export const openLinesSchema = Type.Object(
  {
    lines: Type.Array(lineSchema, { description: 'The lines of this page, newest first.' }),
    total: integer('How many lines confirm no payment yet.', 1),
  },
  { title: 'OpenBankLines' },
);
export const bookedSchema = Type.Object(
  {
    lines: Type.Array(
      Type.Object({
        ...lineFields,
        error: nullable(
          Type.Object(
            { code: text('The code of the error.'), message: text('What is wrong.') },
            { description: 'Why it was not booked; null if it is booked.' },
          ),
        ),
      }),
      { description: 'The chosen lines after the change.' },
    ),
  },
  { title: 'BookedBankLines' },
);

export function renderLine({ match, ...line }: MatchedLine): typeof lineSchema.static {
  return {
    id: line.id,
    date: line.bankDate,
    number: line.number,
    amount: formatMinorUnits(line.amountKopecks),
    payer: { name: line.payerName, inn: line.payerInn, account: line.payerAccount },
    purpose: line.purpose,
    state: match.state,
    reason: match.reason,
    paymentId: line.paymentId,
    otherAccountIds: [...match.otherAccountIds],
    candidates: match.candidates.map(({ invoice, agrees }) => ({
      paymentId: invoice.paymentId,
      accountId: invoice.accountId,
      isVerified: invoice.isVerified,
      amount: formatMinorUnits(minorUnits(invoice.amountKopecks)),
      number: invoice.number,
      isCanceled: invoice.isCanceled,
      agrees: { ...agrees },
    })),
  };
}

export function renderOutcome({ line, error }: LineOutcome): (typeof bookedSchema.static)['lines'][number] {
  return { ...renderLine(line), error: error === undefined ? null : { code: error.code, message: error.message } };
}
