/** Акт сверки: what the seller's books say, and beside it the same as the buyer's books say it. */
import type { ReconciliationData } from '../../document-data.ts';
import { type Column, drawTable, type Row } from '../page/grid.ts';
import type { Paper } from '../page/paper.ts';
import { add, amountInWords, formatAmount, isZero, splitSign } from '../text/amounts.ts';
import { longDate, shortDate } from '../text/dates.ts';
import { keepTogether, nameOf } from '../text/parties.ts';
import { drawSides } from './act-form.ts';

type Line = ReconciliationData['lines'][number];

/** What one side's books show: debit and credit. */
interface Entry {
  readonly debit: string;
  readonly credit: string;
}

const dateWidth = 48;
const amountWidth = 62;

export function drawReconciliation(paper: Paper, data: ReconciliationData): void {
  const { seller, buyer, period, number } = data;
  const from = longDate(period.from);
  const to = longDate(period.to);
  paper.paragraph(`Акт сверки №\u00a0${number}`, { size: 14, bold: true, align: 'center', gap: 2 });
  paper.paragraph(`взаимных расчетов за период с ${from} по ${to}`, { size: 10, align: 'center', gap: 1 });
  paper.paragraph(`между ${nameOf(seller)} и ${nameOf(buyer)}`, { size: 10, align: 'center', gap: 10 });
  const people = [seller, buyer].map((party) => `${nameOf(party)} (ИНН\u00a0${party.inn})`);
  paper.paragraph(
    `Мы, нижеподписавшиеся, представители ${people.join(' и ')}, составили настоящий акт сверки в том, что состояние взаимных расчетов по данным учета следующее:`,
    { gap: 6 },
  );
  drawBooks(paper, data);
  paper.y += 10;
  drawConclusion(paper, data);
  drawSides(paper, { seller, buyer, titles: [`От ${nameOf(seller)}`, `От ${nameOf(buyer)}`] });
}

function drawBooks(paper: Paper, { seller, buyer, period, opening, closing, lines }: ReconciliationData): void {
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

function drawConclusion(paper: Paper, { seller, buyer, period, closing }: ReconciliationData): void {
  const { isNegative, size } = splitSign(closing);
  const day = `на ${longDate(period.to)}`;
  if (isZero(closing)) {
    paper.paragraph(`По данным ${nameOf(seller)} ${day} задолженность отсутствует.`, { bold: true, gap: 16 });
    return;
  }
  const [creditor, debtor] = isNegative ? [seller, buyer] : [buyer, seller];
  paper.paragraph(
    `По данным ${nameOf(seller)} ${day} задолженность ${nameOf(debtor)} в\u00a0пользу ${nameOf(creditor)} составляет ${formatAmount(size)}\u00a0руб. (${amountInWords(size)}).`,
    { bold: true, gap: 16 },
  );
}
