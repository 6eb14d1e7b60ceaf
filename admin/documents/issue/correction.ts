/**
 * Corrects a document that names the wrong parties: a new one says the same with the seller and the buyer as they are now.
 * A счёт-фактура or УПД keeps its number and date and becomes a numbered correction, as resolution 1137 asks; any other
 * document gets a number of its own. Amounts are never corrected this way: usage that changes later is in a later act.
 */
import { GatewayError } from '../../../shared/errors.ts';
import { rubKopecks } from '../../../shared/money.ts';
import type { Transaction } from '../../database/connect.ts';
import { lockAccount } from '../../database/rows/lock-account.ts';
import { dayOf } from '../../lots/months.ts';
import { type Actor, recordAction } from '../../operations/audit/record-action.ts';
import { type Document, findDocument, readDocumentData, titleOfStored } from '../document.ts';
import type { DocumentData, DocumentType } from '../document-data.ts';
import type { Issuing } from '../document-services.ts';
import { requireBuyer } from './buyer.ts';
import { purposeOf } from './invoice.ts';
import { issueDocument } from './issue-document.ts';

export interface Correction {
  readonly documentId: string;
  readonly reason: string;
}

/** Throws GatewayError `not_found`, `document_corrected` or `company_details_missing`. */
export async function correctDocument(
  transaction: Transaction,
  { seller, billingTimeZone, now }: Issuing,
  { actor, correction }: { actor: Actor; correction: Correction },
): Promise<Document> {
  const { documentId, reason } = correction;
  const { accountId } = await findDocument(transaction, documentId);
  await lockAccount(transaction, accountId);
  const former = await findDocument(transaction, documentId);
  if (former.status === 'corrected') throw alreadyCorrected();
  const buyer = await requireBuyer(transaction, accountId);
  const data = await readDocumentData(transaction, documentId);
  const { type, date, periodFrom, periodTo, paymentId } = former;
  const corrected = await issueDocument(transaction, {
    accountId,
    type,
    date,
    amountKopecks: rubKopecks(former.amountKopecks),
    ...(periodFrom !== null && periodTo !== null && { period: { from: periodFrom, to: periodTo } }),
    ...(paymentId !== null && { paymentId }),
    corrects: { id: documentId, kept: keptBy(former, dayOf(now, billingTimeZone)) },
    write: (numbered) => rewrite(data, { ...numbered, seller: seller.party, buyer }),
  });
  await recordAction(transaction, actor, {
    action: 'document.correct',
    subject: `document ${documentId}`,
    accountId,
    reason,
    before: { document: titleOfStored(former) },
    after: { document: titleOfStored(corrected) },
  });
  return corrected;
}

const keepingNumber: readonly DocumentType[] = ['advance_invoice', 'tax_invoice', 'upd'];

function keptBy({ type, number, correctionNumber }: Document, today: string) {
  if (!keepingNumber.includes(type)) return undefined;
  return { number, correction: { number: correctionNumber + 1, date: today } };
}

type Corrected = Pick<DocumentData, 'number' | 'date' | 'correction' | 'seller' | 'buyer'>;

function rewrite(data: DocumentData, head: Corrected): DocumentData {
  if (data.type !== 'invoice') return { ...data, ...head };
  return { ...data, ...head, purpose: purposeOf(head, data.vat) };
}

export function alreadyCorrected(): GatewayError {
  return new GatewayError('document_corrected', 'The document has already been corrected. Correct the newer one.', {
    param: 'documentId',
  });
}
