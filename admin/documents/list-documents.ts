/** Documents of an account or of all accounts, newest first. */
import { and, count, desc, eq, gte, lte } from 'drizzle-orm';
import type { DbOrTransaction } from '../database/connect.ts';
import { documents } from '../database/tables/documents.ts';
import { type Document, documentColumns } from './document.ts';
import type { DocumentType } from './document-data.ts';

export interface DocumentFilter {
  /** All accounts if undefined. */
  readonly accountId: number | undefined;
  readonly type: DocumentType | undefined;
  /** Days of the documents' dates, both included. */
  readonly from: string | undefined;
  readonly to: string | undefined;
}

export interface DocumentPage {
  readonly documents: readonly Document[];
  readonly total: number;
}

export async function listDocuments(
  db: DbOrTransaction,
  { accountId, type, from, to }: DocumentFilter,
  { limit, offset }: { limit: number; offset: number },
): Promise<DocumentPage> {
  const matches = and(
    accountId === undefined ? undefined : eq(documents.accountId, accountId),
    type === undefined ? undefined : eq(documents.type, type),
    from === undefined ? undefined : gte(documents.date, from),
    to === undefined ? undefined : lte(documents.date, to),
  );
  const rows = await db
    .select(documentColumns)
    .from(documents)
    .where(matches)
    .orderBy(desc(documents.date), desc(documents.id))
    .limit(limit)
    .offset(offset);
  const [all] = await db.select({ total: count() }).from(documents).where(matches);
  return { documents: rows, total: all?.total ?? 0 };
}
