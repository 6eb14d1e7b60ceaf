/** A change of the account's address was requested: the owner of the current address can still stop it. */
import type { MailData } from '../../mail.ts';
import { instantText } from '../format-for-people.ts';
import type { MailMessage, TemplateContext } from '../mail-message.ts';

const words = {
  en: {
    subject: 'Request to change your email address',
    preheader: 'If you didn’t request this, change your password now.',
    heading: 'Request to change your email address',
    text: 'The new address replaces this one as soon as the link that we sent there is followed.',
    address: 'New address',
    when: 'Requested',
    note: 'If you didn’t request this, change your password now. That also cancels the change of address.',
    button: 'Open the dashboard',
    why: 'You received this email because a change of your account’s email address was requested.',
  },
  ru: {
    subject: 'Запрошена смена адреса электронной почты',
    preheader: 'Если это были не вы, сразу смените пароль.',
    heading: 'Запрошена смена адреса электронной почты',
    text: 'Новый адрес заменит этот, как только будет открыта отправленная на него ссылка.',
    address: 'Новый адрес',
    when: 'Запрошено',
    note: 'Если это были не вы, сразу смените пароль: это отменит и смену адреса.',
    button: 'Открыть личный кабинет',
    why: 'Вы получили это письмо, потому что запрошена смена адреса вашего аккаунта.',
  },
};

export function emailChangeMail(data: MailData['email_change'], { language, publicUrl }: TemplateContext): MailMessage {
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
    isOptional: false,
  };
}
