/** An accounting document, as it is stored, and how it is found and called. */
import { and, eq, getTableColumns, sql } from 'drizzle-orm';
import { GatewayError } from '../../shared/errors.ts';
import type { DbOrTransaction } from '../database/connect.ts';
import { documents } from '../database/tables/documents.ts';
import type { DocumentData } from './document-data.ts';
import { shortTitle } from './render/text/titles.ts';

/** `corrected`: a newer document has taken its place. */
export const documentStatuses = ['issued', 'corrected'] as const;
export type DocumentStatus = (typeof documentStatuses)[number];

export type StoredDocument = Omit<typeof documents.$inferSelect, 'data'>;
export type Document = StoredDocument & { readonly status: DocumentStatus };

const { data: _, ...storedColumns } = getTableColumns(documents);

export const isCorrected = sql<boolean>`EXISTS (
  SELECT FROM documents AS correction WHERE correction.corrects_id = ${documents.id})`;

export const documentColumns = {
  ...storedColumns,
  status: sql<DocumentStatus>`CASE WHEN ${isCorrected} THEN 'corrected' ELSE 'issued' END`,
};

/** Throws GatewayError `not_found`, also for another account's document. */
export async function findDocument(db: DbOrTransaction, id: string, accountId?: number): Promise<Document> {
  const [document] = await db.select(documentColumns).from(documents).where(isDocument(id, accountId));
  if (document === undefined) throw documentNotFound(id);
  return document;
}

/** What the document says. Throws GatewayError `not_found`. */
export async function readDocumentData(db: DbOrTransaction, id: string, accountId?: number): Promise<DocumentData> {
  const [row] = await db.select({ data: documents.data }).from(documents).where(isDocument(id, accountId));
  if (row === undefined) throw documentNotFound(id);
  // Written by issue-document.ts; older forms lack only optional members.
  return row.data as DocumentData;
}

export function isDocument(id: string, accountId: number | undefined) {
  return and(eq(documents.id, id), accountId === undefined ? undefined : eq(documents.accountId, accountId));
}

/** `Акт об оказании услуг № 12 от 31.10.2026`, with ordinary spaces: for names of files, and for banks. */
export function titleOf(document: Pick<DocumentData, 'type' | 'number' | 'date' | 'correction'>): string {
  return shortTitle(document).replaceAll('\u00a0', ' ');
}

type Named = Pick<StoredDocument, 'type' | 'number' | 'date' | 'correctionNumber' | 'correctionDate'>;

export function titleOfStored({ correctionNumber, correctionDate, ...document }: Named): string {
  if (correctionDate === null) return titleOf(document);
  return titleOf({ ...document, correction: { number: correctionNumber, date: correctionDate } });
}

export function documentNotFound(id: string): GatewayError {
  return new GatewayError('not_found', `There is no document ${id}.`, { param: 'documentId' });
}
