/** This address was entered as the address of an account. */
import type { MailData } from '../../mail.ts';
import type { MailMessage, TemplateContext } from '../mail-message.ts';
import { linkMail } from './link-mail.ts';

const words = {
  en: {
    subject: 'Confirm your email address',
    preheader: 'Follow the link inside to confirm that this address is yours.',
    text: (brandName: string) =>
      `This address was entered for an account with ${brandName}. Please confirm that it is yours.`,
    button: 'Confirm email address',
    notes: (instant: string) => [
      `The link works once and expires on ${instant}. If you don’t know about this account, ignore this email: nothing happens unless you follow the link.`,
      'When an account’s address is confirmed for the first time, or while you are signed out, API keys created earlier are deactivated and other sessions end, so that no one else keeps access. You can activate your own keys again.',
    ],
    why: 'You received this email because your address was entered for an account.',
  },
  ru: {
    subject: 'Подтвердите адрес электронной почты',
    preheader: 'Откройте ссылку из письма, чтобы подтвердить, что это ваш адрес.',
    text: (brandName: string) => `Этот адрес указали для аккаунта ${brandName}. Подтвердите, пожалуйста, что он ваш.`,
    button: 'Подтвердить адрес',
    notes: (instant: string) => [
      `Ссылка действует один раз, до ${instant}. Если вы не создавали аккаунт, просто не обращайте внимания на это письмо: без перехода по ссылке ничего не произойдёт.`,
      'Если адрес аккаунта подтверждается впервые или вы не вошли в аккаунт, созданные ранее API-ключи будут отключены, а остальные сеансы завершены, чтобы доступ не остался у посторонних. Свои ключи можно включить снова.',
    ],
    why: 'Вы получили это письмо, потому что ваш адрес указали для аккаунта.',
  },
};

export function verifyEmailMail(data: MailData['verify_email'], context: TemplateContext): MailMessage {
  return linkMail(data, words[context.language], context);
}
