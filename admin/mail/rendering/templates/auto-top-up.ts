/** Automatic top-ups: a charge of the saved card that failed, and that no more are made. */
import type { MailData } from '../../mail.ts';
import { instantText, paidText } from '../format-for-people.ts';
import type { MailMessage, TemplateContext } from '../mail-message.ts';

const wordsEn = {
  amount: 'Amount',
  next: 'Next attempt',
  button: 'Open billing',
  why: 'You received this email because automatic top-up is on for your account.',
  failed: {
    subject: (amount: string) => `Automatic top-up failed: ${amount}`,
    preheader: 'We will try again. Nothing was charged.',
    heading: 'Your automatic top-up failed',
    text: 'Your saved card could not be charged. We will try again, once the balance is still low. You can also top up yourself.',
  },
  failures: {
    subject: () => 'Automatic top-up is off',
    preheader: 'Three charges in a row have failed.',
    heading: 'Automatic top-up is off',
    text: 'Three charges of your saved card in a row have failed, so we have switched automatic top-up off. Top up yourself, and switch it on again with a card that works.',
  },
  dispute: {
    subject: () => 'Automatic top-up is off',
    preheader: 'A card payment was disputed.',
    heading: 'Automatic top-up is off',
    text: 'A card payment of your account was disputed with the bank, so we no longer charge cards of your account. Reply to this email if you have questions.',
  },
};

const wordsRu: typeof wordsEn = {
  amount: 'Сумма',
  next: 'Следующая попытка',
  button: 'Открыть раздел оплаты',
  why: 'Вы получили это письмо, потому что для вашего аккаунта включено автопополнение.',
  failed: {
    subject: (amount: string) => `Автопополнение не прошло: ${amount}`,
    preheader: 'Мы попробуем ещё раз. Деньги не списаны.',
    heading: 'Автопополнение не прошло',
    text: 'Не удалось списать деньги с сохранённой карты. Мы попробуем ещё раз, если баланс останется низким. Вы можете пополнить его и сами.',
  },
  failures: {
    subject: () => 'Автопополнение отключено',
    preheader: 'Три списания подряд не прошли.',
    heading: 'Автопополнение отключено',
    text: 'Три списания с сохранённой карты подряд не прошли, поэтому мы отключили автопополнение. Пополните баланс сами и включите автопополнение снова, с действующей картой.',
  },
  dispute: {
    subject: () => 'Автопополнение отключено',
    preheader: 'Один из платежей картой оспорен.',
    heading: 'Автопополнение отключено',
    text: 'Один из платежей картой оспорен в банке, поэтому мы больше не списываем деньги с карт вашего аккаунта. Если есть вопросы, ответьте на это письмо.',
  },
};

const words = { en: wordsEn, ru: wordsRu };

export function autoTopUpFailedMail(data: MailData['auto_top_up_failed'], context: TemplateContext): MailMessage {
  const say = words[context.language];
  const next = [say.next, instantText(data.nextAttemptAt, context.language)] as const;
  return messageOf(context, { about: say.failed, data, more: [next] });
}

export function autoTopUpStoppedMail(data: MailData['auto_top_up_stopped'], context: TemplateContext): MailMessage {
  return messageOf(context, { about: words[context.language][data.reason], data, more: [] });
}

interface Content {
  readonly about: (typeof wordsEn)['failed'];
  readonly data: MailData['payment_failed'];
  readonly more: readonly (readonly [string, string])[];
}

function messageOf({ language, publicUrl }: TemplateContext, { about, data, more }: Content): MailMessage {
  const say = words[language];
  const amount = paidText(data, language);
  return {
    subject: about.subject(amount),
    preheader: about.preheader,
    heading: about.heading,
    blocks: [
      { kind: 'paragraph', text: about.text },
      { kind: 'facts', facts: [[say.amount, amount], ...more] },
      { kind: 'button', label: say.button, url: `${publicUrl}/billing` },
    ],
    why: say.why,
    isOptional: false,
  };
}
