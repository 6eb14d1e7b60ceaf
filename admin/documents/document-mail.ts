/** Mails about new documents, to the address of the account, in its language, with the document as a PDF. */
import { asc, eq } from 'drizzle-orm';
import { users } from '../../shared/tables/accounts.ts';
import type { DbOrTransaction } from '../database/connect.ts';
import { queueMail } from '../mail/queue/queue-mail.ts';
import { readSettings } from '../notifications/settings.ts';
import type { Document } from './document.ts';

/** In the transaction that issues the document. A deleted account gets none. */
export async function queueDocumentMail(transaction: DbOrTransaction, document: Document): Promise<void> {
  const { accountId, type, number, date, amountKopecks } = document;
  const { documentEmails, language } = await readSettings(transaction, accountId);
  if (!documentEmails) return;
  const [user] = await transaction
    .select({ email: users.email, deletedAt: users.deletedAt })
    .from(users)
    .where(eq(users.accountId, accountId))
    .orderBy(asc(users.id))
    .limit(1);
  if (user === undefined || user.deletedAt !== null) return;
  await queueMail(transaction, {
    kind: 'document_ready',
    data: { documentId: document.id, type, number, date, amountMinor: String(amountKopecks) },
    to: user.email,
    language,
    accountId,
  });
}
