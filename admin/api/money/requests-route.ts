/** /api/requests: what the caller's account was charged for, request by request, and the receipt of each. */
import { Elysia } from 'elysia';
import { authorized } from '../../auth/authorize.ts';
import { checkQuery } from '../../http/request/check-query.ts';
import { encodeRequestCursor } from '../../http/request/page-cursor.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { listRequests, type RequestFilter } from '../../ledger/queries/list-requests.ts';
import type { AdminServices } from '../../services.ts';
import { parseDimensionFilter } from './dimension-filter.ts';
import { readReceiptInTurn } from './read-receipt-in-turn.ts';
import { renderListed, renderReceipt } from './render-request.ts';
import { getRequestDocs, listRequestsDocs } from './requests-docs.ts';
import { parseRequestFilter, requestParams, requestsMax, requestsQuery } from './requests-schemas.ts';

export function requestsRoute(services: AdminServices) {
  const ledger = { db: services.database.db, archive: services.archive };
  return new Elysia({ prefix: '/api/requests' })
    .use(authorized(services))
    .get(
      '',
      ({ caller, query, request: { signal } }) =>
        readRequestPage({ ...ledger, signal }, caller, checkQuery(requestsQuery, query)),
      listRequestsDocs,
    )
    .get(
      '/:requestId',
      async ({ caller: { accountId, keysOf }, params, request: { signal } }) => {
        const { requestId } = checkQuery(requestParams, params);
        const search = { requestId, accountId, keysOf };
        return renderReceipt(await readReceiptInTurn(services, { accountId, signal }, search));
      },
      getRequestDocs,
    );
}

export async function readRequestPage(
  ledger: Ledger,
  { accountId, keysOf }: Pick<RequestFilter, 'accountId' | 'keysOf'>,
  { limit = requestsMax, ...filter }: typeof requestsQuery.static,
) {
  const dimension = await parseDimensionFilter(ledger.db, accountId, filter);
  const found = await listRequests(ledger, { ...parseRequestFilter(accountId, filter), dimension, keysOf }, limit + 1);
  const page = found.slice(0, limit);
  const last = found.length > limit ? page.at(-1)?.event : undefined;
  return {
    requests: page.map(renderListed),
    nextCursor:
      last === undefined ? null : encodeRequestCursor({ at: last.chargedAt, id: last.requestId, rank: last.rank }),
  };
}
