/** /api/requests: what the caller's account was charged for, request by request, and the receipt of each. */
import { Elysia } from 'elysia';
import { authorized } from '../../auth/authorize.ts';
import type { HeavyTask } from '../../heavy-work/heavy-work.ts';
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
      ({ caller, query, request: { signal } }) => {
        const filter = checkQuery(requestsQuery, query);
        const read = () => readRequestPage({ ...ledger, signal }, caller, filter);
        return readPageInTurn(services, { accountId: caller.accountId, signal }, { filter, read });
      },
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

type Filter = typeof requestsQuery.static;

/** Those without a value of a dimension are looked for among all requests of the account. Throws as `HeavyWork.run` does. */
export function readPageInTurn<Page>(
  { heavyWork }: Pick<AdminServices, 'heavyWork'>,
  task: Omit<HeavyTask, 'kind'>,
  { filter: { dimension, value }, read }: { filter: Filter; read: () => Promise<Page> },
): Promise<Page> {
  if (dimension === undefined || value !== undefined) return read();
  return heavyWork.run({ kind: 'query', ...task }, read);
}

export async function readRequestPage(
  ledger: Ledger,
  { accountId, keysOf }: Pick<RequestFilter, 'accountId' | 'keysOf'>,
  { limit = requestsMax, ...filter }: Filter,
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
