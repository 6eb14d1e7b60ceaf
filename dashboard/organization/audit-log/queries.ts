/** The audit log of the organization from the API, as a list and as a file. */
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { type ApiResponse, api, call } from '../../app/api/api.ts';
import { rangeOf } from '../../app/router/search.ts';
import { instantsOf } from '../../app/time/days.ts';
import { type AuditAction, auditActions } from '../../operator/audit/audit-actions.ts';

export type OrganizationEntry = ApiResponse<'/api/organization/audit'>['entries'][number];

export interface AuditFilter {
  /** The first and the last day, in the reader's time zone. */
  readonly from?: string;
  readonly to?: string;
  readonly action?: AuditAction;
}

const pageEntries = 50;

/** They concern no single organization, so no organization's log has them. */
const foreignAction = /^(?:catalogue|ledger)\./;
export const organizationActions = auditActions.filter((action) => !foreignAction.test(action));

export const auditLogQuery = ({ cursor, ...filter }: AuditFilter & { readonly cursor?: string }) =>
  queryOptions({
    queryKey: ['organization-audit', filter, cursor],
    queryFn: ({ signal }) => {
      const query = { ...paramsOf(filter), limit: pageEntries, ...(cursor !== undefined && { cursor }) };
      return call(api.GET('/api/organization/audit', { params: { query }, signal }));
    },
    placeholderData: keepPreviousData,
  });

export const auditLogFile = (filter: AuditFilter): string =>
  `/api/organization/audit/export?${new URLSearchParams(paramsOf(filter))}`;

function paramsOf({ action, ...days }: AuditFilter) {
  const range = rangeOf(days);
  return { ...(range && instantsOf(range)), ...(action && { action }) };
}
