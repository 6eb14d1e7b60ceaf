/** Turns what a mail is about into what is sent: a subject, a text and an HTML of the same words. */
import type { MailAddress } from '../../shared/config/mail.ts';
import type { MailLanguage } from '../../shared/tables/mails.ts';
import { layOutHtml } from './lay-out-html.ts';
import { layOutText } from './lay-out-text.ts';
import type { Footer, Letter } from './letter.ts';
import type { MailContent } from './mail.ts';
import { addressVerifiedLetter } from './templates/address-verified.ts';
import { emailChangeLetter } from './templates/email-change.ts';
import { lowBalanceLetter } from './templates/low-balance.ts';
import { passwordChangedLetter } from './templates/password-changed.ts';
import { resetPasswordLetter } from './templates/reset-password.ts';
import { testLetter } from './templates/test.ts';
import { verifyEmailLetter } from './templates/verify-email.ts';

export interface LetterConfig {
  /** The dashboard's address, without a slash at its end. */
  readonly publicUrl: string;
  readonly from: MailAddress;
}

export interface RenderedMail {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

interface RenderOptions {
  readonly to: string;
  readonly language: MailLanguage;
  readonly config: LetterConfig;
}

export function renderMail(content: MailContent, { to, language, config }: RenderOptions): RenderedMail {
  const letter = writeLetter(content, language, config.publicUrl);
  const footer = writeFooter(letter, { to, language, config });
  return {
    subject: letter.subject,
    text: layOutText(letter, footer),
    html: layOutHtml(letter, { footer, language }),
  };
}

function writeLetter(content: MailContent, language: MailLanguage, publicUrl: string): Letter {
  switch (content.kind) {
    case 'low_balance':
      return lowBalanceLetter(content.data, language, publicUrl);
    case 'verify_email':
      return verifyEmailLetter(content.data, language);
    case 'reset_password':
      return resetPasswordLetter(content.data, language);
    case 'email_change':
      return emailChangeLetter(content.data, language, publicUrl);
    case 'password_changed':
      return passwordChangedLetter(content.data, language, publicUrl);
    case 'address_verified':
      return addressVerifiedLetter(content.data, language, publicUrl);
    case 'test':
      return testLetter(content.data, language);
  }
}

const footerWords = {
  en: {
    sender: (name: string, from: string, to: string) => `Sent by ${name} (${from}) to ${to}.`,
    settings: 'Notification settings',
  },
  ru: {
    sender: (name: string, from: string, to: string) => `Отправитель: ${name} (${from}). Получатель: ${to}.`,
    settings: 'Настройки уведомлений',
  },
};

function writeFooter(letter: Letter, { to, language, config }: RenderOptions): Footer {
  const { name, address } = config.from;
  const say = footerWords[language];
  return {
    sender: say.sender(name === '' ? 'Model Gateway' : name, address, to),
    why: letter.why,
    settingsLabel: say.settings,
    settingsUrl: `${config.publicUrl}/settings`,
  };
}
