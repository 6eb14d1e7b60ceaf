/** Accounting documents from the API, how they are called, and their PDF files. */
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { api, call } from '../../app/api/api.ts';
import { callInDetail } from '../../app/api/detailed-call.ts';
import { download } from '../../app/api/download.ts';
import type { Translate } from '../../app/i18n/use-texts.ts';
import type { paths } from '../../generated/api.ts';
import type { documentsTexts } from './documents-texts.ts';

type DocumentsPath = paths['/api/documents'];
export type DocumentList = DocumentsPath['get']['responses'][200]['content']['application/json'];
export type AccountingDocument = DocumentList['documents'][number];
export type DocumentInput = NonNullable<DocumentsPath['post']['requestBody']>['content']['application/json'];

export const pageDocuments = 25;

export const documentsQuery = (offset = 0) =>
  queryOptions({
    queryKey: ['documents', 'list', offset],
    queryFn: () => call(api.GET('/api/documents', { params: { query: { limit: pageDocuments, offset } } })),
    placeholderData: keepPreviousData,
  });

/** A document never changes. */
export const pdfQuery = (documentId: string) =>
  queryOptions({
    queryKey: ['documents', 'pdf', documentId],
    queryFn: async (): Promise<Blob> =>
      call(api.GET('/api/documents/{documentId}/pdf', { params: { path: { documentId } }, parseAs: 'blob' })),
    staleTime: Number.POSITIVE_INFINITY,
  });

export const downloadPdf = (documentId: string) => download(`/api/documents/${documentId}/pdf`);

/** Throws DetailedError with every company detail that is missing. */
export const makeDocument = (body: DocumentInput, idempotencyKey: string) =>
  callInDetail(api.POST('/api/documents', { body, params: { header: { 'Idempotency-Key': idempotencyKey } } }));

type DocumentText = NonNullable<(typeof documentsTexts)['key']>;

/** How a document is called: “Invoice no. 12”, “Tax invoice no. 3, correction no. 1”. */
export function documentName(
  { type, number, correctionNumber }: AccountingDocument,
  t: Translate<DocumentText>,
): string {
  const name = t('titled', { type: t(type), number });
  return correctionNumber === null ? name : t('titledCorrection', { name, number: correctionNumber });
}
