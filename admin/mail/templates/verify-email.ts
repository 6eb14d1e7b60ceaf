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
    text: 'It was given for an account of the model gateway. Please confirm that it is yours. If the account’s address is confirmed for the first time, or you are not logged in, this deactivates API keys that were created before and ends sessions, so that nobody else keeps access. You can activate your keys again.',
    button: 'Confirm the address',
    expires: (instant: string) =>
      `The link works once, until ${instant}. If you know of no account, ignore this mail: nothing happens without the click.`,
    why: 'You get this mail because somebody gave your address for an account.',
  },
  ru: {
    subject: 'Подтвердите адрес электронной почты',
    preheader: 'Одно нажатие, и адрес подтверждён.',
    heading: 'Это ваш адрес?',
    text: 'Его указали для аккаунта в шлюзе моделей. Подтвердите, пожалуйста, что он ваш. Если адрес аккаунта подтверждается впервые или вы не вошли в аккаунт, созданные ранее API-ключи будут отключены, а сеансы завершены, чтобы доступ не остался у посторонних. Свои ключи можно включить снова.',
    button: 'Подтвердить адрес',
    expires: (instant: string) =>
      `Ссылка действует один раз, до ${instant}. Если вы не создавали аккаунт, просто не обращайте внимания на это письмо: без нажатия ничего не произойдёт.`,
    why: 'Вы получили это письмо, потому что ваш адрес указали для аккаунта.',
  },
};

export function verifyEmailLetter(data: MailData['verify_email'], language: MailLanguage): Letter {
  return linkLetter(data, words[language], language);
}
