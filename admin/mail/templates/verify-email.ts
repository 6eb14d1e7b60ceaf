/** Somebody has given this address as his own. */
import type { MailLanguage } from '../../../shared/tables/mails.ts';
import type { Letter } from '../letter.ts';
import type { MailData } from '../mail.ts';
import { linkLetter } from './link-letter.ts';

const words = {
  en: {
    subject: 'Confirm your e-mail address',
    preheader: 'One click, and the address is yours here.',
    heading: 'Is this your address?',
    text: 'It was given for an account of the model gateway. Please confirm that it is yours.',
    button: 'Confirm the address',
    expires: (instant: string) =>
      `The link works once, until ${instant}. If you know of no account, ignore this mail: nothing happens without the click.`,
    why: 'You get this mail because somebody gave your address for an account.',
  },
  ru: {
    subject: 'Подтвердите адрес электронной почты',
    preheader: 'Одно нажатие, и адрес подтверждён.',
    heading: 'Это ваш адрес?',
    text: 'Его указали для аккаунта в шлюзе моделей. Подтвердите, пожалуйста, что он ваш.',
    button: 'Подтвердить адрес',
    expires: (instant: string) =>
      `Ссылка действует один раз, до ${instant}. Если вы не создавали аккаунт, просто не обращайте внимания на это письмо: без нажатия ничего не произойдёт.`,
    why: 'Вы получили это письмо, потому что ваш адрес указали для аккаунта.',
  },
};

export function verifyEmailLetter(data: MailData['verify_email'], language: MailLanguage): Letter {
  return linkLetter(data, words[language], language);
}
