/** The balance is below the customer's threshold, or used up. */
import type { Language } from '../../../../shared/languages.ts';
import type { MailData } from '../../mail.ts';
import { dateText, kopecksText, rateText, usdAsRubText, usdText } from '../format-for-people.ts';
import type { MailMessage, TemplateContext } from '../mail-message.ts';

type LowBalance = MailData['low_balance'];

interface Amounts {
  readonly usd: string;
  readonly rub: string;
  readonly threshold: string;
}

const wordsEn = {
  fallen: {
    subject: ({ usd }: Amounts) => `Your balance is running low: ${usd}`,
    preheader: ({ rub, threshold }: Amounts) => `${rub} left, below your alert threshold of ${threshold}.`,
    heading: 'Your balance is running low',
    text: 'Your balance has fallen below your alert threshold. When it runs out, requests are refused until you top up.',
  },
  low: {
    subject: ({ usd }: Amounts) => `Your balance is low: ${usd}`,
    preheader: ({ rub, threshold }: Amounts) => `${rub} left, below your alert threshold of ${threshold}.`,
    heading: 'Your balance is low',
    text: 'Your balance is below your alert threshold. When it runs out, requests are refused until you top up.',
  },
  empty: {
    subject: () => 'Your balance is used up',
    preheader: () => 'Requests are refused until you top up.',
    heading: 'Your balance is used up',
    text: 'Your balance has reached zero. Requests are refused until you top up.',
  },
  facts: { balance: 'Balance', threshold: 'Alert threshold', rate: 'Exchange rate' },
  cbr: (date: string) => `Bank of Russia, ${date}`,
  configured: 'fixed rate',
  button: 'Top up',
  why: 'You received this email because low-balance alerts are on for your account.',
  whyOther: (account: string) =>
    `You received this email because you agreed to get the low-balance alerts of the account ${account}.`,
};

const wordsRu: typeof wordsEn = {
  fallen: {
    subject: ({ usd }: Amounts) => `Баланс заканчивается: ${usd}`,
    preheader: ({ rub, threshold }: Amounts) => `Осталось ${rub}, это меньше вашего порога ${threshold}.`,
    heading: 'Баланс заканчивается',
    text: 'Баланс опустился ниже порога оповещения. Когда он закончится, запросы будут отклоняться до пополнения.',
  },
  low: {
    subject: ({ usd }: Amounts) => `Низкий баланс: ${usd}`,
    preheader: ({ rub, threshold }: Amounts) => `Осталось ${rub}, это меньше вашего порога ${threshold}.`,
    heading: 'Низкий баланс',
    text: 'Баланс ниже порога оповещения. Когда он закончится, запросы будут отклоняться до пополнения.',
  },
  empty: {
    subject: () => 'Баланс исчерпан',
    preheader: () => 'Запросы отклоняются до пополнения.',
    heading: 'Баланс исчерпан',
    text: 'На балансе ничего не осталось. Запросы отклоняются до пополнения.',
  },
  facts: { balance: 'Баланс', threshold: 'Порог оповещения', rate: 'Курс' },
  cbr: (date: string) => `Банк России, ${date}`,
  configured: 'фиксированный курс',
  button: 'Пополнить баланс',
  why: 'Вы получили это письмо, потому что для вашего аккаунта включены оповещения о низком балансе.',
  whyOther: (account: string) =>
    `Вы получили это письмо, потому что согласились получать оповещения о низком балансе аккаунта ${account}.`,
};

const words = { en: wordsEn, ru: wordsRu };

export function lowBalanceMail(data: LowBalance, { language, publicUrl }: TemplateContext): MailMessage {
  const all = words[language];
  const say = all[eventOf(data)];
  const amounts = {
    usd: usdText(data.balanceNano, language),
    rub: usdAsRubText(data.balanceNano, data.rubPerUsd, language),
    threshold: kopecksText(data.thresholdKopecks, language),
  };
  return {
    subject: say.subject(amounts),
    preheader: say.preheader(amounts),
    heading: say.heading,
    blocks: [
      { kind: 'paragraph', text: say.text },
      {
        kind: 'facts',
        facts: [
          [all.facts.balance, `${amounts.usd} ≈ ${amounts.rub}`],
          [all.facts.threshold, amounts.threshold],
          [all.facts.rate, rateLine(data, language)],
        ],
      },
      { kind: 'button', label: all.button, url: `${publicUrl}/billing` },
    ],
    why: data.accountEmail === undefined ? all.why : all.whyOther(data.accountEmail),
    isOptional: true,
    unsubscribeUrl:
      data.stopToken === undefined ? undefined : `${publicUrl}/api/alert-addresses/unsubscribe?token=${data.stopToken}`,
  };
}

function eventOf({ event, balanceNano }: LowBalance): 'fallen' | 'low' | 'empty' {
  return BigInt(balanceNano) <= 0n ? 'empty' : event;
}

function rateLine({ rubPerUsd, rateDate, rateSource }: LowBalance, language: Language): string {
  const { cbr, configured } = words[language];
  const source = rateSource === 'cbr' && rateDate !== null ? cbr(dateText(rateDate, language)) : configured;
  return `1 USD = ${rateText(rubPerUsd, language)} RUB (${source})`;
}
