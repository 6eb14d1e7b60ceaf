/** Акт сверки: what the seller's books say, and beside it the same as the buyer's books say it. */
import type { ReconciliationData } from '../../document-data.ts';
import { type Column, drawTable, type Row } from '../page/grid.ts';
import type { Paper } from '../page/paper.ts';
import { add, amountInWords, formatAmount, isZero, splitSign } from '../text/amounts.ts';
import { longDate, shortDate } from '../text/dates.ts';
import { keepTogether, nameOf } from '../text/parties.ts';
import { longTitle } from '../text/titles.ts';
import { drawSides, sidesHeight } from './act-form.ts';

type Line = ReconciliationData['lines'][number];

/** What one side's books show: debit and credit. */
interface Entry {
  readonly debit: string;
  readonly credit: string;
}

const dateWidth = 48;
const amountWidth = 62;

export function drawReconciliation(paper: Paper, data: ReconciliationData): void {
  const { seller, buyer, period } = data;
  const from = longDate(period.from);
  const to = longDate(period.to);
  paper.paragraph(longTitle(data), { size: 14, bold: true, align: 'center', gap: 2 });
  paper.paragraph(`взаимных расчетов за период с ${from} по ${to}`, { size: 10, align: 'center', gap: 1 });
  paper.paragraph(`между ${nameOf(seller)} и ${nameOf(buyer)}`, { size: 10, align: 'center', gap: 10 });
  const people = [seller, buyer].map((party) => `${nameOf(party)} (ИНН\u00a0${party.inn})`);
  paper.paragraph(
    `Мы, нижеподписавшиеся, представители ${people.join(' и ')}, составили настоящий акт сверки в том, что состояние взаимных расчетов по данным учета следующее:`,
    { gap: 6 },
  );
  const sides = { seller, buyer, titles: ['ОТ ПРОДАВЦА', 'ОТ ПОКУПАТЕЛЯ'] } as const;
  const conclusion = conclusionOf(data);
  const style = { bold: true };
  const gaps = { above: 10, below: 16 };
  const conclusionHeight = gaps.above + paper.heightOf(conclusion, paper.width, style) + gaps.below;
  drawBooks(paper, data, conclusionHeight + sidesHeight(paper, sides));
  paper.y += gaps.above;
  paper.paragraph(conclusion, { ...style, gap: gaps.below });
  drawSides(paper, sides);
}

/** `keep` is the height of what follows on the last page. */
function drawBooks(paper: Paper, data: ReconciliationData, keep: number): void {
  const { seller, buyer, period, opening, closing, lines } = data;
  const documentWidth = paper.width / 2 - dateWidth - 2 * amountWidth;
  const side: Column[] = [
    { width: dateWidth, align: 'center' },
    { width: documentWidth },
    { width: amountWidth, align: 'right' },
    { width: amountWidth, align: 'right' },
  ];
  const titles = ['Дата', 'Документ', 'Дебет', 'Кредит'].map((text) => ({ text, bold: true }));
  const entries = lines.map(entryOf);
  const turnover: Entry = {
    debit: add(entries.map(({ debit }) => debit)),
    credit: add(entries.map(({ credit }) => credit)),
  };
  drawTable(
    paper,
    {
      head: [
        [
          { text: `По данным ${nameOf(seller)}, руб.`, span: 4, bold: true },
          { text: `По данным ${nameOf(buyer)}, руб.`, span: 4, bold: true },
        ],
        [...titles, ...titles],
      ],
      rows: [
        summaryRow(`Сальдо на ${shortDate(period.from)}`, balanceOf(opening)),
        ...lines.map((line, index) => lineRow(line, entries[index] ?? balanceOf('0'))),
        summaryRow('Обороты за период', turnover, true),
      ],
      foot: [summaryRow(`Сальдо на ${shortDate(period.to)}`, balanceOf(closing))],
      keep,
    },
    { x: paper.left, columns: [...side, ...side], size: 7.5, padding: 2.5 },
  );
}

/** The seller owes what is prepaid: a payment is a credit, a service or a return a debit. */
function entryOf({ kind, amount }: Line): Entry {
  return kind === 'paid' ? { debit: '0', credit: amount } : { debit: amount, credit: '0' };
}

function balanceOf(amount: string): Entry {
  const { isNegative, size } = splitSign(amount);
  return isNegative ? { debit: size, credit: '0' } : { debit: '0', credit: size };
}

function lineRow({ date, description }: Line, { debit, credit }: Entry): Row {
  const what = [shortDate(date), keepTogether(description)];
  return [...what, shown(debit), shown(credit), ...what, shown(credit), shown(debit)];
}

function summaryRow(title: string, { debit, credit }: Entry, hasZeros = false): Row {
  const cell = (text: string) => ({ text, bold: true });
  const amount = (value: string) => cell(hasZeros ? formatAmount(value) : shown(value));
  const label = { ...cell(title), span: 2 };
  return [label, amount(debit), amount(credit), label, amount(credit), amount(debit)];
}

function shown(amount: string): string {
  return isZero(amount) ? '' : formatAmount(amount);
}

function conclusionOf({ seller, buyer, period, closing }: ReconciliationData): string {
  const { isNegative, size } = splitSign(closing);
  const start = `По данным ${nameOf(seller)} на ${longDate(period.to)} задолженность`;
  if (isZero(closing)) return `${start} отсутствует.`;
  const [creditor, debtor] = isNegative ? [seller, buyer] : [buyer, seller];
  const amount = `${formatAmount(size)}\u00a0руб. (${amountInWords(size)})`;
  return `${start} ${nameOf(debtor)} в\u00a0пользу ${nameOf(creditor)} составляет ${amount}.`;
}
