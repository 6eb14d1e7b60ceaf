/** What each kind of paper is called. */
import type { DocumentData, DocumentType } from '../../document-data.ts';
import { longDate, reference } from './dates.ts';

const names: Readonly<Record<DocumentType, string>> = {
  invoice: 'Счет на оплату',
  advance_invoice: 'Счет-фактура',
  act: 'Акт об оказании услуг',
  upd: 'Универсальный передаточный документ',
  tax_invoice: 'Счет-фактура',
  reconciliation: 'Акт сверки',
};

type Titled = Pick<DocumentData, 'type' | 'number' | 'date'>;

/** "Счет на оплату № 12 от 31.01.2030" */
export function shortTitle({ type, number, date }: Titled): string {
  return `${names[type]} ${reference(number, date)}`;
}

/** "Счет на оплату № 12 от 31 января 2030 г." */
export function longTitle({ type, number, date }: Titled): string {
  return `${names[type]} №\u00a0${number} от\u00a0${longDate(date)}`;
}
