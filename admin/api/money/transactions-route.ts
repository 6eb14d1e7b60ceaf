/** /api/transactions: every change of the caller's balance, newest first, in pages or as one CSV file. */
import { Elysia } from 'elysia';
import { authorized } from '../../auth/authorize.ts';
import { streamInTurn } from '../../heavy-work/stream-in-turn.ts';
import { streamText } from '../../http/download.ts';
import { checkQuery } from '../../http/request/check-query.ts';
import { decodeLineCursor, encodeLineCursor } from '../../http/request/page-cursor.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { listStatement } from '../../ledger/queries/list-transactions.ts';
import type { AdminServices } from '../../services.ts';
import { exportTransactionsDocs, listTransactionsDocs } from './transactions-docs.ts';
import { writeTransactions } from './transactions-file.ts';
import {
  exportQuery,
  parseTransactionFilter,
  renderStatementLine,
  transactionsMax,
  transactionsQuery,
} from './transactions-schemas.ts';

const fileHeaders = {
  'content-type': 'text/csv; charset=utf-8',
  'content-disposition': 'attachment; filename="transactions.csv"',
};

export function transactionsRoute(services: AdminServices) {
  const { database, archive, heavyWork } = services;
  const ledger = { db: database.db, archive };
  return new Elysia({ prefix: '/api/transactions' })
    .use(authorized(services))
    .get(
      '',
      ({ caller: { accountId }, query, request: { signal } }) => {
        const filter = checkQuery(transactionsQuery, query);
        return heavyWork.run({ kind: 'query', accountId, signal }, () =>
          readTransactionPage({ ...ledger, signal }, accountId, filter),
        );
      },
      listTransactionsDocs,
    )
    .get(
      '/export',
      async ({ caller: { accountId }, reauthorize, query, request: { signal } }) => {
        const filter = parseTransactionFilter(accountId, checkQuery(exportQuery, query));
        const open = () => streamText(writeTransactions(ledger, filter));
        const task = { kind: 'export', accountId, signal, reauthorize } as const;
        const stream = await streamInTurn(heavyWork, task, open);
        return new Response(stream, { headers: fileHeaders });
      },
      exportTransactionsDocs,
    );
}

export async function readTransactionPage(
  ledger: Ledger,
  accountId: number,
  { limit = transactionsMax, offset = 0, cursor, ...filter }: typeof transactionsQuery.static,
) {
  const behind = cursor === undefined ? undefined : decodeLineCursor(cursor, 'cursor');
  const page = { limit, offset, behind };
  const { lines, end } = await listStatement(ledger, parseTransactionFilter(accountId, filter), page);
  return {
    transactions: lines.map(renderStatementLine),
    nextCursor: end === undefined ? null : encodeLineCursor(end),
  };
}
