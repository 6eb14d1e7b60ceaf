/** A new password was requested. */
import type { MailData } from '../../mail.ts';
import type { MailMessage, TemplateContext } from '../mail-message.ts';
import { linkMail } from './link-mail.ts';

const words = {
  en: {
    subject: 'Reset your password',
    preheader: 'Follow the link inside to choose a new password.',
    text: (brandName: string) =>
      `We received a request to reset the password of your ${brandName} account. Your current password works until you choose a new one.`,
    button: 'Reset password',
    notes: (instant: string) => [
      `The link works once and expires on ${instant}. If you didn’t request it, ignore this email, and don’t share the link with anyone.`,
    ],
    why: 'You received this email because a password reset was requested for the account with your address.',
  },
  ru: {
    subject: 'Сброс пароля',
    preheader: 'Откройте ссылку из письма, чтобы выбрать новый пароль.',
    text: (brandName: string) =>
      `Мы получили запрос на сброс пароля вашего аккаунта ${brandName}. Прежний пароль действует, пока вы не выберете новый.`,
    button: 'Сбросить пароль',
    notes: (instant: string) => [
      `Ссылка действует один раз, до ${instant}. Если вы её не запрашивали, не обращайте внимания на это письмо и никому не передавайте ссылку.`,
    ],
    why: 'Вы получили это письмо, потому что для аккаунта с вашим адресом запросили сброс пароля.',
  },
};

export function resetPasswordMail(data: MailData['reset_password'], context: TemplateContext): MailMessage {
  return linkMail(data, words[context.language], context);
}
