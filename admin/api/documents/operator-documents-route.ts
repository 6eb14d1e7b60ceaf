/** /api/operator: documents of any account, and their corrections. */
import { Elysia } from 'elysia';
import { checkValue } from '../../../shared/http/check-value.ts';
import { findAccount } from '../../accounts/search-accounts.ts';
import { authorized } from '../../auth/authorize.ts';
import { accountNotFound } from '../../database/rows/lock-account.ts';
import { findDocument } from '../../documents/document.ts';
import { prepareIssuing } from '../../documents/document-services.ts';
import { correctDocument } from '../../documents/issue/correction.ts';
import { withIdempotency } from '../../http/idempotency/idempotency.ts';
import { requireIdempotencyKey } from '../../http/idempotency/idempotency-key.ts';
import { checkQuery } from '../../http/request/check-query.ts';
import type { AdminServices } from '../../services.ts';
import { idParams, parseReason } from '../operator/operator-schemas.ts';
import { correctDocumentDocs, correctionBody, getOperatorPdfDocs, listAccountDocumentsDocs } from './document-docs.ts';
import { handlePdf, readDocumentPage } from './document-routes.ts';
import { documentParams, documentsQuery, renderDocument } from './document-schemas.ts';

const accountParams = idParams('an account');

export function operatorDocumentsRoute(services: AdminServices) {
  const { db } = services.database;
  return new Elysia({ prefix: '/api/operator' })
    .use(authorized(services))
    .get(
      '/accounts/:id/documents',
      async ({ params, query }) => {
        const { id } = checkQuery(accountParams, params);
        const filter = checkQuery(documentsQuery, query);
        if ((await findAccount(db, id)) === undefined) throw accountNotFound(id, 'id');
        return readDocumentPage(db, id, filter);
      },
      listAccountDocumentsDocs,
    )
    .get(
      '/documents/:documentId/pdf',
      async ({ caller, params, request }) => {
        const { documentId: id } = checkQuery(documentParams, params);
        return handlePdf(services, { id }, { accountId: caller.accountId, signal: request.signal });
      },
      getOperatorPdfDocs,
    )
    .post(
      '/documents/:documentId/correct',
      async ({ actor, body, caller, headers, params, set }) => {
        const { documentId } = checkQuery(documentParams, params);
        const reason = parseReason(checkValue(correctionBody, body).reason);
        const key = requireIdempotencyKey(headers['idempotency-key']);
        await findDocument(db, documentId);
        const endpoint = `POST /api/operator/documents/${documentId}/correct`;
        const place = { accountId: caller.homeAccountId, endpoint, key, body };
        const once = { db, config: services.config };
        const response = await withIdempotency(once, place, async (transaction) => {
          const issuing = prepareIssuing({ ...services, now: () => new Date() });
          const { id } = await correctDocument(transaction, issuing, { actor, correction: { documentId, reason } });
          return { status: 201, body: { id } };
        });
        set.status = response.status;
        return renderDocument(await findDocument(db, response.body.id));
      },
      correctDocumentDocs,
    );
}
