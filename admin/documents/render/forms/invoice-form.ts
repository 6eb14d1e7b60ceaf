/** Счет на оплату: the bank's details first, as in a payment order, with a code that banking apps read. */
import type { InvoiceData } from '../../document-data.ts';
import { drawGrid, type Row } from '../page/grid.ts';
import type { Paper } from '../page/paper.ts';
import { drawQr, paymentQrText } from '../qr/payment-qr.ts';
import { amountInWords, formatAmount } from '../text/amounts.ts';
import { longDate } from '../text/dates.ts';
import { describeParty, keepTogether, nameOf, shortName, signerOf } from '../text/parties.ts';
import { longTitle } from '../text/titles.ts';
import { drawHeading, drawLabelled, drawServiceTable } from './plain-parts.ts';
import { drawSigner, type Look, roomBelow } from './signature-fields.ts';

const qrWidth = 112;
const signingRoom = 46;

export function drawInvoice(paper: Paper, data: InvoiceData, look?: Look): void {
  const { seller, buyer, service, amount, vat, purpose, validUntil } = data;
  drawTop(paper, data);
  drawHeading(paper, longTitle(data));
  drawLabelled(paper, 'Поставщик:', describeParty(seller));
  drawLabelled(paper, 'Покупатель:', describeParty(buyer));
  paper.y += 2;
  const heading = 'Товары (работы, услуги)';
  drawServiceTable(paper, { service, amount, vat, heading, totalLabel: 'Всего к оплате:' });
  paper.paragraph(`Всего наименований 1, на сумму ${formatAmount(amount)}\u00a0руб.`, { gap: 1 });
  paper.paragraph(amountInWords(amount), { bold: true, gap: 10 });
  paper.paragraph(`Назначение платежа: ${keepTogether(purpose)}`, { gap: 3 });
  paper.paragraph(`Оплатить до ${longDate(validUntil)}`, { gap: 8 });
  paper.room(signingRoom + roomBelow(look));
  paper.rule(1.5, signingRoom - 8);
  drawSigners(paper, data, look);
}

function drawSigners(paper: Paper, { seller }: InvoiceData, look?: Look): void {
  const { left: x, y, width } = paper;
  const half = (width - 24) / 2;
  if (seller.kind === 'IP') {
    drawSigner(paper, { title: 'Предприниматель', name: signerOf(seller), look }, { x, y, width: half + 24 });
    return;
  }
  // In many companies the director keeps the books.
  const accountant = seller.accountant === undefined ? signerOf(seller) : shortName(seller.accountant);
  drawSigner(paper, { title: 'Руководитель', name: signerOf(seller), look }, { x, y, width: half });
  drawSigner(paper, { title: 'Бухгалтер', name: accountant }, { x: x + half + 24, y, width: half });
}

/** The block of the bank, and the code to its right. */
function drawTop(paper: Paper, data: InvoiceData): void {
  const qr = paymentQrText(data);
  const top = paper.y;
  const width = qr === undefined ? paper.width : paper.width - qrWidth - 16;
  drawBank(paper, data, width);
  const bankBottom = paper.y;
  if (qr !== undefined) {
    const place = { x: paper.right - qrWidth, width: qrWidth };
    drawQr(paper, qr, { ...place, y: top });
    const caption = { ...place, y: top + qrWidth + 3, size: 7, align: 'center' } as const;
    paper.y = caption.y + paper.text('Оплата по QR-коду в\u00a0приложении банка', caption);
  }
  paper.y = Math.max(paper.y, bankBottom) + 16;
}

function drawBank(paper: Paper, { seller }: InvoiceData, width: number): void {
  const { inn, kpp, bankName = '', bik = '', checkingAccount = '', correspondentAccount = '' } = seller;
  const label = 38;
  const account = 122;
  const left = width - label - account;
  const columns = [{ width: left / 2 }, { width: left / 2 }, { width: label }, { width: account }];
  const caption = (text: string) => ({ text, span: 2, size: 7, hasBorder: false });
  const rows: Row[] = [
    [{ text: keepTogether(bankName), span: 2, hasBorder: false }, 'БИК', { text: bik, hasBorder: false }],
    [caption('Банк получателя'), 'Сч.\u00a0№', { text: correspondentAccount, hasBorder: false }],
    kpp === undefined
      ? [
          { text: `ИНН ${inn}`, span: 2 },
          { text: 'Сч.\u00a0№', rows: 3 },
          { text: checkingAccount, rows: 3 },
        ]
      : [`ИНН ${inn}`, `КПП ${kpp}`, { text: 'Сч.\u00a0№', rows: 3 }, { text: checkingAccount, rows: 3 }],
    [{ text: nameOf(seller), span: 2, hasBorder: false }],
    [caption('Получатель')],
  ];
  const { left: x, y } = paper;
  const bank = { x, columns, padding: 3 };
  drawGrid(paper, rows.slice(0, 2), bank);
  const middle = paper.y;
  drawGrid(paper, rows.slice(2), bank);
  paper.box({ x, y, width: left, height: middle - y });
  paper.box({ x: x + left + label, y, width: account, height: middle - y });
  paper.box({ x, y: middle, width: left, height: paper.y - middle });
}
