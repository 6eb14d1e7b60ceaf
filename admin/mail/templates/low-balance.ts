/** The balance has fallen below the customer's threshold. */
import type { MailLanguage } from '../../../shared/tables/mails.ts';
import { dateText, kopecksText, rateText, usdAsRubText, usdText } from '../format-for-people.ts';
import type { Letter } from '../letter.ts';
import type { MailData } from '../mail.ts';

type LowBalance = MailData['low_balance'];

const words = {
  en: {
    subject: (balance: string) => `Your balance is running low: ${balance}`,
    subjectEmpty: 'Your balance is used up',
    preheader: (rub: string, threshold: string) => `${rub} are left, less than your threshold of ${threshold}.`,
    heading: 'Your balance is running low',
    headingEmpty: 'Your balance is used up',
    text: 'Your balance has fallen below your alert threshold. When it runs out, requests are refused until you top up.',
    textLow: 'Your balance is below your alert threshold. When it runs out, requests are refused until you top up.',
    textEmpty: 'Your balance has reached zero. Requests are refused until you top up.',
    facts: { balance: 'Balance', threshold: 'Alert threshold', rate: 'Exchange rate' },
    cbr: (date: string) => `Bank of Russia, ${date}`,
    configured: 'fixed by this gateway',
    button: 'Open the dashboard',
    why: 'You get this mail because low-balance alerts are switched on for your account.',
  },
  ru: {
    subject: (balance: string) => `Баланс заканчивается: ${balance}`,
    subjectEmpty: 'Баланс исчерпан',
    preheader: (rub: string, threshold: string) => `Осталось ${rub}, это меньше вашего порога ${threshold}.`,
    heading: 'Баланс заканчивается',
    headingEmpty: 'Баланс исчерпан',
    text: 'Баланс опустился ниже порога оповещения. Когда он закончится, запросы будут отклоняться до пополнения.',
    textLow: 'Баланс ниже порога оповещения. Когда он закончится, запросы будут отклоняться до пополнения.',
    textEmpty: 'На балансе ничего не осталось. Запросы отклоняются до пополнения.',
    facts: { balance: 'Баланс', threshold: 'Порог оповещения', rate: 'Курс' },
    cbr: (date: string) => `Банк России, ${date}`,
    configured: 'установлен этим шлюзом',
    button: 'Открыть личный кабинет',
    why: 'Вы получили это письмо, потому что для вашего аккаунта включены оповещения о низком балансе.',
  },
};

export function lowBalanceLetter(data: LowBalance, language: MailLanguage, publicUrl: string): Letter {
  const say = words[language];
  const isEmpty = BigInt(data.balanceNano) <= 0n;
  const usd = usdText(data.balanceNano, language);
  const rub = usdAsRubText(data.balanceNano, data.rubPerUsd, language);
  const threshold = kopecksText(data.thresholdKopecks, language);
  return {
    subject: isEmpty ? say.subjectEmpty : say.subject(usd),
    preheader: say.preheader(rub, threshold),
    heading: isEmpty ? say.headingEmpty : say.heading,
    blocks: [
      { kind: 'paragraph', text: isEmpty ? say.textEmpty : data.event === 'low' ? say.textLow : say.text },
      {
        kind: 'facts',
        facts: [
          [say.facts.balance, `${usd} ≈ ${rub}`],
          [say.facts.threshold, threshold],
          [say.facts.rate, rateLine(data, language)],
        ],
      },
      { kind: 'button', label: say.button, url: publicUrl },
    ],
    why: say.why,
  };
}

function rateLine({ rubPerUsd, rateDate, rateSource }: LowBalance, language: MailLanguage): string {
  const { cbr, configured } = words[language];
  const source = rateSource === 'cbr' && rateDate !== null ? cbr(dateText(rateDate, language)) : configured;
  return `1 USD = ${rateText(rubPerUsd, language)} RUB (${source})`;
}
