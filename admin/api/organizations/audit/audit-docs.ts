/** The documentation of the organization's audit log. */
import { Type } from '@sinclair/typebox';
import { heavyRefusals } from '../../../heavy-work/heavy-work.ts';
import { describe } from '../../docs/describe.ts';
import { auditExportQuery, organizationAuditQuery, organizationAuditSchema } from './audit-schemas.ts';

const tag = 'Organization';

export const auditDocs = describe({
  id: 'listOrganizationAudit',
  permission: 'audit:read',
  summary: 'List the audit log',
  description:
    'What members, billing keys and operators have changed: keys, members, invitations, orders, automatic top-ups, company ' +
    'details, alerts, the name, exports. Each entry was written together with its change and is never changed.',
  tag,
  query: organizationAuditQuery,
  response: { description: 'A page of entries.', schema: organizationAuditSchema },
});

export const exportAuditDocs = describe({
  id: 'exportOrganizationAudit',
  permission: 'audit:read',
  summary: 'Export the audit log',
  description:
    'The same as a CSV file; the states before and after are JSON. It is streamed, so it can be of any length.',
  tag,
  query: auditExportQuery,
  response: {
    description: 'The file.',
    mediaType: 'text/csv',
    schema: Type.String(),
    example: 'id,at,actor,address,action,subject,reason,before,after\r\n',
  },
  errors: heavyRefusals(),
});
