/** The schemas of accounting documents. */
import { Type } from '@sinclair/typebox';
import { GatewayError } from '../../../shared/errors.ts';
import { documentTypes } from '../../database/tables/documents.ts';
import { type Document, documentStatuses } from '../../documents/document.ts';
import { roubles } from '../../documents/document-services.ts';
import type { DocumentInput } from '../../documents/make-document.ts';
import { isDay, lastDayOf } from '../../lots/months.ts';
import { checkedBy } from '../fields/checked-by.ts';
import { uuid } from '../fields/example-values.ts';
import { closedObject, integer, nullable, oneOf, pageLimit, text, timestamp } from '../fields/schemas.ts';

export const documentsMax = 50;
const offsetMax = 1_000_000;
const earliestYear = 2000;
const types =
  '`invoice`: for an order by bank transfer. `advance_invoice`: for a payment, where the seller pays VAT. `act`, `upd`: the ' +
  'services of a month. `tax_invoice`: beside an act. `reconciliation`: payments, returns and services of a period.';

const pastDay = (description: string) =>
  checkedBy<string>(
    { type: 'string', format: 'date', description, expected: 'a day such as 2030-01-31' },
    (value) => typeof value === 'string' && isRecentDay(value),
  );
const month = checkedBy<string>(
  {
    type: 'string',
    description: 'A past month, such as `2030-01`. Required for an `act`.',
    expected: 'a month such as 2030-01',
    example: '2030-01',
  },
  (value) => typeof value === 'string' && value.length === 7 && isRecentDay(`${value}-01`),
);

function isRecentDay(value: string): boolean {
  return isDay(value) && Number(value.slice(0, 4)) >= earliestYear;
}

export const createdTypes = ['act', 'reconciliation'] as const;

export const documentBody = closedObject({
  type: oneOf(
    createdTypes,
    'The document to create: the `act` of a month, which is an `upd` if the seller issues those, or a `reconciliation` of a period.',
  ),
  month: Type.Optional(month),
  from: Type.Optional(pastDay('The first day of a `reconciliation`, instead of `month`.')),
  to: Type.Optional(pastDay('Its last day, at most today.')),
});

export const documentParams = Type.Object({
  documentId: Type.String({
    pattern: '^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$',
    description: 'The `id` of the document.',
    expected: 'the id of a document',
  }),
});

export const documentsQuery = Type.Object({
  type: Type.Optional(oneOf(documentTypes, 'Lists only documents of this type. Without it, all types.')),
  from: Type.Optional(pastDay('Lists only documents dated this day or later.')),
  to: Type.Optional(pastDay('Lists only documents dated this day or earlier.')),
  limit: pageLimit(documentsMax, 'How many documents to return at most.'),
  offset: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: offsetMax,
      default: 0,
      description: 'How many of the newest matching documents to skip.',
      expected: `a whole number from 0 to ${offsetMax}`,
    }),
  ),
});

const fields = {
  id: text('The id of the document, a UUID.', uuid),
  type: oneOf(documentTypes, types, 'act'),
  number: integer('Its number: sequential per type and year of `date`.', 12),
  date: text('The day of the document, such as `2030-01-31`. An act has the last day of its month.', '2030-01-31'),
  periodFrom: nullable(text('The first day of its period; null for the document of a payment.', '2030-01-01')),
  periodTo: nullable(text('The last day of its period; null for the document of a payment.', '2030-01-31')),
  paymentId: nullable(text('The id of its payment; null if it covers a period.')),
  amount: text(
    'A decimal string with two decimals, VAT included. For a `reconciliation`, the closing balance: above zero if the ' +
      'customer has paid in advance.',
    '1234.56',
  ),
  currency: oneOf(['RUB'], 'The currency of `amount`.'),
  status: oneOf(documentStatuses, '`corrected` if a newer document replaces it, otherwise `issued`.', 'issued'),
  correctsId: nullable(text('The id of the document that it replaces; null if it corrects none.')),
  correctionNumber: nullable(
    integer(
      'Of a corrected `advance_invoice`, `tax_invoice` or `upd`, which keeps its number and date; otherwise null.',
    ),
  ),
  correctionDate: nullable(text('The day of that correction; otherwise null.')),
  createdAt: timestamp('When it was created.', '2030-02-02T00:00:04.000Z'),
};

export const documentSchema = Type.Object(fields, { title: 'Document' });
export const documentListSchema = Type.Object(
  {
    documents: Type.Array(documentSchema, { description: 'The matching documents of this page, newest first.' }),
    total: integer('How many documents match, on all pages.', 1),
  },
  { title: 'DocumentList' },
);

export function renderDocument(document: Document): typeof documentSchema.static {
  const { id, type, number, date, periodFrom, periodTo, paymentId, status, correctsId, correctionDate } = document;
  return {
    id,
    type,
    number,
    date,
    periodFrom,
    periodTo,
    paymentId,
    amount: roubles(document.amountKopecks),
    currency: 'RUB',
    status,
    correctsId,
    correctionNumber: correctionDate === null ? null : document.correctionNumber,
    correctionDate,
    createdAt: document.createdAt.toISOString(),
  };
}

/** Throws GatewayError `missing_parameter` or `invalid_parameter`. */
export function readDocumentInput({ type, month, from, to }: typeof documentBody.static): DocumentInput {
  if (type === 'act') {
    if (from !== undefined || to !== undefined) throw wrongWith(from === undefined ? 'to' : 'from', 'month');
    if (month === undefined) throw missing('month');
    return { type, month: `${month}-01` };
  }
  if (month !== undefined) {
    if (from !== undefined || to !== undefined) throw wrongWith(from === undefined ? 'to' : 'from', 'month');
    const first = `${month}-01`;
    return { type, period: { from: first, to: lastDayOf(first) } };
  }
  if (from === undefined) throw missing('from');
  if (to === undefined) throw missing('to');
  return { type, period: { from, to } };
}

function missing(param: string): GatewayError {
  return new GatewayError('missing_parameter', `Missing required parameter: '${param}'.`, { param });
}

function wrongWith(param: string, instead: string): GatewayError {
  const message = `Invalid value for '${param}': an act takes '${instead}', and a reconciliation either '${instead}' or 'from' and 'to'.`;
  return new GatewayError('invalid_parameter', message, { param });
}
