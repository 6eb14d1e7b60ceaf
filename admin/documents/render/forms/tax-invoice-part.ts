/**
 * The счет-фактура by the government's resolution 1137 (with line 5б, in effect since 1 April 2026), which is also the
 * greater part of a universal transfer document. Columns 12 to 14 are for traceable goods, and left out for services.
 */
import type { Party, Reference, Vat } from '../../document-data.ts';
import { type Cell, type Column, drawGrid, type Row } from '../page/grid.ts';
import type { Paper } from '../page/paper.ts';
import { formatAmount, formatRate, subtract } from '../text/amounts.ts';
import { longDate } from '../text/dates.ts';
import { inGroups } from '../text/groups.ts';
import { keepTogether, nameOf, shortName, signerOf, taxNumbers } from '../text/parties.ts';
import { drawField } from './signature-fields.ts';

export const dash = '–';

export interface TaxInvoice {
  readonly number: number;
  readonly date: string;
  readonly correction?: Reference;
  readonly seller: Party;
  readonly buyer: Party;
  /** Lines 5, 5а and 5б. */
  readonly payments: readonly string[];
  readonly shipment: string;
  readonly advances: readonly string[];
  /** The cells of the table from 1а to 11. */
  readonly line: readonly string[];
  readonly totals: { readonly net: string; readonly tax: string; readonly gross: string };
}

interface Place {
  readonly x: number;
  readonly width: number;
}

type Line = readonly [label: string, value: string, code: string];

const resolution = [
  'Приложение № 1',
  'к постановлению Правительства Российской Федерации от 26 декабря 2011 г. № 1137',
  '(в редакции постановления Правительства Российской Федерации от 23 января 2026 г. № 26)',
].join('\n');
const small = 7.5;
const tableFixedHeight = 180;
const narrowestName = 80;
/** Of the columns from 1б; 1а takes what is left. */
const numberWidth = 22;
const otherWidths = [34, 24, 52, 42, 58, 64, 38, 40, 58, 64, 34, 48, 64];
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

export function drawTitle(paper: Paper, { number, date, correction }: TaxInvoice, { x, width }: Place): void {
  const { y } = paper;
  const noteWidth = 290;
  const note = { x: x + width - noteWidth, y, width: noteWidth, size: 6, align: 'right' } as const;
  const titleWidth = width - noteWidth - 10;
  paper.text(resolution, note);
  const titles = [
    ['СЧЕТ-ФАКТУРА', `№\u00a0${number} от\u00a0${longDate(date)}`, '(1)'],
    [
      'ИСПРАВЛЕНИЕ',
      `№\u00a0${correction?.number ?? dash} от\u00a0${correction ? longDate(correction.date) : dash}`,
      '(1а)',
    ],
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
    ...listLines('К платежно-расчетному документу', invoice.payments, '(5)'),
    ['Документ об отгрузке: наименование, №', invoice.shipment, '(5а)'],
    ...listLines('К счету-фактуре (счетам-фактурам) на оплату, частичную оплату', invoice.advances, '(5б)'),
  ];
  const buyers: Line[] = [
    ['Покупатель', nameOf(buyer), '(6)'],
    ['Адрес', keepTogether(buyer.address), '(6а)'],
    ['ИНН/КПП покупателя', taxNumbers(buyer), '(6б)'],
    ['Валюта: наименование, код', 'Российский рубль, 643', '(7)'],
    ['Идентификатор государственного контракта, договора (соглашения) (при наличии)', dash, '(8)'],
  ];
  if (!isBeside) {
    drawColumn(paper, [...sellers, ...buyers], place, place.width * 0.31);
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

/** A long list continues on further lines, which may be on the next page. */
function listLines(label: string, items: readonly string[], code: string): Line[] {
  const [first = dash, ...others] = inGroups(items);
  return [[label, first, code], ...others.map((group): Line => ['', group, ''])];
}

function drawColumn(paper: Paper, lines: readonly Line[], { x, width }: Place, labelWidth: number): void {
  const codeWidth = 22;
  const valueX = x + labelWidth;
  const valueWidth = width - labelWidth - codeWidth;
  for (const [label, value, code] of lines) {
    const text = { width: valueWidth - 4, size: small };
    const valueHeight = paper.heightOf(value, text.width, text);
    const height = Math.max(paper.heightOf(label, labelWidth - 6, { size: small }), valueHeight);
    paper.room(height);
    paper.text(label, { x, y: paper.y, width: labelWidth - 6, size: small });
    const y = paper.y + height;
    paper.text(value, { x: valueX + 2, y: y - valueHeight, ...text });
    const coded = { x: x + width - codeWidth, width: codeWidth, size: small, align: 'right' } as const;
    paper.text(code, { ...coded, y: y - paper.heightOf(code, codeWidth, { size: small }) });
    paper.line({ x: valueX, y }, { x: valueX + valueWidth, y }, 0.3);
    paper.y = y + 2;
  }
  paper.y += 4;
}

/** Of the table and the signatures below it, which stay on one page; at least what they need. */
export function tableHeight(paper: Paper, { line: [service = ''] }: TaxInvoice): number {
  return tableFixedHeight + paper.heightOf(service, narrowestName, { size: 7 });
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
  drawGrid(paper, [[...start, '1', ...line.map(lineCell)]], { x, columns, size: 7 });
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

function lineCell(text: string): string | Cell {
  return text === dash ? { text, align: 'center' } : keepTogether(text);
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
      tall('Количество (объем)'),
      tall('Цена (тариф) за единицу измерения'),
      tall('Стоимость товаров (работ, услуг), имущественных прав без налога\u00a0– всего'),
      tall('В том числе сумма акциза'),
      tall('Налоговая ставка'),
      tall('Сумма налога, предъявляемая покупателю'),
      tall('Стоимость товаров (работ, услуг), имущественных прав с налогом\u00a0– всего'),
      { text: 'Страна происхождения товара', span: 2 },
      tall(
        'Регистрационный номер декларации на товары или регистрационный номер партии товара, подлежащего прослеживаемости',
      ),
    ],
    ['код', 'условное обозначение (национальное)', 'цифровой код', 'краткое наименование'],
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
    const label = 122;
    paper.text(title, { x: left, y: paper.y, width: label, size: 7 });
    const free = half - label - 8;
    const signing = free * 0.42;
    drawField(paper, { caption: '(подпись)' }, { x: left + label, y: paper.y + 5, width: signing });
    const named = { x: left + label + signing + 8, y: paper.y + 5, width: free - signing };
    drawField(paper, { text: name, caption: '(ф.и.о.)' }, named);
  };
  signer('Руководитель организации\nили иное уполномоченное лицо', director, x);
  signer('Главный бухгалтер\nили иное уполномоченное лицо', accountant, x + half + 20);
  paper.y += 26;
  signer('Индивидуальный предприниматель\nили иное уполномоченное лицо', isCompany ? '' : signerOf(seller), x);
  const caption = '(реквизиты свидетельства о государственной регистрации индивидуального предпринимателя)';
  const registration = isCompany ? '' : `ОГРНИП ${seller.ogrn}`;
  drawField(paper, { text: registration, caption }, { x: x + half + 20, y: paper.y + 5, width: half });
  paper.y += 28;
}
