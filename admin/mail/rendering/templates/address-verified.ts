/** An address is verified, and access that someone else may have set up in the account has been revoked. */
import type { MailData } from '../../mail.ts';
import { instantText } from '../format-for-people.ts';
import type { MailMessage, TemplateContext } from '../mail-message.ts';

const words = {
  en: {
    subject: 'Your email address is confirmed',
    preheader: 'API keys created earlier are deactivated, and other sessions have ended.',
    heading: 'Your email address is confirmed',
    text: 'To keep out anyone who may have used your address before you confirmed it, we deactivated all API keys created earlier and ended all other sessions.',
    when: 'Confirmed',
    keys: 'API keys deactivated',
    note: 'Activate the keys that are yours and delete the others. If you didn’t sign up yourself, someone else knows the password: before you use the account, reset it with “Forgot password?” on the sign-in page.',
    button: 'Open the dashboard',
    why: 'You received this email because the address of your account was confirmed.',
  },
  ru: {
    subject: 'Адрес электронной почты подтверждён',
    preheader: 'Прежние API-ключи отключены, прежние сеансы завершены.',
    heading: 'Адрес электронной почты подтверждён',
    text: 'Чтобы закрыть доступ тем, кто мог использовать ваш адрес до подтверждения, мы отключили все созданные ранее API-ключи и завершили все остальные сеансы.',
    when: 'Подтверждён',
    keys: 'Отключено API-ключей',
    note: 'Включите ключи, которые создали вы, и удалите остальные. Если вы не регистрировались сами, пароль знает кто-то другой: прежде чем пользоваться аккаунтом, сбросьте его через «Забыли пароль?» на странице входа.',
    button: 'Открыть личный кабинет',
    why: 'Вы получили это письмо, потому что адрес вашего аккаунта подтверждён.',
  },
};

export function addressVerifiedMail(
  data: MailData['address_verified'],
  { language, publicUrl }: TemplateContext,
): MailMessage {
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
    isOptional: false,
  };
}
