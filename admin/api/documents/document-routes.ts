/** /api/documents: the caller's accounting documents. */
import { Elysia } from 'elysia';
import { checkValue } from '../../../shared/http/check-value.ts';
import { authorized } from '../../auth/authorize.ts';
import { Throttle, throttleKey } from '../../auth/throttle/throttle.ts';
import type { DbOrTransaction } from '../../database/connect.ts';
import { refuseUnproven } from '../../database/rows/account-state.ts';
import { findDocument } from '../../documents/document.ts';
import { prepareIssuing } from '../../documents/document-services.ts';
import { type PdfFile, type PdfInput, type PdfServices, readPdf } from '../../documents/files/read-pdf.ts';
import { listDocuments } from '../../documents/list-documents.ts';
import { makeDocument } from '../../documents/make-document.ts';
import type { HeavyTask } from '../../heavy-work/heavy-work.ts';
import { withIdempotency } from '../../http/idempotency/idempotency.ts';
import { readIdempotencyKey } from '../../http/idempotency/idempotency-key.ts';
import { checkQuery } from '../../http/request/check-query.ts';
import type { AdminServices } from '../../services.ts';
import { creationRefusal, getPdfDocs, listDocumentsDocs, makeDocumentDocs } from './document-docs.ts';
import {
  documentBody,
  documentParams,
  documentsMax,
  documentsQuery,
  readDocumentInput,
  renderDocument,
} from './document-schemas.ts';

const makingMax = 60;
const makingWindowMs = 3_600_000;

export function documentRoutes(services: AdminServices) {
  const { db } = services.database;
  const throttle = new Throttle(services.redis, services.log);
  return new Elysia({ prefix: '/api/documents' })
    .use(authorized(services))
    .get(
      '',
      ({ caller, query }) => readDocumentPage(db, caller.accountId, checkQuery(documentsQuery, query)),
      listDocumentsDocs,
    )
    .get(
      '/:documentId/pdf',
      async ({ caller: { accountId }, params, request }) => {
        const { documentId: id } = checkQuery(documentParams, params);
        return handlePdf(services, { id, accountId }, { accountId, signal: request.signal });
      },
      getPdfDocs,
    )
    .post(
      '',
      async ({ body, caller, headers, request, set }) => {
        const key = readIdempotencyKey(headers['idempotency-key']);
        const { accountId } = caller;
        const input = readDocumentInput(checkValue(documentBody, body));
        await refuseUnproven(db, accountId);
        const counter = { key: throttleKey('documents', String(accountId)), max: makingMax, windowMs: makingWindowMs };
        await throttle.take([counter], creationRefusal);
        const place = { accountId, endpoint: 'POST /api/documents', key, body };
        const once = { db, config: services.config };
        const make = () =>
          withIdempotency(once, place, async (transaction) => {
            const issuing = prepareIssuing({ ...services, now: () => new Date() });
            const { id } = await makeDocument(transaction, issuing, { accountId, input });
            return { status: 201, body: { id } };
          });
        const response = await services.heavyWork.run({ kind: 'query', accountId, signal: request.signal }, make);
        set.status = response.status;
        return renderDocument(await findDocument(db, response.body.id));
      },
      makeDocumentDocs,
    );
}

export async function readDocumentPage(
  db: DbOrTransaction,
  accountId: number,
  { limit = documentsMax, offset = 0, type, from, to }: typeof documentsQuery.static,
) {
  const page = await listDocuments(db, { accountId, type, from, to }, { limit, offset });
  return { documents: page.documents.map(renderDocument), total: page.total };
}

/** In a turn of the account that asks. What is not kept yet is drawn in a thread. */
export async function handlePdf(
  { database: { db }, heavyWork, pdfWorkers, seller }: AdminServices,
  input: PdfInput,
  { accountId, signal }: Pick<HeavyTask, 'accountId' | 'signal'>,
): Promise<Response> {
  const services: PdfServices = { db, seller, draw: (data, look) => pdfWorkers.draw(data, look) };
  return pdfResponse(await heavyWork.run({ kind: 'document', accountId, signal }, () => readPdf(services, input)));
}

/** With both names of RFC 6266: what older programs read, and what people want to see. */
function pdfResponse({ name, plainName, bytes }: PdfFile): Response {
  const headers = {
    'content-type': 'application/pdf',
    'content-disposition': `attachment; filename="${plainName}"; filename*=UTF-8''${encodeURIComponent(name)}`,
  };
  return new Response(bytes, { headers });
}
