/** What the audit log records: what operators do, and what members of an organization do. */
import type { paths } from '../../generated/api.ts';
import type { auditTexts } from './audit-texts.ts';

type Query = NonNullable<paths['/api/operator/audit']['get']['parameters']['query']>;
export type AuditAction = NonNullable<Query['action']>;

/** The text of each; also their order in the filter. */
const textOfAction: Readonly<Record<AuditAction, NonNullable<(typeof auditTexts)['key']>>> = {
  'payment.book': 'paymentBook',
  'refund.book': 'refundBook',
  'payment.confirm': 'paymentConfirm',
  'payment.cancel': 'paymentCancel',
  'payment.refund': 'paymentRefund',
  'payment.settle_refund': 'paymentSettleRefund',
  'payment.match_line': 'paymentMatchLine',
  'document.make': 'documentMake',
  'document.correct': 'documentCorrect',
  'account.block': 'accountBlock',
  'account.unblock': 'accountUnblock',
  'account.limits': 'accountLimits',
  'account.export': 'accountExport',
  'account.delete': 'accountDelete',
  'account.write_off': 'accountWriteOff',
  'catalogue.apply': 'catalogueApply',
  'catalogue.schedule': 'catalogueSchedule',
  'catalogue.cancel': 'catalogueCancel',
  'key.create': 'keyCreate',
  'key.update': 'keyUpdate',
  'key.rotate': 'keyRotate',
  'key.revoke': 'keyRevoke',
  'billing_key.create': 'billingKeyCreate',
  'user.create': 'userCreate',
  'user.promote': 'userPromote',
  'user.demote': 'userDemote',
  'user.reset_password': 'userResetPassword',
  'second_factor.on': 'secondFactorOn',
  'second_factor.off': 'secondFactorOff',
  'second_factor.change': 'secondFactorChange',
  'second_factor.reset': 'secondFactorReset',
  'sign_in.update': 'signInUpdate',
  'organization.create': 'organizationCreate',
  'dimensions.update': 'dimensionsUpdate',
  'organization.update': 'organizationUpdate',
  'budget.create': 'budgetCreate',
  'budget.update': 'budgetUpdate',
  'budget.delete': 'budgetDelete',
  'webhook.create': 'webhookCreate',
  'webhook.update': 'webhookUpdate',
  'webhook.rotate': 'webhookRotate',
  'webhook.delete': 'webhookDelete',
  'project.create': 'projectCreate',
  'project.update': 'projectUpdate',
  'invitation.create': 'invitationCreate',
  'invitation.resend': 'invitationResend',
  'invitation.revoke': 'invitationRevoke',
  'invitation.accept': 'invitationAccept',
  'member.role': 'memberRole',
  'member.remove': 'memberRemove',
  'member.join': 'memberJoin',
  'member.leave': 'memberLeave',
  'payment.order': 'paymentOrder',
  'auto_top_up.start': 'autoTopUpStart',
  'auto_top_up.stop': 'autoTopUpStop',
  'company.update': 'companyUpdate',
  'alerts.update': 'alertsUpdate',
  'alert_address.add': 'alertAddressAdd',
  'alert_address.remove': 'alertAddressRemove',
  'mail.resend': 'mailResend',
  'wallet.repair': 'walletRepair',
  'request.repair': 'requestRepair',
  'ledger.restore': 'ledgerRestore',
};

export const auditActions = Object.keys(textOfAction).filter(isAuditAction);

/** Undefined for an action that this version does not know. */
export function textKeyOf(action: string): NonNullable<(typeof auditTexts)['key']> | undefined {
  return isAuditAction(action) ? textOfAction[action] : undefined;
}

function isAuditAction(action: string): action is AuditAction {
  return Object.hasOwn(textOfAction, action);
}
