/** Payments: received, failed, and returned, with the balance afterwards. */
import type { MailData } from '../../mail.ts';
import { paidText, usdText } from '../format-for-people.ts';
import type { MailMessage, TemplateContext } from '../mail-message.ts';

const wordsEn = {
  amount: 'Amount',
  credited: 'Added to your balance',
  balance: 'New balance',
  button: 'Open billing',
  why: 'You received this email because of a payment of your account.',
  received: {
    subject: (amount: string) => `Payment received: ${amount}`,
    preheader: (balance: string) => `Your balance is now ${balance}.`,
    heading: 'Payment received',
    text: 'Thank you. Your payment has arrived, and your balance is topped up.',
  },
  failed: {
    subject: (amount: string) => `Payment failed: ${amount}`,
    preheader: 'Nothing was charged. Try again, or pay another way.',
    heading: 'Your payment failed',
    text: 'Your payment did not go through, and nothing was charged. Try again, or pay another way.',
  },
  refunded: {
    subject: (amount: string) => `Refund: ${amount}`,
    preheader: 'The money is on its way back to you.',
    heading: 'Your payment was refunded',
    text: 'We have returned this amount to you the way you paid. It can take several days to arrive.',
  },
  reversed: {
    subject: (amount: string) => `Payment reversed: ${amount}`,
    preheader: 'The amount was taken from your balance.',
    heading: 'Your payment was reversed',
    text: 'Your bank or the payment provider took this payment back, so its amount was taken from your balance.',
  },
  restored: {
    subject: (amount: string) => `Payment restored: ${amount}`,
    preheader: 'The amount is back, and you can pay by card again.',
    heading: 'Your payment was restored',
    text: 'The dispute about this payment was decided in our favour, so its amount is yours to use again. You can pay by card again.',
  },
  refundFailed: {
    subject: (amount: string) => `Refund failed: ${amount}`,
    preheader: 'The amount is back on your balance.',
    heading: 'Your refund did not arrive',
    text: 'Your bank could not accept this refund and sent it back to us, so its amount is yours to use again. Contact us to have it returned another way.',
  },
};

const wordsRu: typeof wordsEn = {
  amount: 'Сумма',
  credited: 'Зачислено на баланс',
  balance: 'Новый баланс',
  button: 'Открыть раздел оплаты',
  why: 'Вы получили это письмо, потому что по вашему аккаунту прошёл платёж.',
  received: {
    subject: (amount: string) => `Платёж получен: ${amount}`,
    preheader: (balance: string) => `Теперь на балансе ${balance}.`,
    heading: 'Платёж получен',
    text: 'Спасибо. Ваш платёж поступил, баланс пополнен.',
  },
  failed: {
    subject: (amount: string) => `Платёж не прошёл: ${amount}`,
    preheader: 'Деньги не списаны. Попробуйте ещё раз или выберите другой способ.',
    heading: 'Платёж не прошёл',
    text: 'Платёж не прошёл, деньги не списаны. Попробуйте ещё раз или выберите другой способ оплаты.',
  },
  refunded: {
    subject: (amount: string) => `Возврат: ${amount}`,
    preheader: 'Деньги уже отправлены вам.',
    heading: 'Мы вернули платёж',
    text: 'Мы вернули эту сумму тем же способом, которым вы платили. Деньги могут идти несколько дней.',
  },
  reversed: {
    subject: (amount: string) => `Платёж отменён: ${amount}`,
    preheader: 'Сумма списана с вашего баланса.',
    heading: 'Платёж отменён',
    text: 'Ваш банк или платёжный сервис отозвал этот платёж, поэтому его сумма списана с баланса.',
  },
  restored: {
    subject: (amount: string) => `Платёж восстановлен: ${amount}`,
    preheader: 'Сумма снова доступна, и вы снова можете платить картой.',
    heading: 'Платёж восстановлен',
    text: 'Спор по этому платежу решён в нашу пользу, поэтому его сумма снова в вашем распоряжении. Вы снова можете платить картой.',
  },
  refundFailed: {
    subject: (amount: string) => `Возврат не прошёл: ${amount}`,
    preheader: 'Сумма снова на вашем балансе.',
    heading: 'Возврат не прошёл',
    text: 'Ваш банк не принял возврат и отправил деньги обратно нам, поэтому сумма снова в вашем распоряжении. Чтобы вернуть её другим способом, свяжитесь с нами.',
  },
};

const words = { en: wordsEn, ru: wordsRu };

export function paymentReceivedMail(data: MailData['payment_received'], context: TemplateContext): MailMessage {
  const { language } = context;
  const say = words[language];
  const balance = usdText(data.balanceNano, language);
  return messageOf(context, {
    ...say.received,
    subject: say.received.subject(paidText(data, language)),
    preheader: say.received.preheader(balance),
    facts: [
      [say.amount, paidText(data, language)],
      [say.credited, usdText(data.creditNano, language)],
      [say.balance, balance],
    ],
  });
}

export function paymentFailedMail(data: MailData['payment_failed'], context: TemplateContext): MailMessage {
  const say = words[context.language];
  const amount = paidText(data, context.language);
  return messageOf(context, { ...say.failed, subject: say.failed.subject(amount), facts: [[say.amount, amount]] });
}

export function paymentRefundedMail(data: MailData['payment_refunded'], context: TemplateContext): MailMessage {
  const { language } = context;
  const say = words[language];
  const about = data.isReversed ? say.reversed : say.refunded;
  const amount = paidText(data, language);
  const balance = data.balanceNano === null ? [] : [[say.balance, usdText(data.balanceNano, language)] as const];
  return messageOf(context, { ...about, subject: about.subject(amount), facts: [[say.amount, amount], ...balance] });
}

/** What had left the balance is back: a dispute was won, or a refund failed. */
export function amountReturnedMail(
  cause: 'restored' | 'refundFailed',
  data: MailData['payment_restored' | 'refund_failed'],
  context: TemplateContext,
): MailMessage {
  const { language } = context;
  const say = words[language];
  const about = say[cause];
  const amount = paidText(data, language);
  const balance = data.balanceNano === null ? [] : [[say.balance, usdText(data.balanceNano, language)] as const];
  const facts = [[say.amount, amount], ...balance] as const;
  return messageOf(context, { ...about, subject: about.subject(amount), facts });
}

interface Content {
  readonly subject: string;
  readonly preheader: string;
  readonly heading: string;
  readonly text: string;
  readonly facts: readonly (readonly [string, string])[];
}

function messageOf({ language, publicUrl }: TemplateContext, content: Content): MailMessage {
  const { subject, preheader, heading, text, facts } = content;
  const say = words[language];
  return {
    subject,
    preheader,
    heading,
    blocks: [
      { kind: 'paragraph', text },
      { kind: 'facts', facts },
      { kind: 'button', label: say.button, url: `${publicUrl}/billing` },
    ],
    why: say.why,
    isOptional: false,
  };
}
