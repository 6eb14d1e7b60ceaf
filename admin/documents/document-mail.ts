/** Mails about new documents, to the address of the account, in its language, with the document as a PDF. */
import type { DbOrTransaction } from '../database/connect.ts';
import { emailOfAccount } from '../database/rows/email-of-account.ts';
import { readSettings } from '../database/rows/notification-settings.ts';
import { queueMail } from '../mail/queue/queue-mail.ts';
import type { Document } from './document.ts';

/** In the transaction that issues the document. A deleted account gets none. */
export async function queueDocumentMail(transaction: DbOrTransaction, document: Document): Promise<void> {
  const { accountId, type, number, date, amountKopecks, correctionNumber } = document;
  const { documentEmails, language } = await readSettings(transaction, accountId);
  if (!documentEmails) return;
  const email = await emailOfAccount(transaction, accountId);
  if (email === undefined) return;
  await queueMail(transaction, {
    kind: 'document_ready',
    data: { documentId: document.id, type, number, date, correctionNumber, amountMinor: String(amountKopecks) },
    to: email,
    language,
    accountId,
  });
}
