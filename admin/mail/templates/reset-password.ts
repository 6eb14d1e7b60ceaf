/** Somebody has asked for a new password. */
import type { MailLanguage } from '../../../shared/tables/mails.ts';
import type { Letter } from '../letter.ts';
import type { MailData } from '../mail.ts';
import { linkLetter } from './link-letter.ts';

const words = {
  en: {
    subject: 'Choose a new password',
    preheader: 'The link for it is inside. If you did not ask, nothing has changed.',
    heading: 'Choose a new password',
    text: 'A new password was asked for your account. The old one is good until you choose another.',
    button: 'Choose a password',
    expires: (instant: string) =>
      `The link works once, until ${instant}. If you did not ask for it, ignore this mail, and pass the link on to nobody.`,
    why: 'You get this mail because a new password was asked for the account with your address.',
  },
  ru: {
    subject: 'Выберите новый пароль',
    preheader: 'Ссылка внутри. Если вы не запрашивали её, ничего не изменилось.',
    heading: 'Выберите новый пароль',
    text: 'Для вашего аккаунта запрошен новый пароль. Прежний действует, пока вы не выберете другой.',
    button: 'Выбрать пароль',
    expires: (instant: string) =>
      `Ссылка действует один раз, до ${instant}. Если вы её не запрашивали, не обращайте внимания на это письмо и никому не передавайте ссылку.`,
    why: 'Вы получили это письмо, потому что для аккаунта с вашим адресом запрошен новый пароль.',
  },
};

export function resetPasswordLetter(data: MailData['reset_password'], language: MailLanguage): Letter {
  return linkLetter(data, words[language], language);
}
