/**
 * The счет-фактура by the government's resolution 1137 (with line 5б, in force since 1 April 2026), which is also the
 * greater part of a universal transfer document. Columns 12 to 14 are for traceable goods, and left out for services.
 */
import type { Party, Vat } from '../../document-data.ts';
import { type Column, drawGrid, type Row } from '../page/grid.ts';
import type { Paper } from '../page/paper.ts';
import { formatAmount, formatRate, subtract } from '../text/amounts.ts';
import { longDate } from '../text/dates.ts';
import { keepTogether, nameOf, shortName, signerOf, taxNumbers } from '../text/parties.ts';
import { drawField } from './signature-fields.ts';

export const dash = '–';

export interface TaxInvoice {
  readonly number: number;
  readonly date: string;
  readonly seller: Party;
  readonly buyer: Party;
  /** Lines 5, 5а and 5б. */
  readonly payments: string;
  readonly shipment: string;
  readonly advances: string;
  /** The cells of the table from 1а to 11. */
  readonly line: readonly string[];
  readonly totals: { readonly net: string; readonly tax: string; readonly gross: string };
}

interface Place {
  readonly x: number;
  readonly width: number;
}

type Line = readonly [label: string, value: string, code: string];

const resolution =
  'Приложение № 1 к постановлению Правительства Российской Федерации от 26 декабря 2011 г. № 1137 (в редакции постановления Правительства Российской Федерации от 23 января 2026 г. № 26)';
const small = 7.5;
/** Of the columns from 1б; 1а takes what is left. */
const numberWidth = 22;
const otherWidths = [36, 24, 54, 40, 60, 64, 38, 40, 60, 64, 34, 48, 62];
const alignments = [
  'center',
  'center',
  'center',
  'right',
  'right',
  'right',
  'center',
  'center',
  'right',
  'right',
] as const;

/** The cells of one service. */
export function serviceLine(service: string, amount: string, vat: Vat | undefined): TaxInvoice['line'] {
  const net = formatAmount(vat === undefined ? amount : subtract(amount, vat.amount));
  const rate = vat === undefined ? 'без НДС' : formatRate(vat.rate);
  const tax = vat === undefined ? 'без НДС' : formatAmount(vat.amount);
  const unit = ['876', 'усл.\u00a0ед.', '1'];
  return [service, dash, ...unit, net, net, 'без акциза', rate, tax, formatAmount(amount), dash, dash, dash];
}

export function drawTitle(paper: Paper, { number, date }: TaxInvoice, { x, width }: Place): void {
  const { y } = paper;
  const noteWidth = 230;
  const note = { x: x + width - noteWidth, y, width: noteWidth, size: 6, align: 'right' } as const;
  const titleWidth = width - noteWidth - 10;
  paper.text(keepTogether(resolution), note);
  const titles = [
    ['СЧЕТ-ФАКТУРА', `№\u00a0${number} от\u00a0${longDate(date)}`, '(1)'],
    ['ИСПРАВЛЕНИЕ', `№\u00a0${dash} от\u00a0${dash}`, '(1а)'],
  ];
  for (const [title, what, code] of titles) {
    paper.y += paper.text(`${title} ${what}  ${code}`, { x, y: paper.y, width: titleWidth, size: 10, bold: true }) + 1;
  }
  paper.y += 5;
}

/** The lines 2 to 8, the buyer's below the seller's or to their right. */
export function drawLines(paper: Paper, invoice: TaxInvoice, place: Place, isBeside: boolean): void {
  const { seller, buyer } = invoice;
  const sellers: Line[] = [
    ['Продавец', nameOf(seller), '(2)'],
    ['Адрес', keepTogether(seller.address), '(2а)'],
    ['ИНН/КПП продавца', taxNumbers(seller), '(2б)'],
    ['Грузоотправитель и его адрес', dash, '(3)'],
    ['Грузополучатель и его адрес', dash, '(4)'],
    ['К платежно-расчетному документу', invoice.payments, '(5)'],
    ['Документ об отгрузке: наименование, №', invoice.shipment, '(5а)'],
    ['К счету-фактуре (счетам-фактурам) на оплату, частичную оплату', invoice.advances, '(5б)'],
  ];
  const buyers: Line[] = [
    ['Покупатель', nameOf(buyer), '(6)'],
    ['Адрес', keepTogether(buyer.address), '(6а)'],
    ['ИНН/КПП покупателя', taxNumbers(buyer), '(6б)'],
    ['Валюта: наименование, код', 'Российский рубль, 643', '(7)'],
    ['Идентификатор государственного контракта, договора (соглашения) (при наличии)', dash, '(8)'],
  ];
  if (!isBeside) {
    drawColumn(paper, [...sellers, ...buyers], place, 232);
    return;
  }
  const gap = 12;
  const width = (place.width - gap) / 2;
  const top = paper.y;
  drawColumn(paper, sellers, { x: place.x, width }, 122);
  const bottom = paper.y;
  paper.y = top;
  drawColumn(paper, buyers, { x: place.x + width + gap, width }, 122);
  paper.y = Math.max(paper.y, bottom);
}

function drawColumn(paper: Paper, lines: readonly Line[], { x, width }: Place, labelWidth: number): void {
  const codeWidth = 22;
  const valueX = x + labelWidth;
  const valueWidth = width - labelWidth - codeWidth;
  for (const [label, value, code] of lines) {
    const text = { width: valueWidth - 4, size: small };
    const height = Math.max(
      paper.heightOf(label, labelWidth - 6, { size: small }),
      paper.heightOf(value, text.width, text),
    );
    paper.text(label, { x, y: paper.y, width: labelWidth - 6, size: small });
    paper.text(value, { x: valueX + 2, y: paper.y, ...text });
    paper.text(code, { x: x + width - codeWidth, y: paper.y, width: codeWidth, size: small, align: 'right' });
    const y = paper.y + height;
    paper.line({ x: valueX, y }, { x: valueX + valueWidth, y }, 0.3);
    paper.y = y + 2;
  }
  paper.y += 4;
}

/** `code` is the column А of a universal transfer document, which is left of the others. */
export function drawTable(paper: Paper, { line, totals }: TaxInvoice, place: Place, code?: { width: number }): void {
  const others = otherWidths.reduce((total, width) => total + width, 0);
  const columns: Column[] = [
    ...(code === undefined ? [] : [{ width: code.width, align: 'center' } as const]),
    { width: numberWidth, align: 'center' },
    { width: place.width - numberWidth - others },
    ...otherWidths.map((width, index) => ({ width, align: alignments[index] ?? ('center' as const) })),
  ];
  const x = place.x - (code?.width ?? 0);
  drawGrid(paper, headOf(code !== undefined), { x, columns, size: 6, isHead: true });
  const start = code === undefined ? [] : [dash];
  drawGrid(paper, [[...start, '1', ...line.map(keepTogether)]], { x, columns, size: 7 });
  const bold = (text: string) => ({ text, bold: true });
  const total: Row = [
    ...(code === undefined ? [] : ['']),
    { text: 'Всего к оплате (9)', span: 7, bold: true },
    bold(totals.net),
    { text: 'Х', span: 2, align: 'center' },
    bold(totals.tax),
    bold(totals.gross),
    { text: '', span: 3 },
  ];
  drawGrid(paper, [total], { x, columns, size: 7 });
  paper.y += 8;
}

function headOf(hasCode: boolean): Row[] {
  const tall = (text: string) => ({ text, rows: 2 });
  return [
    [
      ...(hasCode ? [tall('Код товара/ работ, услуг')] : []),
      tall('№ п/п'),
      tall('Наименование товара (описание выполненных работ, оказанных услуг), имущественного права'),
      tall('Код вида товара'),
      { text: 'Единица измерения', span: 2 },
      tall('Коли- чество (объем)'),
      tall('Цена (тариф) за единицу измерения'),
      tall('Стоимость товаров (работ, услуг), имуществен- ных прав без налога – всего'),
      tall('В том числе сумма акциза'),
      tall('Налоговая ставка'),
      tall('Сумма налога, предъяв- ляемая покупателю'),
      tall('Стоимость товаров (работ, услуг), имуществен- ных прав с налогом – всего'),
      { text: 'Страна происхождения товара', span: 2 },
      tall('Регистрацион- ный номер декларации на товары или партии товара, подлежащего прослежи- ваемости'),
    ],
    ['код', 'условное обозначение (националь- ное)', 'цифро- вой код', 'краткое наимено- вание'],
    [...(hasCode ? ['А'] : []), '1', '1а', '1б', '2', '2а', '3', '4', '5', '6', '7', '8', '9', '10', '10а', '11'],
  ];
}

/** A company has two signers; a sole proprietor signs alone, with the number of the registration. */
export function drawTaxInvoiceSigners(paper: Paper, seller: Party, { x, width }: Place): void {
  const half = (width - 20) / 2;
  const isCompany = seller.kind === 'OOO';
  const director = isCompany ? signerOf(seller) : '';
  const accountant = isCompany && seller.accountant !== undefined ? shortName(seller.accountant) : director;
  const signer = (title: string, name: string, left: number) => {
    const label = 118;
    paper.text(title, { x: left, y: paper.y, width: label, size: 7 });
    const free = half - label - 8;
    const signing = free * 0.42;
    drawField(paper, { caption: '(подпись)' }, { x: left + label, y: paper.y + 5, width: signing });
    const named = { x: left + label + signing + 8, y: paper.y + 5, width: free - signing };
    drawField(paper, { text: name, caption: '(ф.и.о.)' }, named);
  };
  signer('Руководитель организации или иное уполномоченное лицо', director, x);
  signer('Главный бухгалтер или иное уполномоченное лицо', accountant, x + half + 20);
  paper.y += 26;
  signer('Индивидуальный предприниматель или иное уполномоченное лицо', isCompany ? '' : signerOf(seller), x);
  const caption = '(реквизиты свидетельства о государственной регистрации индивидуального предпринимателя)';
  const registration = isCompany ? '' : `ОГРНИП ${seller.ogrn}`;
  drawField(paper, { text: registration, caption }, { x: x + half + 20, y: paper.y + 5, width: half });
  paper.y += 28;
}
