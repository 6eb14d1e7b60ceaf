/** Records what an operator or a member of an organization does in the audit log, in the transaction that does it. */
import type { JSONValue, TransactionSql } from 'postgres';
import type { DbOrTransaction } from '../../database/connect.ts';
import { auditEntries } from '../../database/tables/audit.ts';

/** Every audited action. */
export const auditActions = [
  'alert_address.add',
  'alert_address.remove',
  'alerts.update',
  'auto_top_up.start',
  'auto_top_up.stop',
  'company.update',
  'account.block',
  'account.delete',
  'account.export',
  'account.unblock',
  'account.limits',
  'account.write_off',
  'billing_key.create',
  'budget.create',
  'budget.delete',
  'budget.update',
  'catalogue.apply',
  'catalogue.cancel',
  'catalogue.schedule',
  'dimensions.update',
  'document.correct',
  'document.make',
  'invitation.accept',
  'invitation.create',
  'invitation.resend',
  'invitation.revoke',
  'key.create',
  'key.revoke',
  'key.rotate',
  'key.update',
  'ledger.restore',
  'mail.resend',
  'member.join',
  'member.leave',
  'member.remove',
  'member.role',
  'organization.create',
  'organization.update',
  'payment.book',
  'payment.cancel',
  'payment.order',
  'payment.confirm',
  'payment.refund',
  'payment.settle_refund',
  'payment.match_line',
  'project.create',
  'project.update',
  'refund.book',
  'request.repair',
  'second_factor.change',
  'second_factor.off',
  'second_factor.on',
  'second_factor.reset',
  'sign_in.update',
  'user.create',
  'user.demote',
  'user.promote',
  'user.reset_password',
  'wallet.repair',
  'webhook.create',
  'webhook.delete',
  'webhook.rotate',
  'webhook.update',
] as const;
export type AuditAction = (typeof auditActions)[number];

/** Who acts, and from where. */
export interface Actor {
  /** An e-mail address, `cli:<system user>`, `billing key mk-…`, or `user 5` for one who deletes their own account. */
  readonly name: string;
  readonly userId: number | null;
  /** The caller's network address, or the name of the command line's host. */
  readonly address: string | null;
  readonly requestId: string | null;
  /** Whether it is a member of the account, or its billing key, and not an operator. */
  readonly isMember?: boolean;
}

export interface AuditedAction {
  readonly action: AuditAction;
  /** The object of the action: `account 17`. */
  readonly subject: string;
  readonly accountId?: number;
  readonly reason?: string | undefined;
  readonly before?: object;
  readonly after?: object;
}

export async function recordAction(
  transaction: DbOrTransaction,
  { name, ...actor }: Actor,
  action: AuditedAction,
): Promise<void> {
  await transaction.insert(auditEntries).values({ ...actor, actor: name, ...action });
}

/** The same for a postgres.js transaction. */
export async function recordActionIn(
  sql: TransactionSql,
  { name, userId, address, requestId, isMember = false }: Actor,
  { action, subject, accountId, reason, before, after }: AuditedAction,
): Promise<void> {
  const json = (value: object | undefined) => (value === undefined ? null : sql.json(value as JSONValue));
  await sql`
    INSERT INTO audit_entries (actor, user_id, address, request_id, is_member, action, subject, account_id, reason, before, after)
    VALUES (${name}, ${userId}, ${address}, ${requestId}, ${isMember}, ${action}, ${subject}, ${accountId ?? null}, ${reason ?? null},
      ${json(before)}, ${json(after)})`;
}
