/** Renders a mail: a subject, and the same content as text and as HTML. */
import type { Language } from '../../../shared/languages.ts';
import type { MailContent } from '../mail.ts';
import { layOutHtml } from './lay-out-html.ts';
import { layOutText } from './lay-out-text.ts';
import type { MailMessage, RenderConfig, TemplateContext } from './mail-message.ts';
import { accountDeletedMail } from './templates/account-deleted.ts';
import { addressInUseMail } from './templates/address-in-use.ts';
import { addressVerifiedMail } from './templates/address-verified.ts';
import { autoTopUpFailedMail, autoTopUpStoppedMail } from './templates/auto-top-up.ts';
import { budgetAlertMail } from './templates/budget-alert.ts';
import { documentReadyMail } from './templates/document-ready.ts';
import { emailChangeMail } from './templates/email-change.ts';
import { invitationMail } from './templates/invitation.ts';
import { lowBalanceMail } from './templates/low-balance.ts';
import { modelRetiringMail } from './templates/model-retiring.ts';
import { passwordChangedMail } from './templates/password-changed.ts';
import {
  amountReturnedMail,
  paymentFailedMail,
  paymentReceivedMail,
  paymentRefundedMail,
} from './templates/payments.ts';
import { priceListDiffersMail } from './templates/price-list-differs.ts';
import { resetPasswordMail } from './templates/reset-password.ts';
import { signInChangedMail } from './templates/sign-in-changed.ts';
import { testMail } from './templates/test.ts';
import { verifyAlertAddressMail } from './templates/verify-alert-address.ts';
import { verifyEmailMail } from './templates/verify-email.ts';
import { webhookRestedMail } from './templates/webhook-rested.ts';
import { writeFooter } from './write-footer.ts';

export interface RenderedMail {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  /** The Reply-To address; undefined if replies go to the sender. */
  readonly replyTo: string | undefined;
  /** The one-click unsubscribe address; undefined if the mail has no such link. */
  readonly unsubscribeUrl: string | undefined;
}

interface RenderOptions {
  readonly to: string;
  readonly language: Language;
  readonly config: RenderConfig;
}

export function renderMail(content: MailContent, { to, language, config }: RenderOptions): RenderedMail {
  const { brand } = config.mail;
  const message = writeMessage(content, { language, brandName: brand.name, publicUrl: config.publicUrl });
  const footer = writeFooter(message, { to, language, config });
  return {
    subject: message.subject,
    text: layOutText(message, footer),
    html: layOutHtml(message, { header: { brandName: brand.name, logoUrl: brand.logoUrl }, footer, language }),
    replyTo: brand.supportAddress,
    unsubscribeUrl: message.unsubscribeUrl,
  };
}

function writeMessage(content: MailContent, context: TemplateContext): MailMessage {
  switch (content.kind) {
    case 'low_balance':
      return lowBalanceMail(content.data, context);
    case 'budget_alert':
      return budgetAlertMail(content.data, context);
    case 'verify_email':
      return verifyEmailMail(content.data, context);
    case 'verify_alert_address':
      return verifyAlertAddressMail(content.data, context);
    case 'reset_password':
      return resetPasswordMail(content.data, context);
    case 'email_change':
      return emailChangeMail(content.data, context);
    case 'password_changed':
      return passwordChangedMail(content.data, context);
    case 'sign_in_changed':
      return signInChangedMail(content.data, context);
    case 'address_verified':
      return addressVerifiedMail(content.data, context);
    case 'address_in_use':
      return addressInUseMail(content.data, context);
    case 'invitation':
      return invitationMail(content.data, context);
    case 'account_deleted':
      return accountDeletedMail(content.data, context);
    case 'payment_received':
      return paymentReceivedMail(content.data, context);
    case 'payment_failed':
      return paymentFailedMail(content.data, context);
    case 'payment_restored':
      return amountReturnedMail('restored', content.data, context);
    case 'refund_failed':
      return amountReturnedMail('refundFailed', content.data, context);
    case 'auto_top_up_failed':
      return autoTopUpFailedMail(content.data, context);
    case 'auto_top_up_stopped':
      return autoTopUpStoppedMail(content.data, context);
    case 'payment_refunded':
      return paymentRefundedMail(content.data, context);
    case 'document_ready':
      return documentReadyMail(content.data, context);
    case 'webhook_rested':
      return webhookRestedMail(content.data, context);
    case 'model_retiring':
      return modelRetiringMail(content.data, context);
    case 'price_list_differs':
      return priceListDiffersMail(content.data, context);
    case 'test':
      return testMail(content.data, context);
  }
}
