/** What invoices for payment and acts have in common: heading, the parties, the table of one service, its totals. */
import type { Vat } from '../../document-data.ts';
import { type Column, drawTable } from '../page/grid.ts';
import type { Paper } from '../page/paper.ts';
import { formatAmount, formatRate } from '../text/amounts.ts';
import { keepTogether } from '../text/parties.ts';

const labelWidth = 82;
const amountWidth = 82;

export function drawHeading(paper: Paper, title: string): void {
  paper.paragraph(title, { size: 14, bold: true, gap: 5 });
  paper.rule(1.5, 9);
}

/** "Поставщик: ООО «Ромашка», ИНН …" */
export function drawLabelled(paper: Paper, label: string, text: string): void {
  const width = paper.width - labelWidth;
  const style = { bold: true };
  paper.room(paper.heightOf(text, width, style));
  paper.text(label, { x: paper.left, y: paper.y, width: labelWidth });
  paper.y += paper.text(text, { x: paper.left + labelWidth, y: paper.y, width, ...style }) + 6;
}

interface ServiceLine {
  readonly service: string;
  readonly amount: string;
  readonly vat?: Vat | undefined;
  /** Of the column with the service. */
  readonly heading: string;
  readonly totalLabel: string;
}

/** One line, and below the table: total, VAT, and the amount that counts. */
export function drawServiceTable(paper: Paper, { service, amount, vat, heading, totalLabel }: ServiceLine): void {
  const sum = formatAmount(amount);
  const fixed = [26, 42, 48, amountWidth, amountWidth];
  const [number = 0, quantity = 0, unit = 0] = fixed;
  const columns: Column[] = [
    { width: number, align: 'center' },
    { width: paper.width - fixed.reduce((total, width) => total + width, 0) },
    { width: quantity, align: 'right' },
    { width: unit, align: 'center' },
    { width: amountWidth, align: 'right' },
    { width: amountWidth, align: 'right' },
  ];
  const head = ['№', heading, 'Кол-во', 'Ед.', 'Цена', 'Сумма'].map((text) => ({ text, bold: true }));
  const row = ['1', keepTogether(service), '1', 'усл.\u00a0ед.', sum, sum];
  drawTable(paper, { head: [head], rows: [row] }, { x: paper.left, columns, padding: 3 });
  paper.y += 6;
  drawTotal(paper, 'Итого:', sum);
  if (vat === undefined) drawTotal(paper, 'Без налога (НДС)', '–');
  else drawTotal(paper, `В том числе НДС (${formatRate(vat.rate)}):`, formatAmount(vat.amount));
  drawTotal(paper, totalLabel, sum);
  paper.y += 4;
}

function drawTotal(paper: Paper, label: string, value: string): void {
  const { left: x, y, width } = paper;
  paper.room(12);
  paper.text(label, { x, y, width: width - amountWidth - 3, align: 'right', bold: true });
  paper.y += paper.text(value, { x, y, width: width - 3, align: 'right', bold: true }) + 2;
}
