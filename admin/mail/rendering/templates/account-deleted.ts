/** The account is deleted. The last mail to this address. */
import type { MailData } from '../../mail.ts';
import { instantText, usdText } from '../format-for-people.ts';
import type { MailMessage, TemplateContext } from '../mail-message.ts';

const words = {
  en: {
    subject: 'Your account is deleted',
    preheader: 'Your personal data is erased, and your API keys no longer work.',
    text: (brandName: string) =>
      `Your ${brandName} account is deleted. Your personal data is erased, your API keys no longer work, and every session has ended. We keep the record of payments and charges, without your name or address, because accounting law requires it.`,
    when: 'Deleted',
    forfeited: 'Forfeited balance',
    note: 'This is the last email to this address, which we now delete. You can sign up with it again at any time, as a new customer.',
    why: 'You received this email because the account with your address was deleted.',
  },
  ru: {
    subject: 'Ваш аккаунт удалён',
    preheader: 'Ваши персональные данные стёрты, API-ключи больше не действуют.',
    text: (brandName: string) =>
      `Ваш аккаунт ${brandName} удалён. Персональные данные стёрты, API-ключи больше не действуют, все сеансы завершены. Записи о платежах и списаниях мы храним без вашего имени и адреса, потому что этого требует закон о бухгалтерском учёте.`,
    when: 'Удалён',
    forfeited: 'Остаток, от которого вы отказались',
    note: 'Это последнее письмо на этот адрес, больше мы его не храним. Вы можете зарегистрироваться с ним снова как новый клиент.',
    why: 'Вы получили это письмо, потому что аккаунт с вашим адресом удалён.',
  },
};

export function accountDeletedMail(
  { deletedAt, forfeitedNano }: MailData['account_deleted'],
  { language, brandName }: TemplateContext,
): MailMessage {
  const say = words[language];
  return {
    subject: say.subject,
    preheader: say.preheader,
    heading: say.subject,
    blocks: [
      { kind: 'paragraph', text: say.text(brandName) },
      {
        kind: 'facts',
        facts: [
          [say.when, instantText(deletedAt, language)],
          ...(forfeitedNano === null ? [] : [[say.forfeited, usdText(forfeitedNano, language)] as const]),
        ],
      },
      { kind: 'note', text: say.note },
    ],
    why: say.why,
    isOptional: false,
  };
}
