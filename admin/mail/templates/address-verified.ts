/** An address is verified, and what somebody else may have made in the account before has ended. */
import type { MailLanguage } from '../../../shared/tables/mails.ts';
import { instantText } from '../format-for-people.ts';
import type { Letter } from '../letter.ts';
import type { MailData } from '../mail.ts';

const words = {
  en: {
    subject: 'Your e-mail address is confirmed',
    preheader: 'Earlier API keys are deactivated, and earlier sessions have ended.',
    heading: 'Your e-mail address is confirmed',
    text: 'To keep out anyone who may have used your address before you confirmed it, we deactivated every API key that was created before and ended every other session.',
    when: 'Confirmed',
    keys: 'API keys deactivated',
    note: 'Activate the keys that you created, and delete the others. If you did not sign up yourself, someone else knows the password: choose a new one with “Forgot password” on the log-in page before you use the account.',
    button: 'Open the dashboard',
    why: 'You get this mail because the address of your account was confirmed; it cannot be switched off.',
  },
  ru: {
    subject: 'Адрес электронной почты подтверждён',
    preheader: 'Прежние API-ключи отключены, прежние сеансы завершены.',
    heading: 'Адрес электронной почты подтверждён',
    text: 'Чтобы закрыть доступ тем, кто мог использовать ваш адрес до подтверждения, мы отключили все созданные ранее API-ключи и завершили все остальные сеансы.',
    when: 'Подтверждён',
    keys: 'Отключено API-ключей',
    note: 'Включите ключи, которые создали вы, и удалите остальные. Если вы не регистрировались сами, пароль знает кто-то другой: прежде чем пользоваться аккаунтом, выберите новый через «Забыли пароль» на странице входа.',
    button: 'Открыть личный кабинет',
    why: 'Вы получили это письмо, потому что адрес вашего аккаунта подтверждён; отключить его нельзя.',
  },
};

export function addressVerifiedLetter(
  data: MailData['address_verified'],
  language: MailLanguage,
  publicUrl: string,
): Letter {
  const say = words[language];
  return {
    subject: say.subject,
    preheader: say.preheader,
    heading: say.heading,
    blocks: [
      { kind: 'paragraph', text: say.text },
      {
        kind: 'facts',
        facts: [
          [say.when, instantText(data.verifiedAt, language)],
          [say.keys, String(data.keysDeactivated)],
        ],
      },
      { kind: 'button', label: say.button, url: publicUrl },
      { kind: 'note', text: say.note },
    ],
    why: say.why,
  };
}
