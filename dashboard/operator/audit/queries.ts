/** What the audit log asks for. */
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { api, call } from '../../app/api/api.ts';
import type { Answer } from '../api-types.ts';
import { pageOf, pageQuery } from '../paging.ts';
import type { AuditAction } from './audit-actions.ts';

export type AuditEntry = Answer<'/api/operator/audit'>['entries'][number];

export interface AuditSearch {
  /** As it is written in the log: an address, `cli:root`. */
  readonly actor?: string;
  readonly action?: AuditAction;
  readonly accountId?: number;
  /** The first and the last day, in the reader's time zone. */
  readonly from?: string;
  readonly to?: string;
  readonly cursor?: string;
}

export const auditQuery = ({ actor, action, accountId, from, to, cursor }: AuditSearch) =>
  queryOptions({
    queryKey: ['operator-audit', { actor, action, accountId, from, to, cursor }],
    queryFn: async ({ signal }) => {
      const query = {
        ...pageQuery(cursor),
        ...(actor !== undefined && { actor }),
        ...(action !== undefined && { action }),
        ...(accountId !== undefined && { accountId }),
        ...(from !== undefined && { from: startOf(from) }),
        ...(to !== undefined && { to: startOf(to, 1) }),
      };
      const { entries } = await call(api.GET('/api/operator/audit', { params: { query }, signal }));
      return pageOf(entries);
    },
    placeholderData: keepPreviousData,
  });

/** The instant at which the day begins, or the one some days later. */
function startOf(day: string, later = 0): string {
  const start = new Date(`${day}T00:00`);
  start.setDate(start.getDate() + later);
  return start.toISOString();
}
