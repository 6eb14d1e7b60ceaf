/** Somebody wants the account to have another address: the owner of the present one can still stop it. */
import type { MailLanguage } from '../../../shared/tables/mails.ts';
import { instantText } from '../format-for-people.ts';
import type { Letter } from '../letter.ts';
import type { MailData } from '../mail.ts';

const words = {
  en: {
    subject: 'A new e-mail address for your account was asked for',
    preheader: 'If it was not you, act now.',
    heading: 'A new e-mail address was asked for',
    text: 'It takes the place of this one as soon as the link that was sent there is followed.',
    address: 'New address',
    when: 'Asked for',
    note: 'If it was not you, change your password at once: that also calls the change off.',
    button: 'Open the dashboard',
    why: 'You get this mail because the address of your account is to be changed; it cannot be switched off.',
  },
  ru: {
    subject: 'Запрошена смена адреса электронной почты',
    preheader: 'Если это были не вы, действуйте сейчас.',
    heading: 'Запрошена смена адреса электронной почты',
    text: 'Новый адрес заменит этот, как только будет открыта отправленная на него ссылка.',
    address: 'Новый адрес',
    when: 'Запрошено',
    note: 'Если это были не вы, сразу смените пароль: это отменит и смену адреса.',
    button: 'Открыть личный кабинет',
    why: 'Вы получили это письмо, потому что запрошена смена адреса вашего аккаунта; отключить его нельзя.',
  },
};

export function emailChangeLetter(data: MailData['email_change'], language: MailLanguage, publicUrl: string): Letter {
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
          [say.address, data.newEmail],
          [say.when, instantText(data.requestedAt, language)],
        ],
      },
      { kind: 'button', label: say.button, url: publicUrl },
      { kind: 'note', text: say.note },
    ],
    why: say.why,
  };
}
