/** How a document is called: “Invoice no. 12”, “Tax invoice no. 3, correction no. 1”. */
import type { Translate } from '../../app/i18n/use-texts.ts';
import type { documentsTexts } from './documents-texts.ts';
import type { AccountingDocument } from './queries.ts';

type DocumentText = NonNullable<(typeof documentsTexts)['key']>;

export function documentName(
  { type, number, correctionNumber }: AccountingDocument,
  t: Translate<DocumentText>,
): string {
  const name = t('titled', { type: t(type), number });
  return correctionNumber === null ? name : t('titledCorrection', { name, number: correctionNumber });
}
