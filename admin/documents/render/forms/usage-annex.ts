/** The annex of acts and of universal transfer documents: what each model cost in the month, by cost center if there are any. */
import type { ServiceData } from '../../document-data.ts';
import { type Column, drawTable } from '../page/grid.ts';
import type { Paper } from '../page/paper.ts';
import { add, formatAmount, groupDigits } from '../text/amounts.ts';
import { longDate } from '../text/dates.ts';
import { longTitle } from '../text/titles.ts';

const amountWidth = 90;
const requestsWidth = 80;
const numberWidth = 30;
const costCenterWidth = 120;
const annexOf = { act: 'к акту', upd: 'к УПД', tax_invoice: 'к счету-фактуре' } as const;

export function drawUsageAnnex(paper: Paper, data: ServiceData): void {
  const { usage, period, type } = data;
  if (usage.length === 0) return;
  paper.newPage('portrait');
  const [, titleRest = ''] = longTitle(data).split(/ (?=№)/);
  paper.paragraph(`Приложение ${annexOf[type]} ${titleRest}`, { align: 'right', gap: 14 });
  paper.paragraph('Стоимость услуг по моделям', { size: 12, bold: true, align: 'center', gap: 2 });
  paper.paragraph(`за период с ${longDate(period.from)} по ${longDate(period.to)}`, { align: 'center', gap: 10 });
  const isSplit = usage.some(({ costCenter }) => costCenter !== undefined);
  const splitWidth = isSplit ? costCenterWidth : 0;
  const columns: Column[] = [
    { width: numberWidth, align: 'center' },
    ...(isSplit ? [{ width: costCenterWidth }] : []),
    { width: paper.width - numberWidth - splitWidth - requestsWidth - amountWidth },
    { width: requestsWidth, align: 'right' },
    { width: amountWidth, align: 'right' },
  ];
  const bold = (text: string) => ({ text, bold: true });
  const requests = usage.reduce((total, line) => total + line.requests, 0);
  drawTable(
    paper,
    {
      head: [['№', ...(isSplit ? ['Место затрат'] : []), 'Модель', 'Запросов', 'Сумма, руб.'].map(bold)],
      rows: usage.map((line, index) => [
        String(index + 1),
        ...(isSplit ? [line.costCenter ?? '—'] : []),
        line.model,
        groupDigits(String(line.requests)),
        formatAmount(line.amount),
      ]),
      foot: [
        [
          { text: 'Итого', span: isSplit ? 3 : 2, bold: true, align: 'right' },
          bold(groupDigits(String(requests))),
          bold(formatAmount(add(usage.map(({ amount }) => amount)))),
        ],
      ],
    },
    { x: paper.left, columns, padding: 3 },
  );
  paper.y += 6;
  if (data.vat !== undefined) paper.paragraph('Суммы указаны с учетом НДС.', { size: 8 });
}
