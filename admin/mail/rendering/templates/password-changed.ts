/** The password was changed: the owner of the address should know, in case it was someone else. */
import type { MailData } from '../../mail.ts';
import { instantText } from '../format-for-people.ts';
import type { MailMessage, TemplateContext } from '../mail-message.ts';

const words = {
  en: {
    subject: 'Your password was changed',
    preheader: 'If you didn’t change it, reset it now.',
    heading: 'Your password was changed',
    text: 'Your account now accepts only the new password.',
    keysText:
      'We can’t tell whether you chose the old password. To keep anyone else out, we deactivated all API keys created earlier. Activate the keys that are yours and delete the others.',
    keys: 'API keys deactivated',
    when: 'Changed',
    note: 'If you didn’t change it, reset it now with “Forgot password?” on the sign-in page, and check your API keys.',
    button: 'Open the dashboard',
    why: 'You received this email because the password of your account was changed.',
  },
  ru: {
    subject: 'Ваш пароль изменён',
    preheader: 'Если это были не вы, сразу сбросьте пароль.',
    heading: 'Ваш пароль изменён',
    text: 'Теперь ваш аккаунт открывает только новый пароль.',
    keysText:
      'Мы не знаем, вы ли выбрали прежний пароль. Чтобы закрыть доступ посторонним, мы отключили все созданные ранее API-ключи. Включите ключи, которые создали вы, и удалите остальные.',
    keys: 'Отключено API-ключей',
    when: 'Изменён',
    note: 'Если это были не вы, сразу сбросьте пароль через «Забыли пароль?» на странице входа и проверьте свои API-ключи.',
    button: 'Открыть личный кабинет',
    why: 'Вы получили это письмо, потому что пароль вашего аккаунта изменён.',
  },
};

export function passwordChangedMail(
  data: MailData['password_changed'],
  { language, publicUrl }: TemplateContext,
): MailMessage {
  const say = words[language];
  const { changedAt, keysDeactivated } = data;
  const isAboutKeys = keysDeactivated > 0;
  return {
    subject: say.subject,
    preheader: say.preheader,
    heading: say.heading,
    blocks: [
      { kind: 'paragraph', text: say.text },
      ...(isAboutKeys ? [{ kind: 'paragraph', text: say.keysText } as const] : []),
      {
        kind: 'facts',
        facts: [
          [say.when, instantText(changedAt, language)],
          ...(isAboutKeys ? [[say.keys, String(keysDeactivated)] as const] : []),
        ],
      },
      { kind: 'button', label: say.button, url: publicUrl },
      { kind: 'note', text: say.note },
    ],
    why: say.why,
    isOptional: false,
  };
}
