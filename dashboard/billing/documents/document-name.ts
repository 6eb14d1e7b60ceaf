/** How a document is called: “Invoice no. 12”. */
import type { Translate } from '../../app/i18n/use-texts.ts';
import type { documentsTexts } from './documents-texts.ts';
import type { AccountingDocument } from './queries.ts';

type DocumentText = NonNullable<(typeof documentsTexts)['key']>;

export function documentName({ type, number }: AccountingDocument, t: Translate<DocumentText>): string {
  return t('titled', { type: t(type), number });
}
