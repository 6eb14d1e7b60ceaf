/**
 * Issues a document: takes its number, writes down what it says, and queues its mail, all in the transaction of what it
 * is about. So a number is never lost, and no document is without its cause.
 *
 * The counter stays locked until the transaction ends: take numbers last, after the account's lock, those of acts before
 * those of tax invoices.
 */
import { sql } from 'drizzle-orm';
import type { RubKopecks } from '../../../shared/money.ts';
import { documentCounters, documents } from '../../../shared/tables/documents.ts';
import type { Transaction } from '../../database/connect.ts';
import type { Document } from '../document.ts';
import type { DocumentData, DocumentType } from '../document-data.ts';
import { queueDocumentMail } from '../document-mail.ts';

export interface NewDocument {
  readonly accountId: number;
  readonly type: DocumentType;
  readonly date: string;
  readonly amountKopecks: RubKopecks;
  readonly period?: { readonly from: string; readonly to: string };
  readonly paymentId?: string;
  readonly correctsId?: string;
  readonly write: (numbered: { readonly number: number; readonly date: string }) => DocumentData;
}

export async function issueDocument(transaction: Transaction, issue: NewDocument): Promise<Document> {
  const { accountId, type, date, amountKopecks, period, paymentId = null, correctsId = null, write } = issue;
  const year = Number(date.slice(0, 4));
  const number = await takeNumber(transaction, type, year);
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
    correctsId,
    createdAt: new Date(),
  };
  await transaction.insert(documents).values({ ...row, data: write({ number, date }) });
  const document = { ...row, status: 'issued' } as const;
  await queueDocumentMail(transaction, document);
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
