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

type Titled = Pick<DocumentData, 'type' | 'number' | 'date' | 'correction'>;

/** "Счет на оплату № 12 от 31.01.2030", "Счет-фактура № 12 от 31.01.2030, исправление № 1 от 05.02.2030" */
export function shortTitle({ type, number, date, correction }: Titled): string {
  const title = `${names[type]} ${reference(number, date)}`;
  return correction === undefined ? title : `${title}, исправление ${reference(correction.number, correction.date)}`;
}

/** "Счет на оплату № 12 от 31 января 2030 г." */
export function longTitle({ type, number, date }: Titled): string {
  return `${names[type]} №\u00a0${number} от\u00a0${longDate(date)}`;
}
