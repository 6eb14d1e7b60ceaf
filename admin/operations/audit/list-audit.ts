/** The audit log, newest first, and its entries as JSON. */
import { and, desc, eq, gte, lt, not } from 'drizzle-orm';
import type { DbOrTransaction } from '../../database/connect.ts';
import { auditEntries } from '../../database/tables/audit.ts';
import type { AuditAction } from './record-action.ts';

export type AuditEntry = typeof auditEntries.$inferSelect;

export interface AuditQuery {
  readonly actor: string | undefined;
  readonly action: AuditAction | undefined;
  readonly accountId: number | undefined;
  /** Whose actions: members' (`true`) or operators' (`false`); undefined for all. */
  readonly isMember?: boolean | undefined;
  /** Inclusive. */
  readonly from: Date | undefined;
  /** Exclusive. */
  readonly to: Date | undefined;
  /** Only entries older than this one, for the next page. */
  readonly beforeId: number | undefined;
  readonly limit: number;
}

export function listAudit(db: DbOrTransaction, query: AuditQuery): Promise<AuditEntry[]> {
  const { actor, action, accountId, isMember, from, to, beforeId, limit } = query;
  return db
    .select()
    .from(auditEntries)
    .where(
      and(
        actor === undefined ? undefined : eq(auditEntries.actor, actor),
        action && eq(auditEntries.action, action),
        accountId === undefined ? undefined : eq(auditEntries.accountId, accountId),
        isMember === undefined ? undefined : isMember ? auditEntries.isMember : not(auditEntries.isMember),
        from && gte(auditEntries.at, from),
        to && lt(auditEntries.at, to),
        beforeId === undefined ? undefined : lt(auditEntries.id, beforeId),
      ),
    )
    .orderBy(desc(auditEntries.id))
    .limit(limit);
}

export function renderAudit({ at, isMember: _isMember, ...entry }: AuditEntry) {
  return { ...entry, at: at.toISOString() };
}
