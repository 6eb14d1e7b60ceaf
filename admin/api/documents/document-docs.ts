/** The documentation of accounting documents, for customers and operators. */
import { Type } from '@sinclair/typebox';
import { tooManyAttempts } from '../../auth/throttle/throttle.ts';
import { addressUnverified } from '../../database/rows/account-state.ts';
import { accountNotFound } from '../../database/rows/lock-account.ts';
import { documentNotFound } from '../../documents/document.ts';
import { documentsUnavailable } from '../../documents/document-services.ts';
import { detailsMissing } from '../../documents/issue/buyer.ts';
import { alreadyCorrected } from '../../documents/issue/correction.ts';
import { nothingToDocument } from '../../documents/services/month-services.ts';
import { heavyRefusals } from '../../heavy-work/heavy-work.ts';
import { keyReused, stillRunning } from '../../http/idempotency/idempotency.ts';
import { describe } from '../docs/describe.ts';
import { customer, uuid } from '../fields/example-values.ts';
import { closedObject, idempotencyHeaders, requiredIdempotencyHeaders } from '../fields/schemas.ts';
import { auditReason, idParams } from '../operator/operator-schemas.ts';
import {
  documentBody,
  documentListSchema,
  documentParams,
  documentSchema,
  documentsQuery,
} from './document-schemas.ts';

const common = { tag: 'Documents' } as const;
const forOperators = { tag: 'Operators', permission: 'operator' } as const;
const page = { description: 'A page of documents.', schema: documentListSchema };
const pdf = {
  description: 'The document. Its name is in `Content-Disposition`.',
  schema: Type.String({ format: 'binary', description: 'A PDF file.' }),
  example: '%PDF-1.7 …',
  mediaType: 'application/pdf',
} as const;

export const creationRefusal = 'Too many documents were created. Try again later.';

export const makeDocumentDocs = describe({
  ...common,
  id: 'makeDocument',
  permission: 'payments:manage',
  summary: 'Create a document',
  description:
    'Documents are created automatically: an invoice with each order by bank transfer, an act for each month with usage in ' +
    'the first days of the next one. This creates the act of a past month immediately, together with those missing ' +
    'before it; if it already exists, it is returned. Each request creates a new reconciliation. Documents are ' +
    'issued to companies and sole proprietors (`OOO`, `IP`), whose details must be complete. At most 60 requests an hour.',
  headers: idempotencyHeaders,
  body: { schema: documentBody },
  response: { status: 201, description: 'The document.', schema: documentSchema },
  errors: [
    ...heavyRefusals(),
    addressUnverified(),
    detailsMissing(['inn', 'legalAddress']),
    nothingToDocument('2030-01-01'),
    documentsUnavailable(),
    tooManyAttempts(creationRefusal, 600_000),
    stillRunning(),
    keyReused(),
  ],
});

export const listDocumentsDocs = describe({
  ...common,
  id: 'listDocuments',
  permission: 'payments:read',
  summary: 'Documents',
  description: 'Accounting documents of the account, newest first.',
  query: documentsQuery,
  response: page,
});

export const getPdfDocs = describe({
  ...common,
  id: 'getDocumentPdf',
  permission: 'payments:read',
  summary: 'A document as PDF',
  description: 'The same bytes each time: the file is stored when it is first sent or downloaded.',
  params: documentParams,
  response: pdf,
  errors: [documentNotFound(uuid), ...heavyRefusals()],
});

export const listAccountDocumentsDocs = describe({
  ...forOperators,
  id: 'listAccountDocuments',
  summary: 'Documents of an account',
  description: 'What the customer sees at `GET /api/documents`, newest first.',
  params: idParams('an account'),
  query: documentsQuery,
  response: page,
  errors: [accountNotFound(customer.accountId, 'id')],
});

export const getOperatorPdfDocs = describe({
  ...forOperators,
  id: 'getAnyDocumentPdf',
  summary: 'A document of any account as PDF',
  description: 'What the customer gets at `GET /api/documents/{documentId}/pdf`.',
  params: documentParams,
  response: pdf,
  errors: [documentNotFound(uuid), ...heavyRefusals()],
});

export const correctionBody = closedObject({ reason: auditReason('The company has moved') });

export const correctDocumentDocs = describe({
  ...forOperators,
  id: 'correctDocument',
  summary: 'Correct a document',
  description:
    'For a document with wrong company details: issues a new one, with its own number and the same content, to ' +
    'the current details. The former stays, as `corrected`.',
  params: documentParams,
  headers: requiredIdempotencyHeaders,
  body: { schema: correctionBody },
  response: { status: 201, description: 'The new document.', schema: documentSchema },
  errors: [
    documentNotFound(uuid),
    alreadyCorrected(),
    detailsMissing(['inn', 'legalAddress']),
    documentsUnavailable(),
    stillRunning(),
    keyReused(),
  ],
});
