/**
 * Универсальный передаточный документ: a счет-фактура (status 1) or, without VAT, only the transfer (status 2), and below
 * it both parties' signatures, as the tax service's letter ММВ-20-3/96@ recommends.
 */
import type { Party, ServiceData } from '../../document-data.ts';
import type { Paper } from '../page/paper.ts';
import { longDate, reference } from '../text/dates.ts';
import { nameOf, signerOf } from '../text/parties.ts';
import { drawField } from './signature-fields.ts';
import { ofServices } from './tax-invoice-form.ts';
import { dash, drawLines, drawTable, drawTaxInvoiceSigners, drawTitle, tableHeight } from './tax-invoice-part.ts';
import { drawUsageAnnex } from './usage-annex.ts';

const statusWidth = 74;
const thick = 1.2;
const size = 7;
/** More of them need the whole width. */
const paymentsBesideMax = 6;
/** Of the transfer without the names of the parties. */
const transferFixedHeight = 160;

export function drawUpd(paper: Paper, data: ServiceData): void {
  const shipment = `Универсальный передаточный документ, ${reference(data.number, data.date)}`;
  const invoice = ofServices(data, shipment);
  let top = paper.y;
  drawStatus(paper, data.vat === undefined ? '2' : '1');
  const divider = paper.left + statusWidth;
  const place = { x: divider + 6, width: paper.right - divider - 6 };
  const divide = (bottom: number) => paper.line({ x: divider, y: top }, { x: divider, y: bottom }, thick);
  drawTitle(paper, invoice, place);
  drawLines(paper, invoice, place, data.payments.length <= paymentsBesideMax);
  if (!paper.hasRoom(tableHeight(paper, invoice))) {
    divide(paper.y);
    paper.newPage();
    top = paper.y;
  }
  drawTable(paper, invoice, { x: divider, width: paper.right - divider }, { width: statusWidth });
  drawTaxInvoiceSigners(paper, data.seller, place);
  divide(paper.y);
  paper.rule(thick, 5);
  paper.room(transferHeight(paper, data));
  drawTransfer(paper, data);
  drawUsageAnnex(paper, data);
}

function drawStatus(paper: Paper, status: string): void {
  const { left: x, y } = paper;
  const width = statusWidth - 6;
  const title = 'Универсальный передаточный документ';
  let below = y + paper.text(title, { x, y, width, size: 8, bold: true }) + 10;
  paper.text('Статус:', { x, y: below + 2, width, size: 8 });
  paper.box({ x: x + 38, y: below, width: 16, height: 14 }, 1);
  paper.text(status, { x: x + 38, y: below + 2, width: 16, size: 9, bold: true, align: 'center' });
  below += 24;
  for (const line of ['1 – счет-фактура и передаточный документ (акт)', '2 – передаточный документ (акт)']) {
    below += paper.text(line, { x, y: below, width, size: 6 }) + 2;
  }
}

function transferHeight(paper: Paper, { seller, buyer }: ServiceData): number {
  const width = paper.width / 2 - 40;
  return (
    transferFixedHeight + Math.max(...[seller, buyer].map((party) => paper.heightOf(nameOf(party), width, { size })))
  );
}

interface Side {
  readonly x: number;
  readonly width: number;
  readonly party: Party;
  readonly titles: readonly [transfer: string, date: string, other: string];
  readonly date: string;
  /** Of its first line. */
  readonly code: number;
}

function drawTransfer(paper: Paper, { seller, buyer, date, period }: ServiceData): void {
  const whole = { x: paper.left, width: paper.width };
  drawValue(paper, { label: 'Основание передачи (сдачи) / получения (приемки)', value: dash, code: 8 }, whole);
  drawValue(paper, { label: 'Данные о транспортировке и грузе', value: dash, code: 9 }, whole);
  paper.y += 3;
  const top = paper.y;
  const gap = 20;
  const width = (paper.width - gap) / 2;
  drawSide(paper, {
    x: paper.left,
    width,
    party: seller,
    titles: [
      'Товар (груз) передал / услуги, результаты работ, права сдал',
      'Дата отгрузки, передачи (сдачи)',
      'Иные сведения об отгрузке, передаче',
    ],
    date: longDate(date),
    code: 10,
  });
  const bottom = paper.y;
  paper.y = top;
  drawSide(paper, {
    x: paper.left + width + gap,
    width,
    party: buyer,
    titles: [
      'Товар (груз) получил / услуги, результаты работ, права принял',
      'Дата получения (приемки)',
      'Иные сведения о получении, приемке',
    ],
    date: `«\u00a0\u00a0\u00a0\u00a0\u00a0» ${'\u00a0'.repeat(30)} ${period.to.slice(0, 2)}\u00a0\u00a0\u00a0\u00a0\u00a0г.`,
    code: 15,
  });
  paper.y = Math.max(paper.y, bottom);
  const middle = paper.left + width + gap / 2;
  paper.line({ x: middle, y: top }, { x: middle, y: paper.y }, thick);
}

function drawSide(paper: Paper, { x, width, party, titles, date, code }: Side): void {
  const [transfer, dateTitle, otherTitle] = titles;
  const place = { x, width };
  drawPeople(paper, { title: transfer, name: signerOf(party), code }, place);
  drawValue(paper, { label: dateTitle, value: date, code: code + 1 }, place);
  drawValue(paper, { label: otherTitle, value: '', code: code + 2 }, place);
  const responsible = 'Ответственный за правильность оформления факта хозяйственной жизни';
  drawPeople(paper, { title: responsible, name: signerOf(party), code: code + 3 }, place);
  const author = 'Наименование экономического субъекта – составителя документа (в т. ч. комиссионера / агента)';
  paper.y += paper.text(author, { ...place, y: paper.y, size }) + 1;
  const numbers = party.kpp === undefined ? '' : `, КПП\u00a0${party.kpp}`;
  const value = `${nameOf(party)}, ИНН\u00a0${party.inn}${numbers}`;
  drawValue(paper, { label: '', value, code: code + 4 }, place);
  paper.text('М.\u00a0П.', { x: x + 4, y: paper.y + 2, width, size });
  paper.y += 14;
}

function drawValue(
  paper: Paper,
  { label, value, code }: { readonly label: string; readonly value: string; readonly code: number },
  { x, width }: { readonly x: number; readonly width: number },
): void {
  const labelWidth = label === '' ? 0 : paper.widthOf(label, { size }) + 6;
  const codeWidth = 22;
  const free = { x: x + labelWidth, y: paper.y, width: width - labelWidth - codeWidth - 2 };
  paper.text(label, { x, y: paper.y, width: labelWidth + 4, size });
  const lineHeight = paper.heightOf(label, width, { size });
  paper.y += Math.max(lineHeight, paper.text(value, { ...free, size }));
  const coded = { x: x + width - codeWidth, width: codeWidth, size, align: 'right' } as const;
  paper.text(`[${code}]`, { ...coded, y: paper.y - lineHeight });
  paper.line({ x: free.x, y: paper.y }, { x: free.x + free.width, y: paper.y }, 0.3);
  paper.y += 4;
}

function drawPeople(
  paper: Paper,
  { title, name, code }: { readonly title: string; readonly name: string; readonly code: number },
  { x, width }: { readonly x: number; readonly width: number },
): void {
  paper.y += paper.text(title, { x, y: paper.y, width, size });
  const codeWidth = 22;
  const gap = 8;
  const free = width - codeWidth - 2 * gap - 2;
  const fields = [
    { caption: '(должность)', width: free * 0.34 },
    { caption: '(подпись)', width: free * 0.28 },
    { caption: '(ф.и.о.)', text: name, width: free * 0.38 },
  ];
  let left = x;
  let height = 0;
  for (const { width: own, ...field } of fields) {
    height = Math.max(height, drawField(paper, field, { x: left, y: paper.y, width: own }));
    left += own + gap;
  }
  paper.text(`[${code}]`, { x: x + width - codeWidth, y: paper.y + 2, width: codeWidth, size, align: 'right' });
  paper.y += height + 2;
}
