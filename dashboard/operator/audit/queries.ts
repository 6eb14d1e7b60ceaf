/** What the audit log asks for. */
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { type ApiResponse, api, call } from '../../app/api/api.ts';
import { rangeOf } from '../../app/router/search.ts';
import { instantsOf } from '../../app/time/days.ts';
import { pageOf, pageQuery } from '../paging.ts';
import type { AuditAction } from './audit-actions.ts';

export type AuditEntry = ApiResponse<'/api/operator/audit'>['entries'][number];

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

export const auditQuery = ({ cursor, ...filter }: AuditSearch) =>
  queryOptions({
    queryKey: ['operator-audit', filter, cursor],
    queryFn: async ({ signal }) => {
      const { actor, action, accountId } = filter;
      const range = rangeOf(filter);
      const query = {
        ...pageQuery(cursor),
        ...(actor !== undefined && { actor }),
        ...(action !== undefined && { action }),
        ...(accountId !== undefined && { accountId }),
        ...(range && instantsOf(range)),
      };
      const { entries } = await call(api.GET('/api/operator/audit', { params: { query }, signal }));
      return pageOf(entries);
    },
    placeholderData: keepPreviousData,
  });
