/**
 * The QR code of an invoice (GOST R 56042-2014), from which banking apps fill in a payment order: encoded as UTF-8
 * ("ST00012"), fields separated by "|", each with the standard's greatest length.
 */
import { create } from 'qrcode';
import type { InvoiceData } from '../../document-data.ts';
import type { Area, Paper } from '../page/paper.ts';
import { kopecksOf } from '../text/amounts.ts';
import { nameOf } from '../text/parties.ts';

/** Undefined where the seller's bank details are unknown. */
export function paymentQrText({ seller, amount, purpose }: InvoiceData): string | undefined {
  const { inn, kpp, bankName, bik, checkingAccount, correspondentAccount } = seller;
  if (!(bankName && bik && checkingAccount && correspondentAccount)) return undefined;
  const fields = [
    ['Name', nameOf(seller), 160],
    ['PersonalAcc', checkingAccount, 20],
    ['BankName', bankName, 45],
    ['BIC', bik, 9],
    ['CorrespAcc', correspondentAccount, 20],
    ['Sum', String(kopecksOf(amount)), 18],
    ['Purpose', purpose, 210],
    ['PayeeINN', inn, 12],
    ['KPP', kpp ?? '', 9],
  ] as const;
  const known = fields.filter(([, value]) => value !== '');
  return ['ST00012', ...known.map(([field, value, max]) => `${field}=${fieldValue(value, max)}`)].join('|');
}

/** The rows of the matrix, from the top; true is dark. */
export function qrMatrix(text: string): boolean[][] {
  const { modules } = create([{ data: new TextEncoder().encode(text), mode: 'byte' }], { errorCorrectionLevel: 'M' });
  const indexes = Array.from({ length: modules.size }, (_, index) => index);
  return indexes.map((row) => indexes.map((column) => modules.get(row, column) === 1));
}

/** Without the quiet zone, which the paper around it provides. */
export function drawQr(paper: Paper, text: string, { x, y, width }: Omit<Area, 'height'>): void {
  const matrix = qrMatrix(text);
  const size = width / matrix.length;
  paper.fill(
    matrix.flatMap((row, rowIndex) =>
      runsOf(row).map(({ start, length }) => ({
        x: x + start * size,
        y: y + rowIndex * size,
        width: length * size,
        height: size,
      })),
    ),
  );
}

/** Dark neighbours are one rectangle, so that no gaps show between them. */
function runsOf(row: readonly boolean[]): { start: number; length: number }[] {
  const runs: { start: number; length: number }[] = [];
  row.forEach((isDark, index) => {
    const last = runs.at(-1);
    if (!isDark) return;
    if (last !== undefined && last.start + last.length === index) last.length += 1;
    else runs.push({ start: index, length: 1 });
  });
  return runs;
}

function fieldValue(value: string, max: number): string {
  return [...value.replaceAll(/[|\s]+/g, ' ')].slice(0, max).join('').trim();
}
