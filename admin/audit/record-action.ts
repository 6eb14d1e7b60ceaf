/** Writes down what an operator does, in the transaction that does it. */
import { auditEntries } from '../../shared/tables/audit.ts';
import type { DbOrTransaction } from '../database/connect.ts';

/** Everything that is audited. */
export const auditActions = [
  'account.block',
  'account.unblock',
  'account.limits',
  'billing_key.create',
  'catalogue.apply',
  'catalogue.cancel',
  'catalogue.schedule',
  'key.create',
  'key.revoke',
  'mail.resend',
  'payment.book',
  'refund.book',
  'user.create',
] as const;
export type AuditAction = (typeof auditActions)[number];

/** Who acts, and from where. */
export interface Actor {
  /** An e-mail address, or `cli:<user of the operating system>`. */
  readonly name: string;
  readonly userId: number | null;
  readonly address: string | null;
  readonly requestId: string | null;
}

export interface AuditedAction {
  readonly action: AuditAction;
  /** What it is done to: `account 17`. */
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
