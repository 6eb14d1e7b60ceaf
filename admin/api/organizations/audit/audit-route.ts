/** /api/organization/audit: who did what in the organization, newest first, in pages or as one CSV file. */
import { Elysia } from 'elysia';
import { authorized } from '../../../auth/authorize.ts';
import type { DbOrTransaction } from '../../../database/connect.ts';
import { streamInTurn } from '../../../heavy-work/stream-in-turn.ts';
import { csvLine, streamText, textCell } from '../../../http/download.ts';
import { checkQuery } from '../../../http/request/check-query.ts';
import { decodeIdCursor, encodeIdCursor } from '../../../http/request/page-cursor.ts';
import { type AuditQuery, listAudit } from '../../../operations/audit/list-audit.ts';
import type { AdminServices } from '../../../services.ts';
import { parseRange } from '../../fields/range-query.ts';
import { auditDocs, exportAuditDocs } from './audit-docs.ts';
import { auditExportQuery, auditMax, organizationAuditQuery, renderOrganizationEntry } from './audit-schemas.ts';

const fileHeaders = {
  'content-type': 'text/csv; charset=utf-8',
  'content-disposition': 'attachment; filename="audit-log.csv"',
};
const columns = ['id', 'at', 'actor', 'address', 'action', 'subject', 'reason', 'before', 'after'];
const entriesAtOnce = 250;

export function organizationAuditRoute(services: AdminServices) {
  const { database, heavyWork } = services;
  const { db } = database;
  return new Elysia({ prefix: '/api/organization/audit' })
    .use(authorized(services))
    .get(
      '',
      async ({ caller: { accountId }, query }) => {
        const { limit = auditMax, cursor, ...filter } = checkQuery(organizationAuditQuery, query);
        const beforeId = cursor === undefined ? undefined : decodeIdCursor(cursor, 'cursor');
        const found = await listAudit(db, { ...filterOf(accountId, filter), beforeId, limit: limit + 1 });
        const page = found.slice(0, limit);
        const end = found.length > limit ? page.at(-1) : undefined;
        return {
          entries: page.map(renderOrganizationEntry),
          nextCursor: end === undefined ? null : encodeIdCursor(end.id),
        };
      },
      auditDocs,
    )
    .get(
      '/export',
      async ({ caller: { accountId }, reauthorize, query, request: { signal } }) => {
        const filter = filterOf(accountId, checkQuery(auditExportQuery, query));
        const open = () => streamText(writeEntries(db, filter));
        const task = { kind: 'export', accountId, signal, reauthorize } as const;
        const stream = await streamInTurn(heavyWork, task, open);
        return new Response(stream, { headers: fileHeaders });
      },
      exportAuditDocs,
    );
}

type Filter = Omit<AuditQuery, 'beforeId' | 'limit'>;

/** By an actor, only members' actions: the names of operators are not to be guessed. */
function filterOf(accountId: number, { actor, action, from, to }: typeof auditExportQuery.static): Filter {
  return { accountId, actor, action, isMember: actor === undefined ? undefined : true, ...parseRange({ from, to }) };
}

async function* writeEntries(db: DbOrTransaction, filter: Filter): AsyncGenerator<string, void> {
  let head = csvLine(columns);
  let beforeId: number | undefined;
  do {
    const entries = await listAudit(db, { ...filter, beforeId, limit: entriesAtOnce });
    yield head + entries.map(renderOrganizationEntry).map(writeLine).join('');
    head = '';
    beforeId = entries.length < entriesAtOnce ? undefined : entries.at(-1)?.id;
  } while (beforeId !== undefined);
}

function writeLine(entry: ReturnType<typeof renderOrganizationEntry>): string {
  const { id, at, actor, address, action, subject, reason, before, after } = entry;
  const state = (value: object | null) => (value === null ? '' : JSON.stringify(value));
  return csvLine([
    String(id),
    at,
    textCell(actor),
    address ?? '',
    action,
    subject,
    textCell(reason ?? ''),
    state(before),
    state(after),
  ]);
}
