/** So much of a budget is spent, or all of it. */
import type { MailData } from '../../mail.ts';
import { instantText, usdText } from '../format-for-people.ts';
import type { MailMessage, TemplateContext } from '../mail-message.ts';

type BudgetAlert = MailData['budget_alert'];
type Period = BudgetAlert['period'];

const wordsEn = {
  periods: { day: 'daily', week: 'weekly', month: 'monthly', total: 'total' } satisfies Record<Period, string>,
  levels: { organization: 'Organization', project: 'Project', member: 'Member' },
  subject: (percent: number, period: string, name: string) => `${percent}% of the ${period} budget is spent: ${name}`,
  usedUp: (period: string, name: string) => `The ${period} budget is used up: ${name}`,
  heading: (percent: number) => `${percent}% of a budget is spent`,
  headingUsedUp: 'A budget is used up',
  preheader: (spent: string, amount: string) => `${spent} of ${amount}.`,
  text: 'When it is used up, requests that would exceed it are refused until it begins again.',
  textUsedUp: 'Requests that would exceed it are refused until it begins again.',
  textForever: 'When it is used up, requests that would exceed it are refused until someone raises it.',
  textUsedUpForever: 'Requests that would exceed it are refused until someone raises it.',
  facts: { budget: 'Budget', spent: 'Spent', resets: 'Begins again' },
  button: 'Open budgets',
  why: 'You received this email because this budget has alerts.',
  whyOther: (account: string) =>
    `You received this email because you agreed to get the alerts of the account ${account}.`,
};

const wordsRu: typeof wordsEn = {
  periods: { day: 'дневного', week: 'недельного', month: 'месячного', total: 'общего' },
  levels: { organization: 'Организация', project: 'Проект', member: 'Участник' },
  subject: (percent, period, name) => `Израсходовано ${percent} % ${period} бюджета: ${name}`,
  usedUp: (period, name) => `Израсходованы все 100 % ${period} бюджета: ${name}`,
  heading: (percent) => `Израсходовано ${percent} % бюджета`,
  headingUsedUp: 'Бюджет исчерпан',
  preheader: (spent, amount) => `${spent} из ${amount}.`,
  text: 'Когда он закончится, запросы, которые его превысят, будут отклоняться, пока он не начнётся снова.',
  textUsedUp: 'Запросы, которые его превысят, отклоняются, пока он не начнётся снова.',
  textForever: 'Когда он закончится, запросы, которые его превысят, будут отклоняться, пока его не увеличат.',
  textUsedUpForever: 'Запросы, которые его превысят, отклоняются, пока его не увеличат.',
  facts: { budget: 'Бюджет', spent: 'Израсходовано', resets: 'Начнётся снова' },
  button: 'Открыть бюджеты',
  why: 'Вы получили это письмо, потому что для этого бюджета включены оповещения.',
  whyOther: (account) => `Вы получили это письмо, потому что согласились получать оповещения аккаунта ${account}.`,
};

const words = { en: wordsEn, ru: wordsRu };
const all = 100;

export function budgetAlertMail(data: BudgetAlert, { language, publicUrl }: TemplateContext): MailMessage {
  const say = words[language];
  const { level, name, period, percent, resetsAt } = data;
  const spent = usdText(data.spentNano, language);
  const amount = usdText(data.amountNano, language);
  const isUsedUp = percent >= all;
  const soon = resetsAt === null ? say.textForever : say.text;
  const now = resetsAt === null ? say.textUsedUpForever : say.textUsedUp;
  return {
    subject: isUsedUp ? say.usedUp(say.periods[period], name) : say.subject(percent, say.periods[period], name),
    preheader: say.preheader(spent, amount),
    heading: isUsedUp ? say.headingUsedUp : say.heading(percent),
    blocks: [
      { kind: 'paragraph', text: isUsedUp ? now : soon },
      {
        kind: 'facts',
        facts: [
          [say.levels[level], name],
          [say.facts.budget, amount],
          [say.facts.spent, spent],
          ...(resetsAt === null ? [] : [[say.facts.resets, instantText(resetsAt, language)] as const]),
        ],
      },
      { kind: 'button', label: say.button, url: `${publicUrl}/organization?tab=budgets` },
    ],
    why: data.accountEmail === undefined ? say.why : say.whyOther(data.accountEmail),
    isOptional: true,
    unsubscribeUrl:
      data.stopToken === undefined ? undefined : `${publicUrl}/api/alert-addresses/unsubscribe?token=${data.stopToken}`,
  };
}
