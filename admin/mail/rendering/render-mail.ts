/** Renders a mail: a subject, and the same content as text and as HTML. */
import type { Language } from '../../../shared/languages.ts';
import type { MailContent } from '../mail.ts';
import { layOutHtml } from './lay-out-html.ts';
import { layOutText } from './lay-out-text.ts';
import type { Letter, LetterConfig, LetterContext } from './letter.ts';
import { accountDeletedLetter } from './templates/account-deleted.ts';
import { addressInUseLetter } from './templates/address-in-use.ts';
import { addressVerifiedLetter } from './templates/address-verified.ts';
import { autoTopUpFailedLetter, autoTopUpStoppedLetter } from './templates/auto-top-up.ts';
import { documentReadyLetter } from './templates/document-ready.ts';
import { emailChangeLetter } from './templates/email-change.ts';
import { lowBalanceLetter } from './templates/low-balance.ts';
import { passwordChangedLetter } from './templates/password-changed.ts';
import {
  paymentFailedLetter,
  paymentReceivedLetter,
  paymentRefundedLetter,
  paymentRestoredLetter,
} from './templates/payments.ts';
import { resetPasswordLetter } from './templates/reset-password.ts';
import { testLetter } from './templates/test.ts';
import { verifyAlertAddressLetter } from './templates/verify-alert-address.ts';
import { verifyEmailLetter } from './templates/verify-email.ts';
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
  readonly config: LetterConfig;
}

export function renderMail(content: MailContent, { to, language, config }: RenderOptions): RenderedMail {
  const { brand } = config.mail;
  const letter = writeLetter(content, { language, brandName: brand.name, publicUrl: config.publicUrl });
  const footer = writeFooter(letter, { to, language, config });
  return {
    subject: letter.subject,
    text: layOutText(letter, footer),
    html: layOutHtml(letter, { header: { brandName: brand.name, logoUrl: brand.logoUrl }, footer, language }),
    replyTo: brand.supportAddress,
    unsubscribeUrl: letter.unsubscribeUrl,
  };
}

function writeLetter(content: MailContent, context: LetterContext): Letter {
  switch (content.kind) {
    case 'low_balance':
      return lowBalanceLetter(content.data, context);
    case 'verify_email':
      return verifyEmailLetter(content.data, context);
    case 'verify_alert_address':
      return verifyAlertAddressLetter(content.data, context);
    case 'reset_password':
      return resetPasswordLetter(content.data, context);
    case 'email_change':
      return emailChangeLetter(content.data, context);
    case 'password_changed':
      return passwordChangedLetter(content.data, context);
    case 'address_verified':
      return addressVerifiedLetter(content.data, context);
    case 'address_in_use':
      return addressInUseLetter(content.data, context);
    case 'account_deleted':
      return accountDeletedLetter(content.data, context);
    case 'payment_received':
      return paymentReceivedLetter(content.data, context);
    case 'payment_failed':
      return paymentFailedLetter(content.data, context);
    case 'payment_restored':
      return paymentRestoredLetter(content.data, context);
    case 'auto_top_up_failed':
      return autoTopUpFailedLetter(content.data, context);
    case 'auto_top_up_stopped':
      return autoTopUpStoppedLetter(content.data, context);
    case 'payment_refunded':
      return paymentRefundedLetter(content.data, context);
    case 'document_ready':
      return documentReadyLetter(content.data, context);
    case 'test':
      return testLetter(content.data, context);
  }
}
