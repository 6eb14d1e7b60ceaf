/** Entries of the audit log, as JSON. */
import type { AuditEntry } from './list-audit.ts';

export function renderAudit({ at, ...entry }: AuditEntry) {
  return { ...entry, at: at.toISOString() };
}
