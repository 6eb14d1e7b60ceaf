/** The password is another one now: good to know where it was somebody else. */
import type { MailLanguage } from '../../../shared/tables/mails.ts';
import { instantText } from '../format-for-people.ts';
import type { Letter } from '../letter.ts';
import type { MailData } from '../mail.ts';

const words = {
  en: {
    subject: 'Your password was changed',
    preheader: 'If it was not you, act now.',
    heading: 'Your password was changed',
    text: 'From now on only the new password opens your account.',
    keysText:
      'We cannot tell whether you chose the old password. To keep anyone else out, we deactivated every API key that was created before. Activate the keys that you created, and delete the others.',
    keys: 'API keys deactivated',
    when: 'Changed',
    note: 'If it was not you, choose a new password at once with “Forgot password” on the log-in page, and look through your API keys.',
    button: 'Open the dashboard',
    why: 'You get this mail because the password of your account was changed; it cannot be switched off.',
  },
  ru: {
    subject: 'Ваш пароль изменён',
    preheader: 'Если это были не вы, действуйте сейчас.',
    heading: 'Ваш пароль изменён',
    text: 'Теперь ваш аккаунт открывает только новый пароль.',
    keysText:
      'Мы не знаем, вы ли выбрали прежний пароль. Чтобы закрыть доступ посторонним, мы отключили все созданные ранее API-ключи. Включите ключи, которые создали вы, и удалите остальные.',
    keys: 'Отключено API-ключей',
    when: 'Изменён',
    note: 'Если это были не вы, сразу выберите новый пароль через «Забыли пароль» на странице входа и проверьте свои API-ключи.',
    button: 'Открыть личный кабинет',
    why: 'Вы получили это письмо, потому что пароль вашего аккаунта изменён; отключить его нельзя.',
  },
};

export function passwordChangedLetter(
  data: MailData['password_changed'],
  language: MailLanguage,
  publicUrl: string,
): Letter {
  const say = words[language];
  const { changedAt, keysDeactivated = 0 } = data;
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
  };
}
