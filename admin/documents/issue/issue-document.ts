/**
 * Issues a document: takes its number, writes down what it says, and queues its mail and its event, all in the transaction of what
 * it is about. So a number is never lost, and no document is without its cause.
 *
 * The counter stays locked until the transaction ends: take numbers last, after the account's lock, those of acts before
 * those of tax invoices.
 */
import { sql } from 'drizzle-orm';
import { formatRubKopecks, type RubKopecks } from '../../../shared/money.ts';
import type { Transaction } from '../../database/connect.ts';
import { documentCounters, documents } from '../../database/tables/documents.ts';
import { writeEvent } from '../../operations/webhook-events/write-event.ts';
import type { Document } from '../document.ts';
import type { DocumentData, DocumentType, Reference } from '../document-data.ts';
import { queueDocumentMail } from '../document-mail.ts';

type Numbered = Pick<DocumentData, 'number' | 'date' | 'correction'>;

export interface NewDocument {
  readonly accountId: number;
  readonly type: DocumentType;
  readonly date: string;
  readonly amountKopecks: RubKopecks;
  readonly period?: { readonly from: string; readonly to: string };
  readonly paymentId?: string;
  readonly corrects?: {
    readonly id: string;
    /** Of a correction that keeps the number of what it corrects; undefined if it takes one of its own. */
    readonly kept: { readonly number: number; readonly correction: Reference } | undefined;
  };
  readonly write: (numbered: Numbered) => DocumentData;
}

export async function issueDocument(transaction: Transaction, issue: NewDocument): Promise<Document> {
  const { accountId, type, date, amountKopecks, period, paymentId = null, corrects, write } = issue;
  const year = Number(date.slice(0, 4));
  const number = corrects?.kept?.number ?? (await takeNumber(transaction, type, year));
  const correction = corrects?.kept?.correction;
  const row = {
    id: Bun.randomUUIDv7(),
    accountId,
    type,
    year,
    number,
    date,
    periodFrom: period?.from ?? null,
    periodTo: period?.to ?? null,
    paymentId,
    amountKopecks,
    correctsId: corrects?.id ?? null,
    correctionNumber: correction?.number ?? 0,
    correctionDate: correction?.date ?? null,
    createdAt: new Date(),
  };
  await transaction
    .insert(documents)
    .values({ ...row, data: write({ number, date, ...(correction && { correction }) }) });
  const document = { ...row, status: 'issued' } as const;
  await queueDocumentMail(transaction, document);
  await writeEvent(transaction, accountId, {
    type: 'document.issued',
    data: { documentId: row.id, type, number, date, amountRub: formatRubKopecks(amountKopecks) },
  });
  return document;
}

async function takeNumber(transaction: Transaction, type: DocumentType, year: number): Promise<number> {
  const [counter] = await transaction
    .insert(documentCounters)
    .values({ type, year, last: 1 })
    .onConflictDoUpdate({
      target: [documentCounters.type, documentCounters.year],
      set: { last: sql`${documentCounters.last} + 1` },
    })
    .returning({ number: documentCounters.last });
  if (counter === undefined) throw new Error('an insert returned no counter');
  return counter.number;
}
