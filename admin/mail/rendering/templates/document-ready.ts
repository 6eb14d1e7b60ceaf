/** A new accounting document, which is attached. */
import type { MailData } from '../../mail.ts';
import { dateText, kopecksText } from '../format-for-people.ts';
import type { MailMessage, TemplateContext } from '../mail-message.ts';

type DocumentType = MailData['document_ready']['type'];

const wordsEn = {
  types: {
    invoice: 'Invoice',
    advance_invoice: 'Advance tax invoice',
    act: 'Act of services',
    upd: 'Universal transfer document',
    tax_invoice: 'Tax invoice',
    reconciliation: 'Reconciliation report',
  } satisfies Record<DocumentType, string>,
  title: (type: string, number: number, date: string) => `${type} no. ${number}, ${date}`,
  corrected: (title: string, number: number) => `${title}, correction no. ${number}`,
  preheader: 'The document is attached as a PDF file.',
  text: 'A new accounting document is attached as a PDF file. All documents of your account are on the billing page.',
  amount: 'Amount',
  balance: 'Balance',
  date: 'Date',
  button: 'Open billing',
  why: 'You received this email because documents of your account are sent to you.',
};

const wordsRu: typeof wordsEn = {
  types: {
    invoice: 'Счёт на оплату',
    advance_invoice: 'Счёт-фактура на аванс',
    act: 'Акт об оказании услуг',
    upd: 'УПД',
    tax_invoice: 'Счёт-фактура',
    reconciliation: 'Акт сверки',
  },
  title: (type, number, date) => `${type} № ${number} от ${date}`,
  corrected: (title, number) => `${title}, исправление № ${number}`,
  preheader: 'Документ во вложении, в формате PDF.',
  text: 'Новый бухгалтерский документ — во вложении, в формате PDF. Все документы вашего аккаунта есть в разделе оплаты.',
  amount: 'Сумма',
  balance: 'Сальдо',
  date: 'Дата',
  button: 'Открыть раздел оплаты',
  why: 'Вы получили это письмо, потому что включена отправка документов по почте.',
};

const words = { en: wordsEn, ru: wordsRu };

export function documentReadyMail(
  data: MailData['document_ready'],
  { language, publicUrl }: TemplateContext,
): MailMessage {
  const say = words[language];
  const { type, number, date, amountMinor, correctionNumber = 0 } = data;
  const named = say.title(say.types[type], number, dateText(date, language));
  const title = correctionNumber === 0 ? named : say.corrected(named, correctionNumber);
  return {
    subject: title,
    preheader: say.preheader,
    heading: title,
    blocks: [
      { kind: 'paragraph', text: say.text },
      {
        kind: 'facts',
        facts: [
          [type === 'reconciliation' ? say.balance : say.amount, kopecksText(amountMinor, language)],
          [say.date, dateText(date, language)],
        ],
      },
      { kind: 'button', label: say.button, url: `${publicUrl}/billing` },
    ],
    why: say.why,
    isOptional: true,
  };
}
