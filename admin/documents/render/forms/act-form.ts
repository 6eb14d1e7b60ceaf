/** Акт об оказании услуг, with the models as an annex. */
import type { Party, ServiceData } from '../../document-data.ts';
import type { Paper } from '../page/paper.ts';
import { amountInWords, formatAmount } from '../text/amounts.ts';
import { longDate, reference } from '../text/dates.ts';
import { inGroups } from '../text/groups.ts';
import { describeParty, nameOf, signerOf } from '../text/parties.ts';
import { longTitle } from '../text/titles.ts';
import { drawHeading, drawLabelled, drawServiceTable } from './plain-parts.ts';
import { drawSigner, type Look, roomBelow } from './signature-fields.ts';
import { drawUsageAnnex } from './usage-annex.ts';

const acceptance =
  'Вышеперечисленные услуги выполнены полностью и в срок. Заказчик претензий по объему, качеству и срокам оказания услуг не имеет.';
const signingRoom = 40;
const titleHeight = 14;
const sidesGap = 32;

export function drawAct(paper: Paper, data: ServiceData, look?: Look): void {
  const { seller, buyer, service, period, amount, vat, payments } = data;
  drawHeading(paper, longTitle(data));
  drawLabelled(paper, 'Исполнитель:', describeParty(seller));
  drawLabelled(paper, 'Заказчик:', describeParty(buyer));
  drawLabelled(paper, 'Период:', `с ${longDate(period.from)} по ${longDate(period.to)}`);
  paper.y += 2;
  const heading = 'Наименование работ, услуг';
  drawServiceTable(paper, { service, amount, vat, heading, totalLabel: 'Всего:' });
  paper.paragraph(`Всего оказано услуг 1, на сумму ${formatAmount(amount)}\u00a0руб.`, { gap: 1 });
  paper.paragraph(amountInWords(amount), { bold: true, gap: 8 });
  if (payments.length > 0) {
    const parts = payments.map(
      (payment) => `${reference(payment.reference, payment.date)} на\u00a0${formatAmount(payment.amount)}\u00a0руб.`,
    );
    const style = { size: 8, gap: 1 };
    inGroups(parts).forEach((group, index) => {
      paper.paragraph(index === 0 ? `Зачтена предварительная оплата: ${group}` : group, style);
    });
    paper.y += 8;
  }
  paper.paragraph(acceptance, { gap: 12 });
  drawSides(paper, { seller, buyer, look, titles: ['ИСПОЛНИТЕЛЬ', 'ЗАКАЗЧИК'] });
  drawUsageAnnex(paper, data);
}

interface Sides {
  readonly seller: Party;
  readonly buyer: Party;
  readonly look?: Look | undefined;
  readonly titles: readonly [string, string];
}

export function sidesHeight(paper: Paper, { seller, buyer, look }: Sides): number {
  const names = [seller, buyer].map((party) => paper.heightOf(nameOf(party), sideWidth(paper)));
  return titleHeight + Math.max(...names) + signingRoom + Math.max(16, roomBelow(look));
}

function sideWidth(paper: Paper): number {
  return (paper.width - sidesGap) / 2;
}

/** Both parties sign side by side, on one page. */
export function drawSides(paper: Paper, { seller, buyer, look, titles }: Sides): void {
  const width = sideWidth(paper);
  const columns = [
    { party: seller, title: titles[0], look, x: paper.left },
    { party: buyer, title: titles[1], x: paper.right - width },
  ];
  const heights = columns.map(({ party }) => paper.heightOf(nameOf(party), width));
  paper.room(sidesHeight(paper, { seller, buyer, look, titles }));
  const namesTop = paper.y + titleHeight;
  const line = namesTop + Math.max(...heights) + signingRoom - 4;
  for (const { party, title, look: images, x } of columns) {
    paper.text(title, { x, y: paper.y, width, bold: true });
    paper.text(nameOf(party), { x, y: namesTop, width });
    drawSigner(paper, { title: '', name: signerOf(party), look: images }, { x, y: line, width });
    paper.text('М.\u00a0П.', { x, y: line + 4, width, size: 7 });
  }
  paper.y = line + 16;
}
